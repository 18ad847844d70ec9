#!/bin/sh
# Holds the SIMT efficiency of lowered programs to that of silicon.
#
# usage: tests/validate/lowered.sh BUILD     (from the root of the sources, after make)
#
# The launches below are those of docs/validation.md whose difference is put down to what ptxas does to branches:
# predication, convergence instructions, and reconvergence points that are no post-dominators. With --lower ptxas none may
# be over 5 points from what Nsight Compute recorded. Fails if one is, or if one was not run.
set -eu
if [ $# -ne 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
tests/validate/compare.sh "$1" | awk -F' *[|] *' -v wanted="generic_pointer/atomic scan/exclusive bitonic/many_ties \
last_block/sum transpose/ragged generic_pointer/kinds floyd/subsequence compact/thirds inline_asm/jump_table calls/scalars \
bfs/step loops/nested" '
    BEGIN { count = split(wanted, name, " ") }
    { apart[$2] = $10 }
    END {
        for (i = 1; i <= count; i++)
            if (!(name[i] in apart)) {
                print name[i] ": not run"
                failed = 1
            } else if (apart[name[i]] > 5 || apart[name[i]] < -5) {
                print name[i] ": " apart[name[i]] " points from silicon with --lower ptxas"
                failed = 1
            }
        if (!failed)
            print count " launches within 5 points"
        exit failed
    }'
