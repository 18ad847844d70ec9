#!/bin/sh
# --check lockstep on the command line: a warp-synchronous reduction and its version with __syncwarp (tests/warpsync), on
# machines and without; what is said before a run; and the workload nvrt, which is known to rely on lock-step.
. "$(dirname "$0")/../check.sh"

reduce() # NAME STATUS STDERR KERNEL ARGUMENTS...
{
    n=$1 s=$2 e=$3 k=$4
    shift 4
    check "$n" "$s" '496 1520' "$e" run ../../warpsync/reduce.ptx --kernel "$k" --block 64 \
        --arg 'buf:u32[64]=iota' --arg 'buf:u32[2]' --print 1:2 --quiet "$@"
}
reduce unasked 0 - reduce
reduce found 3 '^heddle: kernel reduce relies on lock-step: a thread reads what another thread of its warp wrote' reduce \
    --check lockstep
reduce store-line 3 'reduce.cu:14 \(PTX line 42\): st.volatile.shared.u32' reduce --check lockstep
reduce load-line 3 'reduce.cu:17 \(PTX line 49\): ld.volatile.shared.u32' reduce --check lockstep
reduce counted 3 '^5 pairs of instructions rely on lock-step: 5 write to read, 0 read to write, 0 write to write' reduce \
    --check lockstep
reduce synced 0 - reduce_synced --check lockstep
reduce in-step 3 '^pdom keeps threads in lock-step' reduce --check lockstep --gpu fermi
reduce synced-in-step 0 - reduce_synced --check lockstep --gpu fermi
reduce not-in-step 3 '^Under dws lock-step is not guaranteed' reduce --check lockstep --gpu fermi --mech dws
reduce narrow-warps 3 '^Under pdom lock-step is not guaranteed' reduce --check lockstep --gpu tiny
reduce synced-not-in-step 0 - reduce_synced --check lockstep --gpu fermi --mech dws
check unknown 2 - 'must be one of none.races.lockstep' run ../../warpsync/reduce.ptx --check lock
check oracle 2 - '--check lockstep needs the engine' run ../../warpsync/reduce.ptx --check lockstep --executor oracle
wide=yes
reduce_json() # NAME STATUS STDOUT KERNEL ARGUMENTS...
{
    n=$1 s=$2 o=$3 k=$4
    shift 4
    check "$n" "$s" "$o" '' run ../../warpsync/reduce.ptx --kernel "$k" --block 64 --arg 'buf:u32[64]=iota' \
        --arg 'buf:u32[2]' --quiet --json - --check lockstep "$@"
}
reduce_json json 3 '"lockstep":5,' reduce
reduce_json json-none 0 '"lockstep":0,' reduce_synced
reduce_json json-ahead 3 '"lockstep":5,' reduce --gpu fermi --mech mimd
wide=no

# under a mechanism that does not keep lock-step, the report comes before the run, which prints once
check ahead 3 - '' run ../../warpsync/persistent.ptx --kernel persistent --grid 2 --block 64 --arg 'buf:u32[1]' --arg 640 \
    --arg 'buf:u32[640]' --arg 'buf:u32[640]' --gpu fermi --mech dwf --check lockstep --stats summary
expect "the report comes before the figures" awk '/relies on lock-step/ { at = NR } /cycles/ && !seen { seen = NR }
    END { exit !(at && seen && at < seen) }' "$scratch/err"
expect "what was said ahead is not said again" [ "$(grep -c 'lock-step is not guaranteed' "$scratch/err")" -eq 1 ]

# nvrt is known to rely on lock-step: a mechanism that does not keep it says so before the run
relies='nvrt relies on warps in lock-step, which dws does not keep: the result may be wrong; nvrt-sync does not rely on it'
check known 3 - "^heddle: $relies" run nvrt --size test --gpu fermi --mech dws --quiet --limit 1M
expect "before the run" [ "$(sed -n 1p "$scratch/err")" = "heddle: $relies" ]
check known-in-step 0 'right' - run nvrt --size test --gpu fermi --mech pdom --quiet
check known-functional 0 'right' - run nvrt --size test --quiet
check known-synced 0 'right' - run nvrt-sync --size test --gpu fermi --mech dws --quiet
check workload-found 3 'right' 'relies on lock-step' run nvrt --size test --check lockstep --quiet
check workload-synced 0 'right' - run nvrt-sync --size test --check lockstep --quiet

compare() # NAME STATUS STDOUT KERNEL ARGUMENTS...
{
    n=$1 s=$2 o=$3 k=$4
    shift 4
    check "$n" "$s" "$o" '' compare ../../warpsync/reduce.ptx --kernel "$k" --block 64 --arg 'buf:u32[64]=iota' \
        --arg 'buf:u32[2]' --mech pdom,dpe,dws "$@"
}
compare compared 0 '^  dws ' reduce
compare compared-checked 3 '^ \^dws ' reduce --check lockstep
expect "a mechanism that keeps lock-step is not marked" grep -q '^  pdom ' "$scratch/out"
expect "the note names the others" grep -q '^\^ dws:' "$scratch/out"
compare compared-knobs 3 '^ \^dpe ' reduce --check lockstep --set dpe.memory_divergence=yes
expect "with this knob, dpe does not keep lock-step" grep -q '^\^ dpe, dws:' "$scratch/out"
compare compared-sweep 3 '^  9 +[0-9]+ .* \^[0-9]+ +[0-9.]+$' reduce --check lockstep --vary sm.class_latency=9
expect "the note says what the mark means" grep -q '^\^ the program relies on warps in lock-step' "$scratch/out"
compare compared-synced 0 '^  dws ' reduce_synced --check lockstep
wide=yes
compare compared-json 3 '"mechanism":"dws",.*"right":true,"status":0,"in_step":false' reduce --check lockstep --json
wide=no
check compared-known 0 '^~\^tbc ' '^heddle: on fermi, nvrt relies on warps in lock-step, which these do not keep: tbc\.' \
    compare nvrt --size test --gpu fermi --mech pdom,tbc --limit 1M

echo "cli, lockstep: $((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
