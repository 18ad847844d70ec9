#!/bin/sh
# What detection makes of kernels in which there is something to gain (patterns.ptx) and of those in which there is not
# (alone.ptx): score.sh HEDDLE [OPTIONS OF RECON]. Speeds are those with the predictions, over barriers at post-dominators.
set -eu
heddle=$(realpath "$1")
shift
cd "$(dirname "$0")"
for file in patterns alone; do
    echo "$file"
    for kernel in $(sed -n 's/^\.visible \.entry \([a-z_0-9]*\).*/\1/p' $file.ptx); do
        said=$("$heddle" recon $file.ptx --kernel "$kernel" --auto "$@" --gpu volta --grid 4 --block 128 \
            --arg 'buf:u32[4096]=random(1)' --arg 'buf:f32[4096]' --arg 16)
        echo "$said" |
            awk -v kernel="$kernel" '/^    taken as/ { taken = pattern } /^  (iteration|loop|common)/ { pattern = $1 " " $2; sub(",", "", pattern) }
                $1 == "predicted" { speed = $(NF - 1) }
                END { printf "  %-12s %-16s %s\n", kernel, taken ? taken : "left alone", speed }'
    done
done
