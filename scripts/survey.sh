#!/bin/sh
# Runs the 150 generated kernels with warps of 32, warps of 4, and I-VWS on the machine vws, and prints how their speeds
# compare, sorted: the shape of Figures 1a and 8 of the VWS paper.
#
# usage: scripts/survey.sh HEDDLE [SIZE] >FILE.csv     (SIZE is small unless given; JOBS runs at a time)
set -eu
heddle=${1:?usage: survey.sh HEDDLE [SIZE]} size=${2:-small}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/one.sh" <<'SCRIPT'
# one.sh HEDDLE FOLDER SIZE NUMBER
cycles() # OPTIONS...
{
    "$heddle" run "app-$number" --size "$size" --gpu vws "$@" --json - --quiet 2>/dev/null |
        sed -n 's/.*"cycles":\([0-9]*\),"drain.*/\1/p'
}
heddle=$1 size=$3 number=$4
said=$("$heddle" run "app-$number" --size "$size" --quiet 2>&1) || { echo "$said" >&2; exit 1; }
echo "$number,$(cycles --mech ws --set ws.width=32),$(cycles --mech ws --set ws.width=4),$(
    cycles --mech vws --set sm.scheduler=bgto),$(echo "${said#*right: }" | tr -s '\n ' '  ' | sed 's/, */; /g; s/ $//')" >"$2/$number"
SCRIPT

seq 0 149 | xargs -P "${JOBS:-$(nproc)}" -L 1 sh "$work/one.sh" "$heddle" "$work" "$size"
echo "kernel,cycles WS32,cycles WS4,cycles I-VWS,WS4 over WS32,I-VWS over WS32,properties"
for number in $(seq 0 149); do cat "$work/$number"; done |
    awk -F , '{ printf "app-%s,%s,%s,%s,%.3f,%.3f,%s\n", $1, $2, $3, $4, $2 / $3, $2 / $4, $5 }' | sort -t , -k 5,5n
