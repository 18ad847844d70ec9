#!/bin/sh
# The kept programs under every mechanism: run.sh TIMED [MECHANISM ...]
#
# Every mechanism runs on fermi, volta and tiny and on one of the other machines in turn; with FIGURES=all on every machine.
set -eu
timed=$1
shift
seconds=120 # for one run; early_end_c ran forever
cd "$(dirname "$0")/../.."
heddle=$(dirname "$timed")/../heddle
machines=$("$heddle" list machines --names)
mechanisms=$("$heddle" list mechanisms --names)
# shellcheck disable=SC2086 -- names
[ $# -gt 0 ] || set -- $mechanisms probe-regroup probe-gangs probe-barriers
failed=0 turn=0
others=$(echo "$machines" | grep -vxE 'fermi|volta|tiny')
for mechanism in "$@"; do
    turn=$((turn % $(echo "$others" | wc -l) + 1))
    [ "${FIGURES:-some}" = all ] || machines="fermi volta tiny $(echo "$others" | sed -n "${turn}p")"
    for gpu in $machines; do
        timeout $seconds "$timed" "$gpu" "$mechanism" corpus tests/kept || failed=1
    done
done
# warp_ends and warp_ends_lcp: a warp that ends by its own issue, while another of its number stands in another
# port's line.
timeout $seconds "$timed" fermi tbc corpus tests/kept mem.dram_latency=172 sm.imul_unit=fp64 mem.atomic_interval=4 gpu.sm_count=32 \
    sm.int_interval=2 gpu.kernel_latency=114 tbc.order=not-taken-first tbc.compaction=yes tbc.static_toplevel=yes \
    tbc.drain=no || failed=1
timeout $seconds "$timed" volta tbc-lcp corpus tests/kept sm.tex_interval=4 sm.barrier_unit=lsu mem.l2_merges=16 gpu.kernel_latency=4 \
    gpu.sm_count=128 sm.memory_stage=inline mem.tRRD=16 sm.cvt_interval=11 sm.idiv_interval=2 mem.write_queue=61 \
    mem.l2_write_miss=validate tbc-lcp.order=not-taken-first tbc-lcp.compaction=no tbc-lcp.static_toplevel=yes \
    tbc-lcp.drain=no || failed=1
exit $failed
