#!/bin/sh
# Holds what is simulated: the figures of every mechanism on every machine, for nine workloads and every kernel of examples/.
# Usage: run.sh HEDDLE [--record | --only PATTERN]   # PATTERN: an extended regular expression of "MACHINE MECHANISM PROGRAM"
#
# figures.txt has one line per run: machine, mechanism, program, cycles of its first launch, and a digest of all numbers in its
# JSON lines (every counter of every launch, in order; names and host time are left out, so that renaming a counter changes
# nothing here, and so are the knobs of which only events of a program know). A change that is meant to leave the simulated machine alone must leave this file alone. One that is not records
# it anew with --record, and says in its commit what moved and why.
set -eu
heddle=${1:?usage: run.sh HEDDLE [--record | --only PATTERN]}
folder=$(dirname "$0")
case "${2:-}" in
--one)
    machine=$3 mechanism=$4 program=$5
    json=$(mktemp)
    trap 'rm -f "$json"' EXIT
    if [ -f "$folder/../../examples/$program.ptx" ]; then
        . "$folder/../../scripts/examples.sh"
        folder=$(dirname "$0")/../../examples
        launch "$program" --gpu "$machine" --mech "$mechanism" --json "$json" >/dev/null 2>&1 || echo "exit status $?" >>"$json"
    else
        "$heddle" run "$program" --size test --gpu "$machine" --mech "$mechanism" --json "$json" --stats lines \
            --quiet >/dev/null 2>&1 ||
            echo "exit status $?" >>"$json"
    fi
    cycles=$(sed -n '1s/.*"cycles":\([0-9]*\),"drain.*/\1/p' "$json")
    digest=$(sed -e 's/"host_seconds":[^,}]*//g' -e 's/"options":{[^}]*}//' \
        -e 's/,"launch_ns":[^,}]*,"copy_gbps":[^,}]*//' -e 's/"[^"]*"//g' "$json" | sha256sum | cut -c1-16)
    echo "$machine $mechanism $program ${cycles:-none} $digest"
    exit
    ;;
esac

runs() {
    for machine in $("$heddle" list machines --names); do
        for mechanism in $("$heddle" list mechanisms --names); do
            for program in aes bfs2 hotsp lps mum mumpp nvrt nvrt-sync ray cases chase hammock rounds search trips; do
                echo "$machine $mechanism $program"
            done
        done
    done
}
found=$(mktemp)
expected=$(mktemp)
trap 'rm -f "$found" "$expected"' EXIT
measure() { xargs -P "${JOBS:-$(nproc)}" -L 1 "$0" "$heddle" --one | LC_ALL=C sort >"$found"; }

if [ "${2:-}" = --record ]; then
    runs | measure
    cp "$found" "$folder/figures.txt"
    echo "figures: $(wc -l <"$found") runs recorded"
    exit
fi
pattern=.
[ "${2:-}" != --only ] || pattern=${3:?--only needs a pattern}
grep -E "$pattern" "$folder/figures.txt" >"$expected" || { echo "figures: no run matches '$pattern'"; exit 2; }
cut -d' ' -f1-3 "$expected" | measure
if cmp -s "$found" "$expected"; then
    echo "figures: $(wc -l <"$found") runs, all as recorded"
else
    echo "figures: these runs give other numbers than recorded (< recorded, > now):"
    diff "$expected" "$found" || exit 1
fi
