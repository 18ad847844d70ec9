#!/bin/bash
# --sample on the command line: what is printed, that estimates hold on launches whose cycles are known, and what is refused.
set -u
wide=no
. "$(dirname "$0")/../check.sh"

# number NAME FILE: the first number of this name in a line of JSON
number() { grep -o "\"$1\":-\?[0-9.]*" "$2" | head -1 | cut -d: -f2; }
# interval FILE: its two ends
interval() { grep -o '"interval":\[[^]]*' "$1" | head -1 | sed 's/.*\[//; s/,/ /'; }
# both NAME ARGUMENTS...: runs a kernel whole and with --sample, and keeps JSON of both
both() {
    name=$1
    shift
    "$heddle" run "$@" --quiet --hash --json "$scratch/$name.whole" >"$scratch/$name.hash" 2>&1 || echo "failed: $*"
    "$heddle" run "$@" --quiet --hash --json "$scratch/$name.part" --sample >"$scratch/$name.hash2" 2>&1 || echo "failed: $*"
}
holds_cycles() { # NAME: the interval has the cycles of the whole run, and is narrow
    set -- "$(number cycles "$scratch/$1.whole")" $(interval "$scratch/$1.part")
    awk "BEGIN { exit !($1 >= $2 && $1 <= $3 && $3 - $2 > 0 && $3 - $2 <= 0.1 * $1) }"
}
same() { # NAME COUNTER: a count is the same in both
    [ "$(number "$2" "$scratch/$1.whole")" = "$(number "$2" "$scratch/$1.part")" ]
}

large="uneven.ptx --grid 12000 --block 32 --arg buf:u32[384000]"
both uneven $large --gpu fermi
expect 'the cycles of a launch are in the interval' holds_cycles uneven
expect 'thread instructions are exact' same uneven thread_instructions
expect 'warp instructions are exact' same uneven warp_instructions
expect 'branches are exact' same uneven branches
expect 'memory is as without --sample' cmp -s "$scratch/uneven.hash" "$scratch/uneven.hash2"
expect 'less than half is timed' awk "BEGIN { exit !($(number timed_share "$scratch/uneven.part") < 0.5) }"
"$heddle" run $large --gpu fermi --quiet --json "$scratch/again" --sample
expect 'a second run gives the same estimate' [ "$(interval "$scratch/again")" = "$(interval "$scratch/uneven.part")" ]
both dwf $large --gpu fermi --mech dwf
expect 'the cycles are in the interval under another mechanism' holds_cycles dwf
expect 'thread instructions are exact under another mechanism' same dwf thread_instructions
check 'the text has errors' 0 '' 'cycles +[0-9]+   ± [0-9.]+ %; .* us' run $large --gpu fermi --sample
check 'so have figures per cycle' 0 '' 'warp instructions +[0-9]+   [0-9.]+ per cycle ± [0-9.]+ %' run $large --gpu fermi --sample
check 'the text says what was timed' 0 '' 'timed +[0-9.]+ %   of all instructions, [0-9]+ of 12000 blocks, in [0-9]+ samples' \
    run $large --gpu fermi --sample
check 'memory can be verified' 0 '' '' run $large --gpu fermi --sample --verify functional --json "$scratch/verified"
expect 'and is right' grep -q '"memory":{"verdict":"same"' "$scratch/verified"

both small uneven.ptx --grid 40 --block 32 --arg 'buf:u32[1280]' --gpu fermi
expect 'a short launch is timed whole' same small cycles
expect 'its interval has no width' [ "$(number interval_percent "$scratch/small.part")" = 0.0000 ]
check 'and shows no error' 0 '' 'cycles +[0-9]+   [0-9.]+ us' \
    run uneven.ptx --grid 40 --block 32 --arg 'buf:u32[1280]' --gpu fermi --sample

both chain chain.ptx --grid 6000 --block 32 --arg 'buf:u32[6000]' --gpu fermi
expect 'blocks that wait for each other are timed whole' same chain cycles
expect 'their memory is right' cmp -s "$scratch/chain.hash" "$scratch/chain.hash2"
check 'and the text says why' 0 '' 'timed +100.0 %   of all instructions: its blocks wait for each other' \
    run chain.ptx --grid 6000 --block 32 --arg 'buf:u32[6000]' --gpu fermi --sample

# A fault behind one sample, of which no variance is known, and behind six: what was timed counts.
for first in 1000 9000; do
    rm -f "$scratch/fault"
    "$heddle" run fault.ptx --grid 12000 --block 32 --arg 'buf:u32[65536]' --arg $first --gpu fermi --sample --quiet \
        --json "$scratch/fault" >"$scratch/fault.text" 2>&1
    cycles=$(number cycles "$scratch/fault")
    expect "a fault in block $first is found" grep -q '"blocks":12000.*"fault":{' "$scratch/fault"
    expect 'the estimate is the cycles up to there' [ "$(number estimate "$scratch/fault")" = "$cycles.0" ]
    expect 'and so are the ends of the interval' [ "$(interval "$scratch/fault")" = "$cycles.0 $cycles.0" ]
    expect 'and the sum' [ "$(grep -o '"program":{"cycles":[0-9]*' "$scratch/fault")" = "\"program\":{\"cycles\":$cycles" ]
    expect 'it says why' grep -q '"why":"it ended with a fault, and blocks that were skipped' "$scratch/fault"
done

check 'a machine is needed' 2 - '--sample needs a machine' run $large --sample
check 'a trace needs every cycle' 2 - '--sample and --trace exclude each other' run $large --gpu fermi --sample --trace
check 'so do intervals' 2 - '--sample and --interval exclude each other' run $large --gpu fermi --sample --interval 10
check 'a bound cannot be sampled' 2 - '--sample is not for bound' run $large --gpu fermi --mech bound --sample

check 'a table of speedups needs exact cycles' 2 - '--sample is for one run' compare fwt --size test --gpu fermi --sample

# A workload of many launches: the sum has an interval, too.
"$heddle" run fwt --size small --gpu fermi >"$scratch/fwt" 2>&1
"$heddle" run fwt --size small --gpu fermi --sample >"$scratch/fwt.part" 2>&1
cycles() { sed -n 's/^  cycles *\([0-9]*\).*/\1/p' "$1"; }
percent=$(sed -n 's/^  cycles *[0-9]* ± \([0-9.]*\) %/\1/p' "$scratch/fwt.part")
expect 'a workload has an estimate' [ -n "$percent" ]
expect 'which holds' awk "BEGIN { d = $(cycles "$scratch/fwt.part") / $(cycles "$scratch/fwt") - 1
    exit !((d < 0 ? -d : d) <= ${percent:-0} / 100 && ${percent:-0} <= 5) }"
expect 'and says what was timed' grep -Eq '^  timed +[0-9.]+ % of all thread instructions' "$scratch/fwt.part"

# Grids shrink from two waves of blocks to one, which takes much less than their instructions say.
shrinking="qsort --size small --gpu fermi --mech tbc"
"$heddle" run $shrinking >"$scratch/qsort" 2>&1
"$heddle" run $shrinking --sample >"$scratch/qsort.part" 2>&1
expect 'the estimate holds where a grid loses its last wave' awk "BEGIN {
    d = $(cycles "$scratch/qsort.part") / $(cycles "$scratch/qsort") - 1
    percent = $(sed -n 's/^  cycles *[0-9]* ± \([0-9.]*\) %/\1/p' "$scratch/qsort.part")
    exit !(percent > 0 && (d < 0 ? -d : d) <= percent / 100) }"

# fwt under heddle exec: the table and the line of the total have it.
program=$(dirname "$heddle")/workloads/fwt
"$heddle" exec --gpu fermi --sample --json "$scratch/exec.json" "$program" --size small >"$scratch/exec" 2>&1
tail -1 "$scratch/exec.json" >"$scratch/exec.total"
expect 'the table of a program has errors' grep -Eq '^  launches .* time +± +share' "$scratch/exec"
expect 'for each kernel and for all' [ "$(grep -Ec ' [munp]?s +[0-9]+\.[0-9] % +[0-9.]+ %  ' "$scratch/exec")" -ge 3 ]
expect 'it says what was timed' grep -q 'are estimates from [0-9.]* % of the thread instructions' "$scratch/exec"
expect 'the total of a program holds' awk "BEGIN { split(\"$(interval "$scratch/exec.total")\", e, \" \")
    exit !(e[1] + 0 <= $(cycles "$scratch/fwt") && $(cycles "$scratch/fwt") <= e[2] + 0) }"

echo "sample: $((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
