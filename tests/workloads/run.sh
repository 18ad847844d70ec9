#!/bin/sh
# Every workload verifies its result: without a machine, and on machines under mechanisms. nvrt-sync, which does not
# rely on lock-step, does so under every mechanism, on one machine after the other; with FIGURES=all, on every machine.
#
# usage: tests/workloads/run.sh HEDDLE [SIZE [MECHANISM ...]]
heddle=$1 size=${2:-test}
[ -x "$heddle" ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -gt 2 ] && shift 2 && mechanisms=$* || mechanisms="pdom tbc dwf-wb"
passed=0 failed=0

verify() # WORKLOAD OPTIONS...
{
    if said=$("$heddle" run "$@" --size "$size" --quiet 2>&1) && echo "$said" | grep -q "^$1 $size: right"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED heddle run $* --size $size: $said"
    fi
}

for workload in $("$heddle" list workloads --names); do
    verify "$workload"
    for gpu in fx5800 fermi; do
        for mechanism in $mechanisms; do
            verify "$workload" --gpu $gpu --mech "$mechanism"
        done
    done
done
machines=$("$heddle" list machines --names)
set -- $machines
for mechanism in $("$heddle" list mechanisms --names); do
    first=$1
    shift
    [ $# -gt 0 ] || set -- $machines
    [ "${FIGURES:-some}" = all ] && gpus=$machines || gpus=$first
    for gpu in $gpus; do
        verify nvrt-sync --gpu "$gpu" --mech "$mechanism"
    done
done
echo "workloads, size $size: $passed right, $failed wrong"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
