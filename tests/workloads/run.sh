#!/bin/sh
# Every workload verifies its result, with the code of both compilers: on the functional engine, and under a mechanism on
# a machine, another one for each workload. With FIGURES=all, under every mechanism on fermi and under pdom on fx5800, and
# without a race or a reliance on lock-step.
# Workloads with hints do so with them under volta; some generated kernels do, or all.
#
# nvrt relies on lock-step, so that it is run under pdom alone; nvrt-sync is the same program without that reliance.
#
# usage: tests/workloads/run.sh HEDDLE [SIZE [WORKLOAD ...]]     (apps: the generated kernels)
heddle=$1 size=${2:-test}
[ -x "$heddle" ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -gt 2 ] && shift 2 && workloads=$* || workloads="$("$heddle" list workloads --names) apps"
apps=$(seq 0 149)
[ "${FIGURES:-some}" = all ] || apps=$(seq 3 15 149)
mechanisms=$("$heddle" list mechanisms --names) machines=$("$heddle" list machines --names)
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

# The next of the words in $mechanisms and in $machines, from the first again behind the last.
left_mechanisms= left_machines=
next_mechanism() { set -- ${left_mechanisms:-$mechanisms}; mechanism=$1; shift; left_mechanisms=$*; }
next_machine() { set -- ${left_machines:-$machines}; machine=$1; shift; left_machines=$*; }

verify_generated()
{
    for number in $apps; do
        next_mechanism
        verify "app-$number" --gpu vws --mech "$mechanism"
        verify "app-$number" --check races
    done
}

verify_workload() # WORKLOAD PTX
{
    verify "$1" --ptx "$2"
    if [ "${FIGURES:-some}" = all ]; then
        verify "$1" --ptx "$2" --gpu fx5800 --mech pdom
        verify "$1" --ptx "$2" --check races
        verify "$1" --ptx "$2" --check lockstep
        for mechanism in $mechanisms; do verify "$1" --ptx "$2" --gpu fermi --mech "$mechanism"; done
    else
        next_mechanism
        next_machine
        verify "$1" --ptx "$2" --gpu "$machine" --mech "$mechanism"
    fi
    [ ! -e "workloads/$1/nvcc-hints.ptx" ] || verify "$1" --ptx "$2" --hints --gpu volta --mech volta
}

for workload in $workloads; do
    case $workload in
    apps) verify_generated ;;
    nvrt)
        for machine in fx5800 fermi; do
            for ptx in nvcc plain; do verify nvrt --ptx $ptx --gpu $machine --mech pdom; done
        done
        ;;
    *) for ptx in nvcc plain; do verify_workload "$workload" $ptx; done ;;
    esac
done
echo "workloads, size $size: $passed right, $failed wrong"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
