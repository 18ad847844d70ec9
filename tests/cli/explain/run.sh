#!/bin/sh
# heddle explain as a user meets it: run.sh HEDDLE.
. "$(dirname "$0")/../check.sh"
wide=yes # JSON

trips=../../../examples/trips.ptx
small="--grid 8 --block 128 --arg buf:u32[1024]"

check help 0 '^  --most N ' - explain --help
check nothing-given 2 - 'no workload, no PTX file and no program was given' explain
check no-such 2 - "there is no file and no workload 'nope'" explain nope
check no-file 1 - 'cannot read nope.ptx' explain nope.ptx
check two 2 - 'one program at a time' explain a b
check most 2 - '--most takes a number from 1 to 1000' explain $trips --most 0
check mech-alone 2 - '--mech needs a machine' explain $trips $small --mech tbc
check mech-wrong 2 - "there is no mechanism 'tbx'" explain $trips $small --gpu fermi --mech tbx
check set-alone 2 - '--set needs a machine' explain $trips $small --set sm.schedulers=2
check for-one-run 2 - '--rewrite is for one run' explain $trips $small --rewrite fuse
check wrong-option 2 - "unknown option '--gird'" explain $trips --gird 8
check faulty 3 - 'out of bounds' explain $trips --grid 8 --block 128 --arg 'buf:u32[2]'

# Kinds and gains: each kernel of tests/explain says beside its source what it should be.
kinds() # FILE.cu
{
    grep -n '^// [a-z_]*: ' "$1" | grep -v ':// run:' | while IFS= read -r line; do
        number=${line%%:*} rest=${line#*// }
        name=${rest%%:*} expected=${rest#*: }
        words=$(sed -n "$((number + 1))s|^// run: ||p" "$1")
        eval "\"\$heddle\" explain \"${1%.cu}.ptx\" --kernel \$name $words --json" >"$scratch/json" 2>"$scratch/err" </dev/null
        kind=$(grep -o '"kind":"[^"]*"' "$scratch/json" | sed -n '1s/"kind":"\(.*\)"/\1/p')
        verdict=
        grep -q '"promised":true' "$scratch/json" && verdict=', gain'
        grep -q '"nothing_to_gain":true' "$scratch/json" && verdict=none
        case $verdict in none) kind= ;; esac
        [ "$kind$verdict" = "$expected" ] && echo "ok $name" || echo "$name: '$kind$verdict', expected '$expected'"
    done
}
for file in ../../explain/kernels.cu ../../explain/later.cu; do
    kinds $file >"$scratch/kinds"
    grep -v '^ok ' "$scratch/kinds"
    expect "kinds of $file" [ "$(grep -c '^ok ' "$scratch/kinds")" -eq "$(grep -c '^// run: ' $file)" ]
done

# The text has the line, the kind, the cost, the pattern and the gain, and recon's estimate or why there is none.
check text 0 '^1\. trips.cu:5 in trips' - explain $trips $small
for word in '^      for \(unsigned x = i \+ 1' '^   kind +loop trips\.' '^   costs +[0-9]+ of 35184 issues' \
    '^   what to do +Sort or bin' 'int i = order\[slot\];' 'GAIN: 2\.[0-9]+' '^   recon +has no candidate' '^   mechanism'; do
    expect "text has $word" grep -Eq "$word" "$scratch/out"
done
check most-one 0 '^1\. ' - explain ../../explain/kernels.ptx --kernel tasks --grid 4 --block 128 \
    --arg 'buf:u32[4096]=random(9)' --arg 'buf:f32[4096]' --most 1
expect "one finding" [ "$(grep -c '^[0-9]*\. ' "$scratch/out")" -eq 1 ]
check estimate 0 '^   recon +estimates for a loop merge: ' - explain ../../explain/kernels.ptx --kernel tasks --grid 4 \
    --block 128 --arg 'buf:u32[4096]=random(9)' --arg 'buf:f32[4096]'

# On a machine: cycles, the bound, and the best of the mechanisms.
large="--grid 256 --block 128 --arg buf:u32[32768]"
check machine 0 '^   cycles +[0-9]+ on fermi; at the bound [0-9]+, ' - explain $trips $large --gpu fermi --mech tbc-lcp,ws
expect "a mechanism" grep -Eq '^   mechanism  (ws|tbc-lcp) is 1\.[0-9]+ times as fast' "$scratch/out"
expect "a gain on the machine" grep -Eq 'GAIN: 1\.[2-9]|GAIN: [2-9]' "$scratch/out"
check machine-volta 0 "volta with --recon auto" - explain $trips $small --gpu fermi --mech volta --json
check machine-idle 0 'nothing to gain: the machine takes nearly as long at the bound' - explain $trips $small --gpu fermi --mech ws
expect "a gain in cycles" grep -Eq 'times as fast on fermi' "$scratch/out"

# Launches of one kernel are one kernel; a workload, and a program behind --.
check workload 0 '^kernel expand: [0-9]+ launches' - explain bfs2 --size test
workload=$(dirname "$heddle")/workloads/bfs2
check program 0 '^kernel expand: [0-9]+ launches' - explain -- "$workload" --size test
check program-alone 0 '"kernel":"expand","launches":[1-9][0-9]*,' - explain "$workload" --json

# Sorting threads changes no result, and is refused where lanes have a meaning.
hash() { "$heddle" run $trips $small --hash --quiet "$@" 2>&1 </dev/null; }
expect "sorted threads compute the same" [ "$(hash)" = "$(hash --sort-threads C)" ]
expect "also on a machine" [ "$(hash)" = "$(hash --sort-threads trips:C --gpu tiny)" ]
check sort-gains 0 '"issues":16584,' - run $trips $small --quiet --sort-threads trips:C --evidence -
check sort-other 0 '"issues":3[0-9]{4},' - run $trips $small --quiet --sort-threads other:C --evidence -
check sort-no-block 0 - 'there is no basic block of that name' run $trips $small --quiet --sort-threads ZZ
check sort-no-branch 0 - 'no branch stands at the end of the block' run $trips $small --quiet --sort-threads D

echo "$count checks of heddle explain, $failed failed"
[ $failed -eq 0 ]
