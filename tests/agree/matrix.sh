#!/bin/sh
# The same answer on every machine, under every mechanism and scheduler: matrix.sh TIMED COUNT [MECHANISM ...]
# Machines and mechanisms are those of the heddle that was built with TIMED, and the mechanisms of tests/probes. If
# $MACHINES names some machines, only their cells run, with the programs that they have in the whole run.
# With any knobs each program runs twice, the second time on two host threads, which must count the same.
# Each cell runs other programs, so that few per cell are still many together; from 2000 on (`make test-all`) all cells
# run the same programs.
set -eu
timed=$1 count=$2
shift 2
names() { "$(dirname "$timed")/../heddle" list "$1" --json | sed 's/{"name":"\([^"]*\)".*/\1/'; }
machines=$(names machines) mechanisms=$(names mechanisms)
[ -n "$machines" ] && [ -n "$mechanisms" ] || { echo "heddle does not list machines and mechanisms"; exit 1; }
# shellcheck disable=SC2086 -- names
[ $# -gt 0 ] || set -- $mechanisms probe-regroup probe-gangs probe-barriers
first=1
step=$count
[ "$count" -lt 2000 ] || step=0
run() { case " ${MACHINES:-$gpu} " in *" $gpu "*) "$timed" "$@" ;; esac; }
for gpu in $machines; do
    for mechanism in "$@"; do
        for scheduler in lrr gto; do
            run "$gpu" "$mechanism" random "$first" "$count" sm.scheduler="$scheduler"
            first=$((first + step))
        done
        run --any-knobs --twice "$gpu" "$mechanism" random "$first" "$count"
        [ "$mechanism" = vws ] || continue
        for variant in "reform=yes" "split=impatient" "split=group vws.reform=yes" "reform=yes vws.sync_cycles=20" \
            "table_ways=1 vws.reform=yes" "width=8 sm.scheduler=bgto" "mode=slice" "mode=gang"; do
            # shellcheck disable=SC2086 -- the words of a variant
            run "$gpu" vws random "$first" "$count" vws.$variant
            first=$((first + step))
        done
    done
done
