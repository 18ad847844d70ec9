#!/bin/sh
# The tables of docs/mechanisms.md: mechanisms.sh HEDDLE [MACHINE...]
#
# Every kernel of examples/ under every mechanism, one table a machine. The first column has pdom's cycles, the others how
# many times as fast they are, and all of them SIMD efficiency. A mechanism must leave the bytes that the kernel leaves
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
capri
tstbc
tstbc-auto
dws
dpe
multipath
mimd'

row() {
    expect "$1"
    echo "$mechanisms" | while read -r mechanism scheduler; do
        measure "$1" "$2" "$mechanism" ${scheduler:+--set sm.scheduler=$scheduler} || exit 1
    done
}

for machine in "$@"; do
    echo "$mechanisms" | awk -v machine="$machine" '
        { head = head " | " $1; rule = rule "|---" }
        END { print "| " machine head " |"; print rule "|---|" }'
    for kernel in $kernel_names; do
        cells=$(row "$kernel" "$machine") || exit 1
        echo "$cells" | awk -v kernel="$kernel" '
            NR == 1 { base = $1; line = sprintf("%d, %.0f %%", $1, 100 * $2) }
            NR > 1 { line = line sprintf(" | %.2f, %.0f %%", base / $1, 100 * $2) }
            END { print "| " kernel " | " line " |" }'
    done
    echo
done
