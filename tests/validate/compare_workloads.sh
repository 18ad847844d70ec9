#!/bin/sh
# Puts heddle's SIMT efficiency of the workloads beside what Nsight Compute recorded, as Markdown.
#
# usage: tests/validate/compare_workloads.sh HEDDLE [SIZE [PTX]]     (from the root of the sources, after make)
#
# SIZE is small and PTX nvcc unless given. RECORDED may name another file than tests/validate/h200_workloads.csv, and OPTIONS another
# machine or mechanism than --gpu volta --mech pdom.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 2
fi
heddle=$1 size=${2:-small} wanted=${3:-nvcc}
recorded=${RECORDED:-tests/validate/h200_workloads.csv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "| workload | silicon | silicon, predicated on | heddle, volta | difference |"
echo "|---|---:|---:|---:|---:|"
while IFS=, read -r name ptx of warps threads on; do
    [ "$of" = "$size" ] && [ "$ptx" = "$wanted" ] || continue
    # shellcheck disable=SC2086 # OPTIONS holds several words
    "$heddle" run "$name" --size "$size" --ptx "$ptx" ${OPTIONS:---gpu volta --mech pdom} --json "$work/$name" --quiet >"$work/printed"
    awk -v name="$name" -v warps="$warps" -v threads="$threads" -v on="$on" '
        function member(name,    at, rest) {
            at = index($0, "\"" name "\":")
            rest = substr($0, at + length(name) + 3)
            sub(/[,}].*/, "", rest)
            return rest
        }
        { w += member("warp_instructions"); t += member("thread_instructions") }
        END {
            ours = 100 * t / (32 * w)
            theirs = 100 * threads / (32 * warps)
            printf "| %s | %.1f %% | %.1f %% | %.1f %% | %+.1f |\n", name, theirs, 100 * on / (32 * warps), ours, ours - theirs
        }' "$work/$name"
done <"$recorded"
