#!/bin/sh
# One step of a mutant's life, in its folder build-mutants/NUMBER; called by run.sh, from the root of the sources.
#
# usage: tests/mutants/mutant.sh build TARGET...      make, for programs whose library is a shared object
#                                copy NUMBER          the programs, for a library that may differ
#                                make NUMBER          that line of build-mutants/drawn, compiled; nothing if no other program comes of it
#                                units NUMBER         unit tests until one fails
#                                check NUMBER CHECK   that line of build-mutants/checks, unless it is dead or has passed it already
set -eu
root=$PWD out=build-mutants step=$1
shift

# All names are exported, so that the programs find them, and a mutant needs one file compiled and one object linked.
build()
{
    EXTRA_CFLAGS="-fvisibility=default -fno-semantic-interposition" make --no-print-directory BUILD=$out/base \
        LIB=$out/base/libheddle.so 'DRIVER_OBJ=$(LIB_OBJ)' EXPORTS= CFLAGS=-O3 LDFLAGS="-Wl,-rpath,'\$\$ORIGIN:\$\$ORIGIN/..'" "$@"
}

# The programs find the library beside themselves; the driver's is the same file under another name.
copy() # FOLDER
{
    mkdir -p "$1/lib" "$1/tmp"
    cp -al $out/base/heddle $out/base/tests $out/base/workloads "$1"
    [ -e "$1/libheddle.so.0" ] || ln $out/base/libheddle.so.0 "$1"
    ln "$1/libheddle.so.0" "$1/lib/libheddle.so.0"
    ln "$1/libheddle.so.0" "$1/lib/libcuda.so.1"
    ln -s libcuda.so.1 "$1/lib/libcuda.so"
    : >"$1/times"
}

# A header is compiled with all files that include it. Names of files stay the same, so that equal programs are equal files.
compile() # FOLDER FILE LINE, which becomes $NEW
{
    mkdir -p "$1/$(dirname "$2")"
    ln -s "$root/gpus" "$1/gpus"
    awk -v line="$3" 'NR == line { print ENVIRON["NEW"]; next } { print }' "$2" >"$1/$2"
    build -n -W "$2" $out/base/libheddle.so.0 >"$1/commands"
    grep ' -c ' "$1/commands" | sed -e "s| -Isrc -Iinclude | -Isrc -I$root/src -I$root/include -I$root -w |" \
        -e "s| -I$out/base/generated| -I$root/$out/base/generated|" >"$1/compile"
    same=yes
    for object in $(sed 's/.* -o //' "$1/compile"); do
        source=${object#$out/base/} && source=${source%.o}.c
        mkdir -p "$1/$(dirname "$object")" "$1/$(dirname "$source")"
        [ -e "$1/$source" ] || cp "$source" "$1/$source"
    done
    (cd "$1" && sh -e ./compile) >/dev/null 2>&1 || return 1
    grep 'soname,libheddle' "$1/commands" | sed "s| -o [^ ]*| -o $1/libheddle.so.0|" >"$1/link"
    for object in $(sed 's/.* -o //' "$1/compile"); do
        cmp -s "$object" "$1/$object" || same=no
        sed -i "s| $object| $1/$object|" "$1/link"
    done
    [ $same = no ] && sh -e "$1/link" >/dev/null 2>&1
}

# Ten times what the unchanged program takes, and time enough to start on a busy machine.
limit() # CHECK
{
    awk -F'\t' -v c="$1" '$2 == c { t = $1 } END { print t ? int(10 * t) + 30 : 900 }' $out/times 2>/dev/null || echo 900
}

check() # FOLDER CHECK
{
    [ ! -e "$1/killed" ] || return 0
    ! cut -f2 "$1/times" | grep -qx "$2" || return 0
    command=$(awk -F'\t' -v c="$2" '$1 == c { print $3 }' $out/checks | sed "s|MUTANT|$1|g")
    mkdir -p "$1/tmp/$2"
    began=$(date +%s.%N)
    # A mutant may also ask for memory without end.
    TMPDIR=$root/$1/tmp/$2 HEDDLE_TEST_JOBS=1 timeout -k 5 "$(limit "$2")" sh -c "ulimit -v 16000000; ulimit -f 4000000; $command" \
        >"$1/said.$2" 2>&1 </dev/null && status=0 || status=$?
    echo "$began $(date +%s.%N) $2" | awk -v OFS='\t' '{ printf "%.2f\t%s\n", $2 - $1, $3 }' >>"$1/times"
    rm -rf "$1/tmp/${2:?}"
    [ $status -eq 0 ] && return
    name=$(awk -F'\t' -v c="$2" '$1 == c { print $2 }' $out/checks)
    [ $status -ne 124 ] && [ $status -ne 137 ] || name="$name (no end)"
    echo "$name" >>"$1/killed"
}

# Unit tests whose name has the file's, or its folder's, come first, then the other quick ones.
units() # FOLDER
{
    file=$(cut -f1 "$1/change")
    awk -F'\t' -v OFS='\t' -v file="$file" '
        BEGIN {
            split(file, part, /[\/.:]/)
            folder = part[2] == "sm" ? "timing" : part[2]
            noun = part[3]
            sub(/_.*/, "", noun)
        }
        NR == FNR { name[$1] = $2; next }
        name[$2] !~ /^test_/ { next }
        index(name[$2], noun) { print $1, $2; next }
        index(name[$2], "_" folder) { print $1 + 1000, $2; next }
        $1 < 5 { print $1 + 2000, $2 }' \
        $out/checks $out/times | sort -n | cut -f2 >"$1/units"
    while read -r c && [ ! -e "$1/killed" ]; do
        check "$1" "$c"
    done <"$1/units"
}

case $step in
build) build "$@" ;;
copy) copy $out/"$1" ;;
make)
    folder=$out/$1
    line=$(sed -n "$1p" $out/drawn)
    [ -n "$line" ] || exit 0
    field() { printf '%s\n' "$line" | cut -f"$1"; }
    NEW=$(field 4) && export NEW
    [ ! -e "$folder/change" ] || exit 0
    rm -rf "$folder"
    mkdir -p "$folder"
    if compile "$folder" "$(field 1)" "$(field 2)"; then
        copy "$folder"
        printf '%s:%s\t%s\t%s\n' "$(field 1)" "$(field 2)" "$(field 3 | sed 's/^ *//')" "$(field 4 | sed 's/^ *//')" >"$folder/change"
    else
        rm -rf "$folder"
    fi
    ;;
units) units $out/"$1" ;;
check) check $out/"$1" "$2" ;;
esac
