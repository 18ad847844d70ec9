#!/bin/sh
# Recording and replaying as a user meets it: run.sh HEDDLE.
wide=
. "$(dirname "$0")/../check.sh"
trips="../../../examples/trips.ptx --grid 6 --block 96 --arg buf:u32[576]"
lines=../../../tests/cli/trace/waits.ptx
rec=$scratch/rec

# Results without what may differ: host time, options, and that it was a replay.
plain() { sed 's/"host_seconds":[^,]*,//; s/,"replay":{[^}]*}//; s/,"options":{[^}]*}//' "$1"; }
same() # NAME FILE FILE
{
    plain "$2" >"$scratch/first" && plain "$3" >"$scratch/second"
    expect "$1" cmp -s "$scratch/first" "$scratch/second"
    expect "$1: has results" [ -s "$scratch/first" ]
}
quietly() { "$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; }

# errors
check help 0 '^heddle replay FILE' - replay --help
check no-file 2 - 'no recording was given' replay
check missing 1 - 'cannot read /nowhere: No such file' replay /nowhere
check two-files 2 - 'one recording at a time' replay a b
check folder 1 - 'is no file' replay /tmp
check ptx 1 - 'is no recording' replay ../../../examples/trips.ptx
check unknown 2 - "unknown option '--mechs'; did you mean --mech" replay a --mechs tbc
for option in "--check races" "--verify functional" "--executor oracle" "--lower ptxas" "--rewrite delay" "--record x" "--tolerate reads" \
    "--stack 64" "--memory=1M"; do
    # shellcheck disable=SC2086 -- two words
    check "refused $option" 2 - 'is for runs that execute' replay a $option
    name=${option%%[ =]*}
    expect "help leaves out $name" [ -z "$("$heddle" replay --help | grep "^  $name ")" ]
    expect "completion leaves out $name" [ -z "$("$heddle" help --completion bash | grep "^    replay)" | grep -e "$name ")" ]
done
expect "completion of replay is looked at" [ -n "$("$heddle" help --completion bash | grep "^    replay)" | grep -e "--gpu ")" ]
check oracle 2 - 'the oracle records nothing' run $trips --executor oracle --record "$rec"
check stdout 2 - '--record needs a file' run $trips --record -
check no-folder 1 - 'cannot write the recording /nowhere/x: No such file' run $trips --record /nowhere/x
check is-folder 1 - 'it is no file' run $trips --record "$scratch"
check compare 2 - '--record is for one run' compare $trips --record "$rec"
expect "nothing was written" [ ! -e "$rec" ]

# A functional recording, replayed under every mechanism, gives the figures of the run under that mechanism.
check record 0 - 'recorded 1 launch into .*: [0-9]+ bytes, 0.[0-9]+ per thread instruction' run $trips --record "$rec"
check needs-machine 2 - 'was recorded without a machine' replay "$rec"
check computes 2 - '--gpu none only computes; a replay only takes time' replay "$rec" --gpu none
check no-mechanism 2 - "there is no mechanism 'tbd'" replay "$rec" --gpu fermi --mech tbc,tbd
check no-machine 2 - "fermj" replay "$rec" --gpu fermj
for mech in pdom pdom-lcp bcc scc tbc tbc-lcp tbc-dpe lwm dwf dwf-wb capri tstbc tstbc-auto dws dpe multipath frontiers ws vws \
    volta mimd bound; do
    rm -f "$scratch"/json-*
    quietly run $trips --gpu tiny --mech $mech --json "$scratch/json-run"
    quietly replay "$rec" --gpu tiny --mech $mech --json "$scratch/json-replay"
    sed -i 's/,"lines":.*\],"machine"/,"machine"/' "$scratch/json-run" "$scratch/json-replay"
    same "trips under $mech" "$scratch/json-run" "$scratch/json-replay"
done
expect "JSON names the recording" grep -q '"replay":{"file":"[^"]*rec","mechanism":"functional","gpu":null,"cycles":null}' \
    "$scratch/json-replay"
check table 0 '^tbc +[0-9]+ +[0-9.]+ ' - replay "$rec" --gpu fermi --mech pdom,tbc,vws
check figures 0 - '^  cycles ' replay "$rec" --gpu fermi
check quiet 0 - - replay "$rec" --gpu fermi --quiet
check trace 0 'sm 0|cycle' '' replay "$rec" --gpu tiny --trace --trace-window 0:40
check scalar-check 0 - '^  cycles ' replay "$rec" --gpu fermi --set sm.scalar=check
"$heddle" replay "$rec" --gpu fermi --quiet --json - >/dev/full 2>"$scratch/err"
expect "a full stdout makes the replay fail" [ $? -eq 1 ]
expect "and heddle says so once" [ "$(grep -c 'cannot write' "$scratch/err")" -eq 1 ]
check limit 3 - 'limit of instructions reached' replay "$rec" --gpu fermi --limit 10

# Workloads, each under a mechanism and on a machine: the recorded figures to the digit.
while read -r workload gpu mech; do
    rm -f "$scratch"/json-*
    quietly run "$workload" --size test --gpu "$gpu" --mech "$mech" --record "$rec" --json "$scratch/json-run"
    check "replay of $workload" 0 - - replay "$rec" --json "$scratch/json-replay" --quiet
    same "$workload on $gpu under $mech" "$scratch/json-run" "$scratch/json-replay"
done <<LIST
bfs2 fermi dwf
hotsp vws vws
lps fermi tbc
mum volta volta
mumpp fx5800 capri
nvrt-sync tiny ws
aes h200 volta
ray fermi dpe
nvrt fermi pdom
LIST

# nvrt needs warps in lock-step. Its recording under pdom can be timed where its execution would be wrong.
check lockstep 0 '^ws +[0-9]+ ' - replay "$rec" --mech pdom,dwf,ws
quietly run hotsp --size test --gpu fermi --record "$rec"
check chosen 0 - '^  launches +1$' replay "$rec" --launch 2 --stats summary
check none-chosen 2 - 'no launch of .* is chosen' replay "$rec" --kernel nothing

# Knobs and a machine of the recorded run hold; a machine from a file is in the recording.
sed 's/^schedulers *=.*/schedulers = 1/' ../../../gpus/fermi.ini >"$scratch/mine.ini"
rm -f "$scratch"/json-*
quietly run $trips --gpu "$scratch/mine.ini" --mech tbc --set sm.scheduler=gto --set tbc.drain=no --record "$rec" \
    --json "$scratch/json-run"
rm "$scratch/mine.ini"
check machine-file 0 - - replay "$rec" --json "$scratch/json-replay" --quiet
same "machine from a file" "$scratch/json-run" "$scratch/json-replay"
check other-mechanism 0 - '^  cycles ' replay "$rec" --mech dwf
check other-machine 0 - '^  cycles ' replay "$rec" --gpu volta
check wrong-knob 2 - "sets a knob of the mechanism tbc" replay "$rec" --mech dwf --set tbc.drain=no

# A profile holds under the recorded mechanism, and is left out where none is taken.
rm -f "$scratch"/json-*
quietly run bfs2 --size test --gpu fermi --mech tbc-lcp --profile-running --record "$rec" --json "$scratch/json-run"
check profile 0 - - replay "$rec" --json "$scratch/json-replay" --quiet
same "profile of earlier launches" "$scratch/json-run" "$scratch/json-replay"
check no-profile 0 '^dwf ' - replay "$rec" --mech tbc-lcp,dwf

# Kernels that were changed before the run are recorded as changed.
rm -f "$scratch"/json-*
quietly run $trips --gpu volta --mech volta --lower ptxas --record "$rec" --json "$scratch/json-run"
check lowered 0 - - replay "$rec" --json "$scratch/json-replay" --quiet
same "lowered kernel" "$scratch/json-run" "$scratch/json-replay"
rm -f "$scratch"/json-*
quietly run ../../recon/loop_merge.ptx --grid 4 --block 128 --arg 'buf:f32[512]' --arg 32 --gpu fermi --rewrite merge-loops \
    --record "$rec" --json "$scratch/json-run"
check rewritten 0 - - replay "$rec" --json "$scratch/json-replay" --quiet
same "rewritten kernel" "$scratch/json-run" "$scratch/json-replay"

# Damaged files
bytes=$(wc -c <"$rec")
head -c $((bytes - 1)) "$rec" >"$scratch/cut"
check cut 1 - 'is cut off' replay "$scratch/cut"
{ head -c 16 "$rec"; printf '\007'; tail -c +18 "$rec"; } >"$scratch/newer"
check version 1 - 'a recording of version 7; this heddle reads version 2' replay "$scratch/newer"
{ head -c $((bytes / 2)) "$rec"; printf 'x'; tail -c +$((bytes / 2 + 2)) "$rec"; } >"$scratch/bad"
check damaged 1 - 'damaged|does not fit|cut off' replay "$scratch/bad"
: >"$scratch/empty"
check empty 1 - 'is no recording' replay "$scratch/empty"

# A launch that does not end well is not in the recording, and a recording that is not complete is none.
rm -f "$rec"
check fault 3 - 'there is no recording .*: no launch ended well' run ../../../examples/trips.ptx \
    --grid 6 --block 96 --arg "buf:u32[10]" --record "$rec"
expect "no file after a fault" [ ! -e "$rec" ]
check limited 3 - 'did not end well and is not in the recording' run $trips --limit 10 --record "$rec"
expect "no file after a limit" [ ! -e "$rec" ]
(
    trap '' XFSZ
    ulimit -f 1
    "$heddle" run $trips --record "$rec" >/dev/null 2>"$scratch/err" </dev/null
)
expect "a full disk makes the run fail" [ $? -eq 1 ]
expect "and heddle says so" grep -q 'cannot write the recording .*: File too large; nothing is left of it' "$scratch/err"
expect "and leaves no file" [ ! -e "$rec" ]
stops stopped TERM 143 1 0 '' 'there is no recording' run $lines --kernel counting --gpu tiny --record "$rec"
stops killed KILL 137 1 0 '' '' run $lines --kernel counting --gpu tiny --record "$rec"
expect "nothing is left" [ -z "$(find "$scratch" -name 'rec*')" ]

echo "$count checks of recordings, $failed failed"
[ $failed -eq 0 ]
