#!/bin/sh
# --rewrite and passes in comparisons as a user meets them: run.sh HEDDLE.
. "$(dirname "$0")/../check.sh"

delay=../../recon/iteration_delay.ptx
merge=../../recon/loop_merge.ptx
call=../../recon/common_call.ptx

check help 0 '^  --rewrite ' - run --help
check help-compare 0 '^Passes ' - compare --help
check wrong 2 - "there is no pass 'unroll'" run $delay --rewrite unroll --arg 'buf:f32[32]' --arg 1
check wrong-word 2 - "delay takes gather.*, not 'never'" run $delay --rewrite delay=never --arg 'buf:f32[32]' --arg 1
check wrong-in-list 2 - "there is no pass ''" run $delay --rewrite delay, --arg 'buf:f32[32]' --arg 1
check said 0 - '^rewrite: delay: iteration_delay: branch at PTX line 29: threads meet by vote' \
    run $delay --rewrite delay --arg 'buf:f32[32]' --arg 1 --quiet
check refused 0 - '^rewrite: merge-loops: julia: .*left alone: ' \
    run ../../recon/patterns.ptx --kernel julia --rewrite merge-loops,merge-loops --arg 'buf:u32[4096]' --arg 'buf:f32[32]' \
    --arg 1 --quiet
check nothing 0 - '^rewrite: nothing was changed by merge-loops: no place fits' \
    run $delay --rewrite merge-loops --arg 'buf:f32[32]' --arg 1 --quiet

# The memory is that of the kernel as it was, under every mechanism, with every word.
hash() # KERNEL OPTIONS...
{
    file=$1
    shift
    "$heddle" run "$file" --grid 1 --block 64 --arg 'buf:f32[64]' --arg 3 --hash --quiet "$@" 2>"$scratch/errors" </dev/null
}
mechanisms=$("$heddle" list mechanisms --names)
for pass in delay delay=majority merge-loops merge-loops=majority fuse; do
    case $pass in
    delay*) file=$delay said='threads meet by vote' ;;
    merge*) file=$merge said='threads meet by vote' ;;
    *) file=$call said='pairs of instructions are fused' ;;
    esac
    hash $file >"$scratch/plain"
    expect "hash of $file" [ -s "$scratch/plain" ]
    for mech in $mechanisms; do
        hash $file --rewrite $pass --gpu tiny --mech "$mech" --limit 10M >"$scratch/changed"
        expect "$pass changes nothing under $mech" cmp "$scratch/plain" "$scratch/changed"
        expect "$pass under $mech" grep -q "$said" "$scratch/errors"
    done
done

# A pass beside hardware.
launch="--grid 2 --block 64 --arg buf:f32[128] --arg 6 --gpu tiny"
# shellcheck disable=SC2086 -- words
check compare 0 '^  pdom\+delay=majority +[0-9]+ +[0-9.]+ +[0-9.]+ %' '^rewrite: delay: iteration_delay' \
    compare $delay $launch --mech pdom,tbc,volta,pdom+delay=majority
expect "said once" [ "$(grep -c 'threads meet by vote' "$scratch/err")" -eq 1 ]
wide=yes
# shellcheck disable=SC2086 -- words
check compare-json 0 '"mechanism":"pdom","rewrite":"delay,merge-loops",' '' compare $delay $launch \
    --mech pdom,pdom+delay+merge-loops --json
# shellcheck disable=SC2086 -- words
check compare-csv 0 ',pdom\+delay,' '' compare $delay $launch --mech pdom,pdom+delay --csv
wide=no
# shellcheck disable=SC2086 -- words
check compare-all-rewritten 0 '^  tbc ' '^rewrite: delay: ' compare $delay $launch --mech pdom,tbc --rewrite delay
check compare-wrong-pass 2 - "there is no pass 'unroll'" compare $delay --mech pdom+unroll
check compare-wrong-mechanism 2 - "no mechanism 'pdmo'; did you mean pdom" compare $delay --mech pdmo+delay
# A knob of the mechanism holds for its rewritten rows, too.
# shellcheck disable=SC2086 -- words
check compare-knob 0 '^  tbc\+delay ' '' compare $delay $launch --mech pdom,tbc,tbc+delay --set tbc.compaction=no

# Results name the passes.
check json 0 '' '' run $delay --rewrite delay --arg 'buf:f32[32]' --arg 1 --quiet --gpu tiny --json "$scratch/json"
expect "the result names the pass" grep -q '"rewrite":"delay"' "$scratch/json"

# A coarsened kernel's launches have fewer blocks and one more argument, which neither the command line nor a program gives.
hash $merge >"$scratch/plain"
hash $merge --rewrite coarsen=3 >"$scratch/changed"
expect "coarsen changes nothing" cmp "$scratch/plain" "$scratch/changed"
check coarsened-run 0 '' 'grid 4 x 2 x 1' run $merge --rewrite coarsen=3 --grid 10,2 --arg 'buf:f32[640]' --arg 1
check coarsened-arguments 2 - 'takes 2 arguments .*, 3 were given' run $merge --rewrite coarsen=3 --arg 'buf:f32[32]' --arg 1 \
    --arg 1
check coarsened-program 0 'bfs2 test: right' '' run bfs2 --size test --rewrite coarsen=3

echo "$count checks of --rewrite, $failed failed"
[ $failed -eq 0 ]
