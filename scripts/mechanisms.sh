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
folder=$(dirname "$0")/../examples

# kernel and arguments
kernels='hammock buf:u32[15360] 8
trips buf:u32[15360]
search buf:u32[15360] 16
cases buf:u32[15360] 16
rounds buf:u32[15360] 12
chase buf:u32[15360] buf:u32[262144]=random(1) 262143 4'

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
mimd'

fail() { echo "mechanisms.sh: $*" >&2; exit 1; }

# launch KERNEL OPTIONS...: a line of JSON unless it runs without a machine, then a hash a buffer
launch() {
    kernel=$1
    shift
    set -f # brackets in arguments are no patterns
    words=$(echo "$kernels" | awk -v k="$kernel" '$1 == k { for (i = 2; i <= NF; i++) print "--arg", $i }')
    "$heddle" run "$folder/$kernel.ptx" --grid 60 --block 256 $words --hash --quiet "$@"
    set +f
}

# cell KERNEL MACHINE MECHANISM [SCHEDULER]: "CYCLES EFFICIENCY", checked against $expected
cell() {
    where="$1 on $2 under $3"
    scheduler=${4:+--set sm.scheduler=$4}
    answer=$(launch "$1" --gpu "$2" --mech "$3" $scheduler --json -) || fail "$where: the launch failed"
    [ "$(echo "$answer" | grep '^argument')" = "$expected" ] || fail "$where: wrong results"
    echo "$answer" | awk -F'[:,]' '/^{/ {
        for (i = 1; i < NF; i++) {
            if ($i == "\"cycles\"" && !cycles) cycles = $(i + 1)
            if ($i == "\"simd_efficiency\"") efficiency = $(i + 1)
        }
        print cycles, efficiency }'
}

row() {
    expected=$(launch "$1") || fail "$1: the launch failed"
    echo "$mechanisms" | while read -r mechanism scheduler; do
        cell "$1" "$2" "$mechanism" $scheduler || exit 1
    done
}

for machine in "$@"; do
    echo "$mechanisms" | awk -v machine="$machine" '
        { head = head " | " $1; rule = rule "|---" }
        END { print "| " machine head " |"; print rule "|---|" }'
    for kernel in $(echo "$kernels" | awk '{ print $1 }'); do
        cells=$(row "$kernel" "$machine") || exit 1
        echo "$cells" | awk -v kernel="$kernel" '
            NR == 1 { base = $1; line = sprintf("%d, %.0f %%", $1, 100 * $2) }
            NR > 1 { line = line sprintf(" | %.2f, %.0f %%", base / $1, 100 * $2) }
            END { print "| " kernel " | " line " |" }'
    done
    echo
done
