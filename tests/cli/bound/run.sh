#!/bin/bash
# No mechanism is faster than the bound: run.sh HEDDLE [--all [MACHINE ...]]
#
# Runs programs under `bound` and under mechanisms, and compares their cycles. Without --all: two quick workloads on every
# machine, under mechanisms that come near the bound, with the machine's scheduler and with those of the papers. With --all:
# every workload at size test and every kernel of examples/ on every machine, under each mechanism with the machine's scheduler
# and with that of its paper; prints, for each program, the bound, the fastest mechanism and how near it comes, and the median of
# that; on these machines, or on all. nvrt is left out: it relies on warps in lockstep, so that its result is wrong where every thread runs by itself.
set -u
heddle=$(realpath "${1:?usage: run.sh HEDDLE [--all [MACHINE ...]]}")
. "$(dirname "$0")/../../../scripts/examples.sh"
folder=$(realpath "$(dirname "$0")/../../../examples")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 checked=0

# cycles PROGRAM MACHINE MECHANISM OPTIONS...: cycles of each launch, one per line; nothing if the result is wrong
cycles() {
    program=$1 machine=$2 mechanism=$3
    shift 3
    rm -f "$scratch/json"
    if [ -f "$folder/$program.ptx" ]; then
        launch "$program" --gpu "$machine" --mech "$mechanism" --json "$scratch/json" "$@" >/dev/null 2>&1 || return
    else
        "$heddle" run "$program" --size test --gpu "$machine" --mech "$mechanism" --json "$scratch/json" --quiet "$@" \
            >/dev/null 2>&1 || return
    fi
    grep -o '"cycles":[0-9]*,"drain' "$scratch/json" | grep -o '[0-9]*'
}

# hold WHAT CYCLES BOUND
hold() {
    checked=$((checked + 1))
    [ "$2" -ge "$3" ] && return
    echo "$1: $2 cycles, and $3 under the bound"
    failed=$((failed + 1))
}

# own MECHANISM: the scheduler of its paper, if it has one
own() { "$heddle" list mechanisms --json | sed -n "s/^{\"name\":\"$1\".*\"scheduler\":\"\([a-z-]*\)\".*/\1/p"; }

total() { awk '{ s += $1 } END { print s + 0 }'; }
machines=$("$heddle" list machines --names)
mechanisms=$("$heddle" list mechanisms --names | grep -vx bound)

if [ "${2:-}" != --all ]; then
    for machine in $machines; do
        for program in bfs2 lps; do
            least=$(cycles "$program" "$machine" bound | total)
            [ "$least" -gt 0 ] || { echo "$program on $machine: no bound"; failed=$((failed + 1)); continue; }
            for run in pdom scc dws vws: vws:bgto tbc:age dwf:majority; do
                scheduler=${run#*:}
                [ "$scheduler" != "$run" ] || scheduler=
                hold "$program on $machine under $run" "$(cycles "$program" "$machine" "${run%:*}" \
                    ${scheduler:+--set sm.scheduler="$scheduler"} | total)" "$least"
            done
        done
    done
else
    [ $# -le 2 ] || machines=$(shift 2 && echo "$@")
    programs="$("$heddle" list workloads --names | grep -vx nvrt) $kernel_names"
    for machine in $machines; do
        for program in $programs; do
            least=$(cycles "$program" "$machine" bound | total)
            [ "$least" -gt 0 ] || { echo "$program on $machine: no bound"; failed=$((failed + 1)); continue; }
            best=
            for mechanism in $mechanisms; do
                for scheduler in "" $(own "$mechanism"); do
                    found=$(cycles "$program" "$machine" "$mechanism" ${scheduler:+--set sm.scheduler="$scheduler"} | total)
                    [ "$found" -gt 0 ] || continue # wrong under this mechanism
                    hold "$program on $machine under $mechanism $scheduler" "$found" "$least"
                    if [ "$mechanism" != mimd ] && { [ -z "$best" ] || [ "$found" -lt "$best" ]; }; then
                        best=$found by=$mechanism
                    fi
                done
            done
            echo "$machine $program $least $best $by" |
                awk '{ printf "%-7s %-8s bound %8d  best %8d %-10s %.3f\n", $1, $2, $3, $4, $5, $3 / $4 }' | tee -a "$scratch/table"
        done
    done
    awk '{ print $NF }' "$scratch/table" | sort -n | awk '{ v[NR] = $1 } END { printf "median %.3f of %d\n", v[int((NR + 1) / 2)], NR }'
fi
[ "$checked" -gt 0 ] || { echo "bound: nothing was checked"; exit 1; }
echo "bound: $checked runs, $failed faster than the bound"
[ "$failed" -eq 0 ]
