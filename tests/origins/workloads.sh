#!/bin/sh
# What flow/origins.h and device/apart.h say of the workloads holds while these run on the functional engine, with the code
# of both compilers, and with hints; and the launches that are apart are those of tests/origins/workloads.txt, which has one
# line per kernel of nvcc's code: workload, kernel, what is said of its launches, how many launches.
#
# usage: tests/origins/workloads.sh BUILD [--write]
build=${1:?usage: tests/origins/workloads.sh BUILD [--write]}
expected=tests/origins/workloads.txt
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0 passed=0

# Programs look for the driver in the folder lib beside their own.
mkdir "$folder/lib" "$folder/workloads"
cp "$build/tests/origins-libcuda.so.1" "$folder/lib/libcuda.so.1"
cp "$build"/workloads/* "$folder/workloads"

check() # NAME PROGRAM OPTIONS...
{
    name=$1
    shift
    program=$1
    shift
    : >"$folder/said"
    if HEDDLE_TEST_ORIGINS=$folder/said "$folder/workloads/$program" --size test "$@" >"$folder/log" 2>&1 &&
        [ -s "$folder/said" ] && ! grep WRONG -A 5 "$folder/said"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $program $*: $(tail -1 "$folder/log")"
    fi
    [ -z "$name" ] || awk -F '\t' -v name="$name" '
        { key = $1 "\t" $2 }
        !(key in launches) { order[++count] = key }
        { launches[key]++ }
        END { for (i = 1; i <= count; i++) printf "%s\t%s\t%d\n", name, order[i], launches[order[i]] }' \
        "$folder/said" >>"$folder/table"
}

for path in "$build"/workloads/*; do
    program=$(basename "$path")
    if [ "$program" = apps ]; then
        for number in $(seq 0 149); do check "" apps --number "$number"; done
        continue
    fi
    check "$program" "$program" --ptx nvcc
    check "" "$program" --ptx plain
    [ ! -e "workloads/$program/nvcc-hints.ptx" ] || check "" "$program" --ptx nvcc --hints
done
[ "$2" != --write ] || cp "$folder/table" $expected
diff $expected "$folder/table" || { failed=$((failed + 1)); echo "what is said of the workloads has changed"; }
echo "origins of workloads: $passed passed, $failed failed"
[ $failed = 0 ]
