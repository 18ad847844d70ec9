#!/bin/sh
# Runs the micro-benchmarks on heddle's machine, and puts its figures beside those of the GPU, as Markdown. Needs nvcc.
#
# usage: tests/validate/compare_micro.sh BUILD     (from the root of the sources, after make)
#
# BUILD is the folder that holds lib/libcuda.so.1. RECORDED may name another file than tests/validate/h200_micro.csv,
# and OPTIONS another machine than --gpu h200 --mech volta. Figures of the whole GPU, and those that depend on how long a
# benchmark runs, are left out: here the benchmarks are short, so that they end in a minute or two.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
lib=$(cd "$1/lib" && pwd)
recorded=${RECORDED:-tests/validate/h200_micro.csv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/validate/micro/build.sh "$work" include "$lib"
LD_LIBRARY_PATH="$lib" HEDDLE_OPTS="${OPTIONS:---gpu h200 --mech volta} --quiet" "$work/micro" "$work/micro.ptx" quick \
    >"$work/ours"
awk -F, '
    NR == FNR { ours[$1] = $2; next }
    FNR == 1 { print "| benchmark | H200 | heddle | unit |\n|---|---:|---:|---|" }
    /^#/ || !($1 in ours) { next }
    $1 ~ /^(clock|launch|bandwidth|block_rate|atomics|stores|l1_kilobytes_16)/ { next }
    { printf "| %s | %.1f | %.1f | %s |\n", $1, $2, ours[$1], $3 }' "$work/ours" "$recorded"
