#!/bin/sh
# Holds heddle's lowering against what ptxas made of the probe kernels.
#
# usage: tests/validate/ptxas/check.sh HEDDLE     (from the root of the sources)
#
# Lowers the probes with heddle flow --lower ptxas, counts what record.sh counts, and prints one line per probe and size
# that differs from tests/validate/ptxas/ptxas13.csv. Barriers are compared only where the branches agree. Fails unless
# these lines are those of tests/validate/ptxas/differences.txt, each of which docs/lowering.md explains.
set -eu
if [ $# -ne 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
here=tests/validate/ptxas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$here/probes.sh >"$work/probes.ptx"
"$1" flow "$work/probes.ptx" --lower ptxas >"$work/flow"
"$1" flow "$work/probes.ptx" --lower ptxas --barriers >"$work/barriers"
awk -F, '
    FILENAME ~ /\.csv$/ {
        if (FNR > 1)
            theirs[$1 "__" $2] = $3 "," $4 "," $5 "," $6
        next
    }
    {
        split($0, word, " ")
    }
    word[1] == "kernel" { name = word[2]; ours[name] = 1 }
    FILENAME ~ /flow$/ && /^ +[0-9]+  @!?%[a-z0-9]+ bra/ { branches[name]++ }
    FILENAME ~ /flow$/ && /^ +[0-9]+  @!?%[a-z0-9]+ (ret|exit)/ { exits[name]++ }
    word[1] == "barriers" { name = word[3]; sub(/:/, "", name); joins[name] = word[4] + 0 }
    FILENAME ~ /barriers$/ && / cancel / { breaks[name]++ }
    END {
        for (name in ours) {
            if (!(name in theirs)) {
                print name ": not recorded"
                continue
            }
            split(theirs[name], of, ",")
            if (branches[name] + 0 != of[1] || exits[name] + 0 != of[2])
                printf "%s: %d branches and %d exits, ptxas %d and %d\n", name, branches[name], exits[name], of[1], of[2]
            else if (joins[name] + 0 != of[3] || breaks[name] + 0 != of[4])
                printf "%s: %d barriers and %d cancels, ptxas %d and %d\n", name, joins[name], breaks[name], of[3], of[4]
        }
        for (name in theirs)
            if (!(name in ours))
                print name ": not lowered"
    }' $here/ptxas13.csv "$work/flow" "$work/barriers" | LC_ALL=C sort >"$work/differences"
[ -s "$work/flow" ] && diff -u $here/differences.txt "$work/differences" || {
    echo "heddle's lowering and ptxas differ otherwise than $here/differences.txt says" >&2
    exit 1
}
awk -v same="$(wc -l <"$work/differences")" 'END { printf "%d of %d probes as ptxas has them\n", NR - 1 - same, NR - 1 }' \
    $here/ptxas13.csv
