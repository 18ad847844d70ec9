#!/bin/sh
# heddle recon as a user meets it: run.sh HEDDLE. The kernels are those of tests/recon.
. "$(dirname "$0")/../check.sh"
kernels=../../recon

recon() # NAME STATUS STDOUT STDERR ARGUMENTS...: of a kernel that takes a buffer and a number
{
    n=$1 s=$2 o=$3 e=$4 k=$5
    shift 5
    check "$n" "$s" "$o" "$e" recon "$kernels/$k.ptx" "$@"
}

launch="--gpu volta --block 64 --arg buf:f32[64] --arg 16"

check help 0 '^  --threshold ' - recon --help
recon placement 0 '^    before D: wait b1$' - iteration_delay --predict LOOP:EXPENSIVE
recon reasons 0 'cancel +before G: the point cannot be reached any more' - iteration_delay --predict LOOP:EXPENSIVE
recon conflict 0 'conflict b0, branch at C\+5: threads cancel it before they wait' - iteration_delay --predict LOOP:EXPENSIVE
recon static 0 'conflict b0, branch at C\+5: taken out' - iteration_delay --predict LOOP:EXPENSIVE --deconflict static
recon soft 0 'before C: soft wait b1 at 8' - soft_epilog --predict TASK:STEP --threshold 8
recon of-one-soft 0 'before C: soft wait b1 at 4' - soft_epilog --predict TASK:STEP:threshold=4
recon adaptive 0 'before C: soft wait b1 adaptively' - soft_epilog --predict TASK:STEP --threshold adaptive
recon listing 0 'region   begins before B' - loop_merge --predict LOOKUP:NUCLIDE --scope listing
recon function 0 'the entry of expensive, called at 2 places' - common_call --predict LOOP:expensive
recon refused 0 'refused  the point cannot be reached' - iteration_delay --predict DONE:EXPENSIVE
recon auto 0 'taken as auto1' - iteration_delay --auto
recon auto-threshold 0 'before D: soft wait b1 at 8' - iteration_delay --auto --threshold 8
recon auto-all 0 'before D: wait b1' - iteration_delay --auto --threshold all
recon auto-adaptive 0 'before D: soft wait b1 adaptively' - iteration_delay --auto --threshold adaptive
recon auto-estimates 0 'before D: soft wait b1 at 24' - iteration_delay --auto --threshold auto
recon by-name 0 'point    D, PTX line 31' - iteration_delay --predict B:D
recon within-block 0 'point    C\+3, PTX line 27' - iteration_delay --predict B:C+3
check names-of-candidates 0 '^candidates in ns::mul<int>: 0$' - recon ../names.ptx --kernel 'mul<int>' --auto
recon auto-alone 0 'left alone: .* in every iteration' - alone --kernel leader --auto
wide=yes
recon dot 0 'n3 \[style=filled.*wait b1' - iteration_delay --predict LOOP:EXPENSIVE --dot
recon json 0 '"operation":"rejoin","barrier":1' - iteration_delay --predict LOOP:EXPENSIVE --json
# shellcheck disable=SC2086 -- words
recon json-alone 0 '^\{"kernel"' '^  predicted ' iteration_delay --auto --json $launch
wide=no

# gains, and a file that heddle run honours
# shellcheck disable=SC2086 -- words
recon gain 0 '^  predicted +[0-9]+ +[0-9.]+ % +[0-9]+ +(1\.[5-9]|[2-9]\.)' '' iteration_delay --auto $launch
words="--gpu volta --grid 4 --block 128 --arg buf:u32[4096]=random(1) --arg buf:f32[4096] --arg 16"
for k in events automaton julia reject cases; do
    # shellcheck disable=SC2086 -- words
    recon gain-of-$k 0 '^  predicted +[0-9]+ +[0-9.]+ % +[0-9]+ +(1\.[3-9]|[2-9]\.)' '' patterns --kernel $k --auto $words
done
# shellcheck disable=SC2086 -- words
recon threshold 0 '^  best with an? ' '' soft_epilog --predict TASK:STEP --threshold auto $launch
recon write 0 'predictions of loop_merge: 1' - loop_merge --auto --write "$scratch/merged.ptx"
# shellcheck disable=SC2086 -- words
recon unwritable 1 '' 'cannot write /no/such/folder/x' loop_merge --auto --write /no/such/folder/x $launch
run() # FILE
{
    "$heddle" run "$1" $launch --mech volta --hash --quiet --json "$scratch/json" && rm -f "$scratch/json"
}
count=$((count + 1))
grep -q 'heddle.predict auto1' "$scratch/merged.ptx" && [ "$(run "$scratch/merged.ptx")" = "$(run $kernels/loop_merge.ptx)" ] ||
    { failed=$((failed + 1)); echo "FAILED written: other memory, or no pragma"; }
check honoured 0 'region   begins on the edge from A\+8 to B' - recon "$scratch/merged.ptx"
check run-refusal 0 '' 'prediction L1 .* is refused: the prediction would split a block barrier' run refused.ptx --gpu volta --mech volta
check run-auto 0 '' '' run $kernels/iteration_delay.ptx $launch --mech volta --recon auto

# Rules for predictions of a run: what volta counts with them. A soft wait opens early; static deconfliction cancels less.
counters() # OPTIONS...: predictions, barriers that opened soft, cancels
{
    rm -f "$scratch/json"
    "$heddle" run $kernels/iteration_delay.ptx $launch --mech volta "$@" --quiet --json "$scratch/json"
    for c in predictions opened_soft cancels; do sed "s/.*\"volta\":{[^}]*\"$c\":\([0-9]*\).*/\1/" "$scratch/json"; done | tr '\n' ' '
}
counted() # NAME PATTERN OPTIONS...
{
    n=$1 p=$2
    shift 2
    count=$((count + 1))
    got=$(counters "$@")
    echo "$got" | grep -Eq "^$p" || { failed=$((failed + 1)); echo "FAILED $n: $got"; }
}
counted run-unpredicted '0 0 0 ' --recon none
counted run-estimated '1 [1-9][0-9]* ' --recon auto
counted run-all '1 0 [0-9][0-9][0-9] ' --recon auto --recon-threshold all
counted run-adaptive '1 [1-9][0-9]* ' --recon auto --recon-threshold adaptive
counted run-eight '1 [1-9][0-9]* ' --recon auto --recon-threshold 8
counted run-static '1 0 [0-9][0-9] ' --recon auto --recon-threshold all --recon-deconflict static
check run-threshold 2 '' 'takes a number of threads from 1 to 64, all or adaptive, not .65' \
    run $kernels/iteration_delay.ptx $launch --mech volta --recon-threshold 65
check run-no-machine 2 '' '.--recon-deconflict needs a machine|recon-deconflict needs a machine' \
    run $kernels/iteration_delay.ptx --recon-deconflict static

# A prediction takes its scalar instructions from a scalar datapath: what remains is before the loops.
for recon in none auto; do
    "$heddle" run $kernels/loop_merge.ptx $launch --mech volta --recon $recon --set sm.scalar=check --quiet --json "$scratch/scalar"
done
count=$((count + 1))
sed 's/.*"scalar_share":\([0-9.e-]*\),.*"scalar_registers":\([0-9]*\),"private_registers":\([0-9]*\).*/\1 \2 \3/;t
s/.*"scalar_registers":\([0-9]*\),"private_registers":\([0-9]*\).*"scalar_share":\([0-9.e-]*\),.*/\3 \1 \2/' "$scratch/scalar" |
    awk 'NR == 1 { share = $1; lost = $1 > 0.07 && $2 == 5 && $3 == 9 } NR == 2 { lost = lost && $1 < share / 100 && $2 == 2 && $3 == 13 }
        END { exit !(NR == 2 && lost) }' || { failed=$((failed + 1)); echo "FAILED scalar-loss"; cut -c1-300 "$scratch/scalar"; }

# profiles
"$heddle" run $kernels/soft_epilog.ptx $launch --mech volta --json "$scratch/profile" --quiet
recon profile 0 'they wait for no more' - soft_epilog --auto --profile "$scratch/profile"
recon foreign-profile 2 '' 'has no run of this program' loop_merge --auto --profile "$scratch/profile"

# the run that it measures ends with it; only who is killed leaves its files
stops stop-term TERM 143 2 0 '' '' recon ../trace/waits.ptx --kernel counting --gpu tiny
stops stop-interrupt INT 130 2 0 '' '' recon ../trace/waits.ptx --kernel counting --gpu tiny
stops stop-hangup HUP 129 2 0 '' '' recon ../trace/waits.ptx --kernel counting --gpu tiny
stops stop-kill KILL 137 2 2 '' '' recon ../trace/waits.ptx --kernel counting --gpu tiny

# files for the run have no place
TMPDIR=$scratch/nowhere
export TMPDIR
check no-tmpdir 1 '' "^heddle: cannot make a temporary file in $scratch/nowhere: No such file" recon ../trace/waits.ptx \
    --kernel counting --gpu tiny
unset TMPDIR

# mistakes
check no-file 2 - 'no PTX file' recon
recon number 2 - "no label or block '2'; PC 2 is A\+2" iteration_delay --predict 2:5
recon beyond-block 2 - "no label or block 'C\+6'" iteration_delay --predict B:C+6
recon half-place 2 - "no label or block 'C\+'" iteration_delay --predict B:C+
recon unknown-label 2 - "no label or block 'NOWHERE'; heddle flow prints" loop_merge --predict LOOKUP:NOWHERE
recon half-prediction 2 - 'REGION:POINT' loop_merge --predict LOOKUP
recon bad-threshold 2 - 'from 1 to 64' loop_merge --threshold 65
recon bad-mode 2 - 'takes dynamic or static' loop_merge --deconflict both
recon unknown-profile 2 - 'cannot read the profile nowhere' loop_merge --auto --profile nowhere
recon unknown-machine 2 - "no machine and no file 'nosuch'" loop_merge --gpu nosuch
recon no-machine 2 - '--gpu needs a value' loop_merge --gpu
recon unknown-knob 2 - "no knob 'nosuch' in 'sm'" loop_merge --gpu volta --set sm.nosuch=1
recon known-knob 2 - "'-1' for volta.barrier_cost" loop_merge --gpu volta --set volta.barrier_cost=-1
recon mechanism 2 - '--mech is no option of recon' loop_merge --gpu volta --mech pdom
recon unknown-option 2 - 'no option of recon' loop_merge --preditc LOOKUP:NUCLIDE

# Passes that rewrite the program first. What is written says how to launch it, and leaves the same memory.
recon coarsen-number 2 - "--coarsen takes a number from 2 to" single_task --coarsen 1
recon coarsen-other 0 '' 'coarsen: newton: a thread does the work of 2 threads' patterns --kernel newton --coarsen 2
recon coarsen 0 'point at' '^coarsen: single_task: a thread does the work of 4 threads' single_task --coarsen 4 --auto
recon coarsen-write 0 '' '' single_task --coarsen 4 --write "$scratch/coarsened.ptx"
expect "the written file says how to launch it" grep -q '^//   before as one more argument of type u32' "$scratch/coarsened.ptx"
"$heddle" run "$kernels/single_task.ptx" --grid 10 --block 32 --arg 'buf:f32[320]' --arg 310 --hash --quiet >"$scratch/plain"
"$heddle" run "$scratch/coarsened.ptx" --grid 3 --block 32 --arg 'buf:f32[320]' --arg 310 --arg 10 --hash --quiet \
    >"$scratch/changed"
expect "the coarsened kernel leaves the same" cmp "$scratch/plain" "$scratch/changed"
# shellcheck disable=SC2086 -- words
recon coarsen-gain 0 '^  as the file has it ' '' single_task --coarsen 2 --auto $launch --grid 4
recon outline 0 'point .* the entry of common_code_common, called at 2 places' '^outline: common_code: branch at PTX line 28: 9 equal instructions on 2 sides' \
    common_code --outline
# shellcheck disable=SC2086 -- words
recon outline-gain 0 '^  predicted .* 1\.[0-9]' '' common_code --outline $launch
recon wrap-nothing 0 '' 'wrap: common_code: left alone: no call' common_code --wrap

# The word of a pass may be left out, wherever the file stands.
recon pass-word 0 '' '^delay: .*threads meet by vote' iteration_delay --delay majority
recon pass-alone 0 '' '^delay: .*threads meet by vote' iteration_delay --delay
recon pass-then-option 0 '' '^delay: .*threads meet by vote' iteration_delay --delay --scope loop
check pass-then-file 0 '' '^delay: .*threads meet by vote' recon --delay $kernels/iteration_delay.ptx
check pass-merge-alone 0 '' '^merge-loops: .*threads meet by vote' recon --merge-loops $kernels/loop_merge.ptx
check pass-fuse-alone 0 '' '^fuse: ' recon $kernels/common_call.ptx --fuse
recon pass-without-word 2 - "--outline takes no value, but got '3'" iteration_delay --outline=3
recon pass-wrong-word 2 - "--delay takes gather.*, not 'never'" iteration_delay --delay never
check pass-words 0 '^Words of passes' '' recon --help
check pass-help 0 '^  --fuse \[paying\|all\]' - recon --help
expect "completion knows the words of a pass" grep -q -- "--delay) echo 'gather majority all all-majority'" <<LIST
$("$heddle" help --completion bash)
LIST

echo "$count checks of recon, $failed failed"
[ $failed -eq 0 ]
