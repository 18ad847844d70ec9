#!/bin/sh
# Why two-stage compaction gains nothing on its paper's divergent programs: tstbc-causes.sh HEDDLE [SIZE] [PTX]
#
# Prints two tables for MUM, LPS, MS and HOTSP on fermi. FWT and NW are left out: no block of theirs diverges in more than
# one warp, so that every column would be 1.
#
# The first table has what there is to pack and what waiting costs: the share of branches that diverge, SIMD efficiency,
# warp instructions of TBC and of TSTBC over those of PDOM, and how many times as fast as PDOM are TSTBC and a mechanism
# that waits as TSTBC does but compacts only where fewer than n warps diverge (T above the warps of any block).
#
# The second table takes limits of the machine away, one after the other, and has how many times as fast as PDOM on the same
# machine TSTBC, CAPRI and TBC are: caches that hold everything behind an L2 and a DRAM that answer at once; room for four
# times the registers and more blocks; instructions of one cycle.
set -eu
heddle=${1:?usage: tstbc-causes.sh HEDDLE [SIZE] [PTX]}
size=${2:-small}
ptx=${3:-plain}
programs='mum lps ms hotsp'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

memory='--set mem.l1d_bytes=16M --set mem.l1d_sets=linear --set mem.l1d_ways=128 --set mem.texture_bytes=16M
    --set mem.texture_ways=128 --set mem.l2_latency=1 --set mem.l2_fill_latency=1 --set mem.dram=fixed
    --set mem.dram_latency=0 --set mem.dram_bytes=4096 --set mem.crossbar_bytes=4096'
blocks="$memory --set sm.registers=131072 --set sm.max_threads=4096 --set sm.max_blocks=32"
latencies="$blocks --set sm.class_latency=1 --set sm.shared_latency=1 --set mem.l1d_latency=1
    --set mem.texture_latency=1 --set mem.constant_latency=1"
wait='--mech tstbc --set tstbc.sense=saved --set tstbc.threshold=64 --set tstbc.late_threshold=64'

# measure PROGRAM OPTIONS...: prints the sums over all launches: cycles, warp instructions, thread instructions, lanes
# offered, branches, divergent branches, cycles that warps waited, resident threads times cycles.
measure() {
    program=$1
    shift
    rm -f "$work/json"
    "$heddle" run "$program" --size "$size" --ptx "$ptx" --gpu fermi --json "$work/json" "$@" >"$work/log" 2>&1 ||
        { echo "tstbc-causes.sh: $program $*:" >&2; cat "$work/log" >&2; exit 1; }
    awk '
        # The number behind a name, within the object of this name.
        function number(object, name,    at, rest) {
            at = index($0, "\"" object "\":{")
            if (!at)
                return 0
            rest = substr($0, at)
            rest = substr(rest, 1, index(rest, "}"))
            at = index(rest, "\"" name "\":")
            return at ? substr(rest, at + length(name) + 3) + 0 : 0
        }
        /^[{]"kernel"/ {
            cycles += substr($0, index($0, "\"cycles\":") + 9) + 0
            warps += number("sm", "warp_instructions")
            threads += number("sm", "thread_instructions")
            lanes += number("sm", "issue_slots")
            branches += number("sm", "branches")
            divergent += number("sm", "divergent_branches")
            waited += number("tstbc", "wait_cycles")
            resident += number("sm", "resident_thread_cycles")
        }
        END { printf "%d %d %d %d %d %d %d %.0f\n", cycles, warps, threads, lanes, branches, divergent, waited, resident }
    ' "$work/json"
}

echo "| program | branches that diverge | SIMD efficiency | issues, TBC | issues, TSTBC | time in meetings | TSTBC | waits alone |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|"
for program in $programs; do
    pdom=$(measure "$program" --mech pdom)
    tbc=$(measure "$program" --mech tbc --set sm.scheduler=age)
    tstbc=$(measure "$program" --mech tstbc)
    # shellcheck disable=SC2086
    alone=$(measure "$program" $wait)
    echo "$program $pdom $tbc $tstbc $alone" | awk '{
        printf "| %s | %.1f %% | %.0f %% | %.3f | %.3f | %.1f %% | %.3f | %.3f |\n", toupper($1), 100 * $7 / $6,
            100 * $4 / $5, $11 / $3, $19 / $3, 100 * 32 * $24 / $25, $2 / $18, $2 / $26
    }'
done

echo
echo "| program | mechanism | as in Table 1 | without memory's limits | and with room for blocks | and in one cycle |"
echo "|---|---|---:|---:|---:|---:|"
for program in $programs; do
    for limits in '' "$memory" "$blocks" "$latencies"; do
        # shellcheck disable=SC2086
        {
            measure "$program" --mech pdom $limits
            measure "$program" --mech tstbc $limits
            measure "$program" --mech capri $limits
            measure "$program" --mech tbc --set sm.scheduler=age $limits
        }
    done >"$work/lines"
    awk -v program="$program" '
        NR % 4 == 1 { base = $1 }
        NR % 4 != 1 { row[NR % 4] = row[NR % 4] sprintf(" %.3f |", base / $1) }
        END {
            print "| " toupper(program) " | TSTBC |" row[2]
            print "| " toupper(program) " | CAPRI |" row[3]
            print "| " toupper(program) " | TBC |" row[0]
        }' "$work/lines"
done
