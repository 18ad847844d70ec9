#!/bin/sh
# Prints the tables of docs/mechanisms.md: mechanisms.sh HEDDLE [MACHINE...]
#
# Runs every kernel of examples/ under every mechanism, with the scheduler of the mechanism's paper, and prints one table
# per machine, with one row per mechanism. The first row has pdom's cycles, the other rows say how many times as fast as
# pdom the mechanism is; all have SIMD efficiency. The script fails if a run leaves other bytes in memory than the kernel
# leaves without a machine.
set -eu
heddle=${1:?usage: mechanisms.sh HEDDLE [MACHINE...]}
shift
[ $# -gt 0 ] || set -- fermi fx5800
. "$(dirname "$0")/examples.sh"

mechanisms=$("$heddle" list mechanisms --names)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# column KERNEL MACHINE: prints one line "CYCLES EFFICIENCY" per mechanism.
column() {
    expect "$1"
    echo "$mechanisms" | while read -r mechanism; do
        measure "$1" "$2" "$mechanism" --paper-schedulers || exit 1
    done
}

for machine in "$@"; do
    echo "$mechanisms" | sed 's/^/| /' >"$work/rows"
    head="| $machine" rule="|---"
    for kernel in $kernel_names; do
        head="$head | $kernel" rule="$rule|---"
        column "$kernel" "$machine" >"$work/cells" || exit 1
        awk 'NR == 1 { base = $1; printf "%d, %.0f %%\n", $1, 100 * $2; next }
            { printf "%.2f, %.0f %%\n", base / $1, 100 * $2 }' "$work/cells" | paste -d '|' "$work/rows" - |
            sed 's/\([^ ]\)|\([^|]*\)$/\1 | \2/' >"$work/longer"
        mv "$work/longer" "$work/rows"
    done
    echo "$head |"
    echo "$rule|"
    sed 's/$/ |/' "$work/rows"
    echo
done
