#!/bin/sh
# Compiles the programs of programs.txt with nvcc: build.sh OUT [LIBRARIES [PATTERN]]. Each becomes OUT/NAME@VARIANT.
#
# LIBRARIES is the folder with heddle's libcudart_static.a, for variants with -cudart=static; without it, those variants
# are left out. PATTERN (of grep -E) chooses among the names NAME@VARIANT. What is up to date is not compiled again.
# Environment: NVCC, and JOBS, how many compilers run at a time.
#
# A program is NAME.cu, or a folder NAME: its lib_*.cu go into a static library that the program is linked with, its
# so_*.cu into the shared library OUT/NAME@VARIANT.so, and its other .cu and .c files into the program.
set -eu
out=${1:?usage: build.sh OUT [LIBRARIES [PATTERN]]}
libraries=${2:-} pattern=${3:-.}
mkdir -p "$out/.flags"
out=$(cd "$out" && pwd)
[ -z "$libraries" ] || libraries=$(cd "$libraries" && pwd)
cd "$(dirname "$0")"
NVCC=${NVCC:-nvcc}
command -v "$NVCC" >/dev/null || { echo "$NVCC is not installed: no program is compiled" >&2; exit 1; }

compile() { # NAME VARIANT FLAGS
    target=$out/$1@$2 note=$out/.flags/$1@$2
    # shellcheck disable=SC2086
    if [ -d "$1" ]; then
        sources=$(find "$1" -name '*.c*' ! -name '*.cuh' ! -name 'lib_*' ! -name 'so_*' | LC_ALL=C sort)
        parts=$(find "$1" -name 'lib_*.cu' | LC_ALL=C sort)
        shared=$(find "$1" -name 'so_*.cu')
    else
        sources=$1.cu parts='' shared=''
    fi
    flags="-std=c++17 -Xlinker -s $3"
    case $flags in
    *-cudart*) flags="$flags -L$libraries" runtime=$libraries/libcudart_static.a ;;
    *) flags="$flags -cudart shared" runtime='' ;;
    esac
    # shellcheck disable=SC2086
    newest=$(find common.cuh "$1" "$1.cu" $runtime -newer "$target" 2>/dev/null | head -n 1)
    if [ -e "$target" ] && [ -z "$newest" ] && [ "$(cat "$note" 2>/dev/null)" = "$flags" ]; then
        return 0
    fi
    scratch=$(mktemp -d)
    # shellcheck disable=SC2086
    (
        if [ -n "$parts" ]; then
            "$NVCC" $flags -lib $parts -o "$scratch/libparts.a"
            parts="-L$scratch -lparts"
        fi
        [ -z "$shared" ] || "$NVCC" $flags -Xcompiler -fPIC -shared $shared -o "$target.so"
        "$NVCC" $flags $sources $parts -o "$target"
    ) >"$scratch/log" 2>&1 || {
        echo "FAILED $1@$2"
        sed 's/^/  /' "$scratch/log"
        rm -rf "$scratch" "$target"
        return 1
    }
    rm -rf "$scratch"
    echo "$flags" >"$note"
}

# One program, for xargs below.
# shellcheck disable=SC2153
if [ "${PROGRAM:-}" ]; then
    compile "$PROGRAM" "$VARIANT" "$FLAGS"
    exit
fi

[ "$libraries" ] && [ -e "$libraries/libcudart_static.a" ] || libraries=''
here=$PWD
# shellcheck disable=SC2016
grep -v '^#' programs.txt | while IFS='|' read -r head flags; do
    # shellcheck disable=SC2086
    set -- $head
    [ $# -ge 2 ] || continue
    case $flags in
    *-cudart*) [ "$libraries" ] || continue ;;
    esac
    ! echo "$1@$2" | grep -Eq -- "$pattern" || printf '%s|%s|%s\n' "$1" "$2" "$flags"
done | LC_ALL=C sort -u -t '|' -k 1,2 |
    xargs -d '\n' -P "${JOBS:-2}" -I ROW sh -c '
        IFS="|" read -r PROGRAM VARIANT FLAGS <<end
$1
end
        export PROGRAM VARIANT FLAGS
        exec "$0/build.sh" "$2" $3' "$here" ROW "$out" "$libraries"
