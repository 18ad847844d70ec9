#!/bin/sh
# Times the programs of second/ for which heddle explain promises a gain, and what was made of them in rewritten/, on the
# GPU of this machine: h200.sh. Prints milliseconds of the kernel before and after. Needs nvcc and a GPU of the size of an
# H200; stops if a program's result is not the CPU's, or changes with the rewrite.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-16s %8s %8s %6s\n' program before after gain
for new in rewritten/*.cu; do
    name=$(basename "$new" .cu)
    old=second/${name%-side}.cu
    nvcc -O2 -arch=sm_90 "$old" -o "$work/old"
    nvcc -O2 -arch=sm_90 "$new" -o "$work/new"
    for program in old new; do
        "$work/$program" >"$work/$program.small"
        "$work/$program" big >"$work/$program.big"
    done
    for size in small big; do
        [ "$(grep checksum "$work/old.$size")" = "$(grep checksum "$work/new.$size")" ] || {
            echo "$name: the rewritten program has another result" >&2
            exit 1
        }
    done
    before=$(awk '$1 == "ms" { print $2 }' "$work/old.big") after=$(awk '$1 == "ms" { print $2 }' "$work/new.big")
    awk -v n="$name" -v a="$before" -v b="$after" 'BEGIN { printf "%-16s %8.3f %8.3f %6.2f\n", n, a, b, a / b }'
done
