#!/bin/sh
# Same answer everywhere, over machines, mechanisms and schedulers: matrix.sh TIMED COUNT [MECHANISM ...]
# $MACHINES restricts the run to some machines; their programs stay those of the whole run.
# The programs of each cell are others, so that few of them per cell still see many; `make test-all` gives all the same.
set -eu
timed=$1 count=$2
shift 2
[ $# -gt 0 ] || set -- pdom pdom-lcp bcc scc tbc tbc-lcp tbc-dpe lwm dwf dwf-wb capri tstbc tstbc-auto dws dpe \
    multipath frontiers ws vws volta mimd probe-regroup probe-gangs probe-barriers
first=1
step=$count
[ "$count" -lt 2000 ] || step=0
machines=${MACHINES:-tiny fx5800 fermi vws volta}
run() { case " $machines " in *" $gpu "*) "$timed" "$@" ;; esac; }
for gpu in tiny fx5800 fermi vws volta; do
    for mechanism in "$@"; do
        for scheduler in lrr gto; do
            run "$gpu" "$mechanism" random "$first" "$count" sm.scheduler="$scheduler"
            first=$((first + step))
        done
        run --any-knobs "$gpu" "$mechanism" random "$first" "$count"
        [ "$mechanism" = vws ] || continue
        for variant in "reform=yes" "split=impatient" "split=group vws.reform=yes" "reform=yes vws.sync_cycles=20" \
            "table_ways=1 vws.reform=yes" "width=8 sm.scheduler=bgto" "mode=slice" "mode=gang"; do
            # shellcheck disable=SC2086 -- the words of a variant
            run "$gpu" vws random "$first" "$count" vws.$variant
            first=$((first + step))
        done
    done
done
