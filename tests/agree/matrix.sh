#!/bin/sh
# Same answer everywhere, over machines, mechanisms and schedulers: matrix.sh TIMED COUNT [MECHANISM ...]
# The programs of each cell are others, so that few of them per cell still see many; `make test-all` gives all the same.
set -eu
timed=$1 count=$2
shift 2
[ $# -gt 0 ] || set -- pdom pdom-lcp bcc scc tbc tbc-lcp dwf dwf-wb capri tstbc tstbc-auto mimd \
    probe-regroup probe-gangs probe-barriers
first=1
step=$count
[ "$count" -lt 2000 ] || step=0
for gpu in tiny fx5800 fermi vws volta; do
    for mechanism in "$@"; do
        for scheduler in lrr gto; do
            "$timed" "$gpu" "$mechanism" random "$first" "$count" sm.scheduler="$scheduler"
            first=$((first + step))
        done
        "$timed" --any-knobs "$gpu" "$mechanism" random "$first" "$count"
    done
done
