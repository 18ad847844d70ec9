#!/bin/sh
# The tables of docs/mechanisms.md: mechanisms.sh HEDDLE [MACHINE...]
#
# Every kernel of examples/ under every mechanism, one table a machine: a row a mechanism. The first row has pdom's cycles,
# the others how many times as fast they are, and all of them SIMD efficiency. A mechanism must leave the bytes that the kernel leaves
# without a machine; one that does not ends the script.
set -eu
heddle=${1:?usage: mechanisms.sh HEDDLE [MACHINE...]}
shift
[ $# -gt 0 ] || set -- fermi fx5800
. "$(dirname "$0")/examples.sh"

# mechanism and, where its paper names one that the machine does not have by itself, its scheduler
mechanisms='pdom
pdom-lcp
bcc
scc
dwf majority
dwf-wb majority
tbc age
tbc-lcp age
tbc-dpe age
lwm
capri
tstbc
tstbc-auto
dws
dpe
multipath
frontiers
ws
vws bgto
volta
mimd'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A line a mechanism, of one kernel.
column() {
    expect "$1"
    echo "$mechanisms" | while read -r mechanism scheduler; do
        measure "$1" "$2" "$mechanism" ${scheduler:+--set sm.scheduler=$scheduler} || exit 1
    done
}

for machine in "$@"; do
    echo "$mechanisms" | sed 's/ .*//; s/^/| /' >"$work/rows"
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
