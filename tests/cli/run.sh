#!/bin/sh
# The command line as a user meets it: run.sh HEDDLE. Checks are those of check.sh.
. "$(dirname "$0")/check.sh"

saxpy() # NAME STATUS STDOUT STDERR ARGUMENTS...: the usual launch, with more options
{
    n=$1 s=$2 o=$3 e=$4
    shift 4
    check "$n" "$s" "$o" "$e" run saxpy.ptx --grid 2 --block 64 --arg 2.0 --arg 'buf:f32[100]=iota' \
        --arg 'buf:f32[100]=fill(1)' --arg 100 "$@"
}

# help and dispatch
check help 0 'heddle COMMAND' - --help
check no-command 2 - 'heddle COMMAND'
check version 0 '^heddle [0-9]+\.[0-9]+\.[0-9]+$' - --version
check help-of-run 0 '^  --grid ' - help run
check run-help 0 'Examples:' - run --help
check run-help-figures 0 '^ +branches +by branch' - run --help
check run-help-options 0 '^  --limit ' - run --help
check flow-help 0 'heddle flow FILE' - flow --help
check list-help 0 'instructions' - help list
# every help has a usage line, options, two examples and exit statuses, and fits 100 columns
for command in $("$heddle" list commands --names); do
    check "help of $command" 0 "^heddle $command" - "$command" --help
    for part in Options Examples 'Exit status'; do
        expect "help of $command: $part" grep -q "^$part:\$" "$scratch/out"
    done
    expect "help of $command: two examples" [ "$(grep -c '^  .*heddle ' "$scratch/out")" -ge 2 ]
    cp "$scratch/out" "$scratch/help"
    check "help $command" 0 '' - help "$command"
    expect "help $command is $command --help" cmp -s "$scratch/out" "$scratch/help"
done
check unknown-command 2 - 'did you mean flow\?' flwo
check unknown-help 2 - 'did you mean list\?' help lsit

# runs
saxpy print 0 '^       0: +1 +3 +5 +7 ' 'SIMD efficiency' --print 2:8
saxpy print-count 0 '^argument 2: f32\[100\]$' '' --print 2:8
saxpy quiet 0 '^       0: +1$' - --print 2:1 --quiet
saxpy oracle 0 '^       0: +1 +3 +5 +7 ' - --print 2:8 --quiet --executor oracle
saxpy hash 0 '^argument 2: f32\[100\] hash [0-9a-f]{16}$' - --hash --quiet
cp "$scratch/out" "$scratch/hash"
saxpy hash-oracle 0 '' - --hash --quiet --executor oracle
expect "engine and oracle hash alike" cmp -s "$scratch/out" "$scratch/hash"
# Cooperative launches: threads add what those of the next block stored before the barrier of the grid.
for how in "" "--executor oracle" "--gpu tiny --mech tbc"; do
    # shellcheck disable=SC2086 -- words of options
    check "cooperative $how" 0 '^       0:  0  1  2  3  4  5  6  7  2  4  6  8 10 12  6  8$' - run grid_sync.ptx --cooperative \
        --grid 4 --block 2 --arg 'buf:u32[16]' --print 0 --quiet $how
done
check not-cooperative 3 - 'the kernel executed trap' run grid_sync.ptx --grid 4 --block 2 --arg 'buf:u32[16]' --quiet
check too-many-cooperative 2 - "does not fit on 'tiny'" run grid_sync.ptx --cooperative --gpu tiny --grid 100000 --block 2 \
    --arg 'buf:u32[400000]' --quiet
saxpy write 0 - - --write 2="$scratch/y.bin" --quiet
expect "the written buffer is whole" [ "$(wc -c <"$scratch/y.bin")" -eq 400 ]
check from-file 0 '^       0: +1 +3$' - run saxpy.ptx --block 100 --arg 0 --arg \
    "buf:f32=file($scratch/y.bin)" \
    --arg "buf:f32=file($scratch/y.bin)" --arg 100 --print 2:2 --quiet
# The smallest stack, in KiB, on which the system can start heddle at all. The environment lies on the stack, and the system
# starts up to 8 KiB below its end, at random: hence ten tries, and 8 KiB more.
heddle_on_a_stack_of() # KIB ARGUMENTS...
{
    kib=$1
    shift
    (ulimit -S -s "$kib" && exec env -i LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" "$heddle" "$@" >"$scratch/out" 2>&1)
}
starts_on_a_stack_of() # KIB
{
    for try in 1 2 3 4 5 6 7 8 9 10; do
        heddle_on_a_stack_of "$1" --version 2>/dev/null || return 1
    done
}
for kib in 16 24 32 64 128; do
    starts_on_a_stack_of $kib && break
done
kib=$((kib + 8))
heddle_on_a_small_stack() # ARGUMENTS...
{
    heddle_on_a_stack_of $kib "$@"
}
expect "a buffer is read from a file on a stack of $kib KiB" heddle_on_a_small_stack run saxpy.ptx --block 100 --arg 0 \
    --arg "buf:f32=file($scratch/y.bin)" --arg "buf:f32=file($scratch/y.bin)" --arg 100 --gpu fermi --quiet
expect "control flow is analysed on a stack of $kib KiB" heddle_on_a_small_stack flow saxpy.ptx
wide=yes
saxpy json 0 \
    '^\{"kernel":"saxpy","mechanism":"functional","gpu":null,"cycles":null,"warp_instructions":[0-9]+,' - \
    --json - --quiet
check json-fault 3 '"fault":\{"kind":"access out of bounds"' 'access out of bounds' run saxpy.ptx --arg 1 \
    --arg 'buf:f32[8]' --arg 'buf:f32[8]' --arg 9 --json - --quiet
wide=no

# arguments
check structure 0 '^ +0: +1005$' - run several.ptx --kernel structure --block 1 --arg bytes:05000000e8030000 \
    --arg 'buf:u32[1]' --print 1 --quiet
check narrow 0 '^ +0: +200 4294966296 ' - run several.ptx --kernel narrow --block 1 --arg 200 --arg \
    s16:-1000 \
    --arg 1.5 --arg 'buf:u32[4]' --print 3 --quiet
check narrow-double 0 '1072693248$' - run several.ptx --kernel narrow --block 1 --arg u8:1 --arg 1 --arg \
    f64:1 \
    --arg 'buf:u32[4]=9,9,9,9' --print 3 --quiet
check out-of-range 2 - "argument 0, '256': '256' is no value of type u8" run several.ptx --kernel narrow \
    --arg 256 \
    --arg 1 --arg 1 --arg 'buf:u32[4]'
check wrong-width 2 - 'the parameter has 1 bytes, u32 has 4' run several.ptx --kernel narrow --arg u32:1 \
    --arg 1 \
    --arg 1 --arg 'buf:u32[4]'
check integer-as-float 2 - 'of type f64, not u64; bytes:' run several.ptx --kernel narrow --arg 1 --arg 1 --arg u64:1 --arg 0
check float-as-integer 2 - 'of type u64, not f64' run several.ptx --kernel narrow --arg 1 --arg 1 --arg 1 --arg f64:0
check wrong-kind 2 - 'no kind of argument' run several.ptx --kernel narrow --arg u33:1 --arg 1 --arg 1 --arg 0
check wrong-bytes 2 - 'needs 16 hexadecimal digits' run several.ptx --kernel structure --arg bytes:00 --arg 0
check structure-as-number 2 - 'structure of 8 bytes' run several.ptx --kernel structure --arg 1 --arg 0
check too-few 2 - 'takes 4 arguments .*, 1 were given' run saxpy.ptx --arg 1
check bad-buffer 2 - 'size is missing' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg buf:u32=iota
check bad-list 2 - 'more values' run several.ptx --kernel structure --arg bytes:0000000000000000 --arg \
    'buf:u32[1]=1,2'
check bad-element 2 - "'x' is no value" run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:u32[2]=1,x'
check bad-type 2 - 'no type of elements' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:quad[2]'
check no-file 2 - 'cannot read nothing.bin' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:u32=file(nothing.bin)'
check no-buffer 2 - '1 or more' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:u8[0]'
check hopeless-buffer 2 - 'no memory holds' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:f32[1000000000000000]'
check device-as-input 2 - '/dev/zero is no regular file, so the buffer.s size must be given' run several.ptx \
    --kernel structure --arg bytes:0000000000000000 --arg 'buf:u32=file(/dev/zero)'
check device-sized 0 '^ +0: +0 +0 +0$' - run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:u32[3]=file(/dev/zero)' --print 1 --quiet
head -c 4000000 /dev/zero >"$scratch/long.bin"
check file-too-long 2 - 'long.bin has more than the [0-9]+ bytes of free memory' run several.ptx --kernel structure \
    --memory 2M --arg bytes:0000000000000000 --arg "buf:u32=file($scratch/long.bin)"
check file-longer 2 - 'long.bin holds 1000000 elements, not 3' run several.ptx --kernel structure \
    --arg bytes:0000000000000000 --arg "buf:u32[3]=file($scratch/long.bin)"
check file-shorter 2 - 'long.bin holds 1000000 elements, not 1000001' run several.ptx --kernel structure \
    --arg bytes:0000000000000000 --arg "buf:u32[1000001]=file($scratch/long.bin)"
check device-too-long 2 - 'no room for [0-9]+ bytes; see --memory' run several.ptx --kernel structure --memory 2M \
    --arg bytes:0000000000000000 --arg 'buf:u32[1000000]=file(/dev/zero)'
check folder-as-input 2 - 'cannot read \.: Is a directory' run several.ptx --kernel structure \
    --arg bytes:0000000000000000 --arg 'buf:u32=file(.)'
check upside-down 2 - 'lowest value 3 is above its highest, -3' run several.ptx --kernel structure \
    --arg bytes:0000000000000000 --arg 'buf:s32[4]=random(1,3,-3)'
for bounds in nan,inf -inf,1 0,nan 9,-9; do
    case $bounds in 9,-9) why='lowest value 9 is above its highest, -9' ;; *) why='are not finite' ;; esac
    check "random $bounds" 2 - "$why" run several.ptx --kernel structure --arg bytes:0000000000000000 \
        --arg "buf:f32[4]=random(7,$bounds)"
done
check random-too-wide 2 - 'or too far apart' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:f64[4]=random(7,-1e308,1e308)'
check huge-buffer 2 - 'see --memory' run several.ptx --kernel structure --arg bytes:0000000000000000 \
    --arg 'buf:u8[100000000000]'
check random 0 '^ +0: +-?[0-3] +-?[0-3] ' - run saxpy.ptx --arg 0 --arg 'buf:s32[8]=random(3,-3,3)' \
    --arg 'buf:f32[8]=random(3)' --arg 0 --print 1 --quiet
saxpy print-number 2 - 'argument 3 is no buffer' --print 3
saxpy print-nonsense 2 - 'takes the number of an argument' --print x

# command line mistakes
check misspelt 2 - 'did you mean --grid\?' run saxpy.ptx --gird 4
# Only near misses are offered, and what there is is listed; commands that run others name themselves.
check no-near-miss 2 - "unknown option '--zzz'$" run saxpy.ptx --zzz
check no-near-command 2 - "no command 'zzz'; there is run, .*compare, .*help$" zzz
check no-near-topic 2 - "no topic 'zzz'; there is .*mechanisms" list zzz
check no-near-kernel 2 - "no kernel 'zzz'; there is .*narrow" run several.ptx --kernel zzz
check no-near-knob 2 - "no knob 'zzz' in 'sm'; see heddle list knobs$" run saxpy.ptx --gpu tiny --set sm.zzz=1
check near-knob 2 - "no knob 'simd_widht' in 'sm'; did you mean simd_width\?$" run saxpy.ptx --gpu tiny --set sm.simd_widht=1
check no-machine 2 - "no machine and no file 'zzz'; there is .*fermi, .*volta" run saxpy.ptx --gpu zzz
check no-pass 2 - "there is no pass 'zzz'; there is .*merge-loops" run saxpy.ptx --rewrite zzz
check no-near-mechanism 2 - "no mechanism 'nosuch'; there are pdom .*bound$" compare saxpy.ptx --mech nosuch
check compare-names-itself 2 - "^heddle compare: no machine and no file 'zzz'" compare saxpy.ptx --gpu zzz
check compare-option-itself 2 - "^heddle compare: unknown option '--zzz'$" compare saxpy.ptx --zzz
check compare-knob-itself 2 - "^heddle compare: '99' for sm.warp_width: .* from 4 to 64" compare saxpy.ptx --set sm.warp_width=99
check sweep-names-itself 2 - "^heddle sweep: no machine and no file 'zzz'" sweep --programs saxpy.ptx --gpu zzz --mech pdom --store "$scratch/x.db"
check no-claim 2 - "tbc has no claim 'T99'; there is T01, .*, T37$" paper tbc --claim T99
# On a terminal with 60 columns messages are broken into lines; in a pipe each is one line.
script -qec "stty cols 60; $heddle compare saxpy.ptx --mech nosuch" /dev/null </dev/null | tr -d '\r' >"$scratch/out"
count=$((count + 1))
awk 'length > 60 { exit 1 }' "$scratch/out" && [ "$(grep -c . "$scratch/out")" -gt 4 ] && grep -q 'bound$' "$scratch/out" ||
    { failed=$((failed + 1)); echo "FAILED messages fit a terminal with 60 columns"; cat "$scratch/out"; }
check misspelt-option 2 - 'did you mean --limit\?' run saxpy.ptx --limt 4
check bad-grid 2 - 'one to three numbers' run saxpy.ptx --grid 0
check bad-block 2 - 'one to three numbers' run saxpy.ptx --block 1,2,3,4
check no-value 2 - 'needs a value' run saxpy.ptx --grid
check no-ptx 2 - 'no PTX file' run
check two-files 2 - 'one file at a time' run saxpy.ptx several.ptx
check which-kernel 2 - 'choose one with --kernel: structure, endless, odd, narrow' run several.ptx
check wrong-kernel 2 - 'did you mean narrow\?' run several.ptx --kernel narow
check no-machine 2 - "no machine and no file 'nosuch'" run saxpy.ptx --gpu nosuch
check no-mechanism 2 - "no mechanism 'nosuch'" run saxpy.ptx --gpu fermi --mech nosuch
check no-knob 2 - "no knob 'nosuch' in 'sm'" run saxpy.ptx --gpu fermi --set sm.nosuch=1
check no-scheduler 2 - "'nosuch' for sm.scheduler" run saxpy.ptx --gpu fermi --set sm.scheduler=nosuch
check no-workload 2 - "no file and no workload 'nobody'" run nobody
check bad-option-value 2 - 'must be one of engine' run saxpy.ptx --executor gpu
check too-many-host-threads 2 - '--threads' run saxpy.ptx --threads 5000
saxpy too-many-threads 2 '' 'block.s size in x is 1025' --block 1025

# bad input and output
check missing-file 1 - '^nowhere.ptx: error: cannot read the file: No such file' run nowhere.ptx
check folder-as-file 1 - '^\.: error: cannot read the file: Is a directory' flow .
check endless-file 1 - '^/dev/zero: error: the file is longer than' list kernels /dev/zero
check broken 1 - 'broken.ptx:7:[0-9]+: error: ' run broken.ptx
check broken-caret 1 - '^ +\^' run broken.ptx
check broken-flow 1 - 'broken.ptx:8:[0-9]+: error: ' flow broken.ptx
check unsupported 1 - 'line 33: .*no.such.instruction.*; line 35: nor.this.one' run several.ptx --kernel odd
check endless 3 - 'limit of instructions reached in kernel endless' run several.ptx --kernel endless --limit 10K --quiet
check endless-limit 3 - 'the limit of 10000 warp instructions is reached in the loop that starts at PTX line' run several.ptx --kernel endless --limit 10K --quiet
check out-of-bounds 3 '^argument 2: f32\[8\] hash' 'past the end of argument buf:f32' run saxpy.ptx --arg 1 \
    --arg 'buf:f32[8]' --arg 'buf:f32[8]' --arg 9 --hash --quiet
check far-out-of-bounds 3 - 'past the end of argument buf:f32\[8\].*bytes before kernel parameters' run saxpy.ptx \
    --arg 1 --arg 0x700000000800 --arg 'buf:f32[8]' --arg 1 --quiet
saxpy unwritable-json 1 - '^heddle: cannot open .*No such file' --json /no/such/folder/x.json --hash
saxpy full-disk-json 1 '' 'No space left' --json /dev/full --quiet
saxpy unwritable-buffer 1 - 'cannot write' --write 2=/no/such/folder/y --hash
saxpy full-disk-buffer 1 '' 'No space left' --write 2=/dev/full --quiet
printf '.version 8.0\n.target sm_70\n.address_size 64\n' >"$scratch/bare.ptx"
for command in run flow recon 'list kernels'; do
    check "no kernel: $command" 1 - 'bare.ptx holds no kernel$' $command "$scratch/bare.ptx"
done
check folder-as-profile 2 - 'cannot read the profile \.: Is a directory' recon saxpy.ptx --auto --profile .
check empty-machine 2 - '/dev/null: the file sets no knob' run saxpy.ptx --gpu /dev/null
check flow-one-form 2 - '\-\-dot and --json exclude' flow saxpy.ptx --dot --json
check recon-one-form 2 - '\-\-dot and --json exclude' recon saxpy.ptx --json --dot
check list-one-form 2 - '\-\-json and --markdown exclude' list stats --json --markdown
check recon-without-machine 2 - '\-\-recon needs a machine' run saxpy.ptx --recon auto

# figures of a machine; everything on stderr, so that stdout is the kernel's
quads() # NAME STATUS STDOUT STDERR ARGUMENTS...: two warps of four on the tiny machine, each diverges once
{
    n=$1 s=$2 o=$3 e=$4
    shift 4
    check "$n" "$s" "$o" "$e" run quads.ptx --block 8 --arg 'buf:u32[8]' --gpu tiny "$@"
}
fits() # FILE: no line is wider than 100 columns
{
    LC_ALL=C awk 'length > 100 { exit 1 }' "$1"
}
quads stats-summary 0 - '^  SIMD efficiency +[0-9.]+ %  +[0-9.]+ of 4 threads per issue$'
expect "the summary is one screen" [ "$(wc -l <"$scratch/err")" -le 30 ]
expect "the summary fits 100 columns" fits "$scratch/err"
quads stats-branches 0 - '^  PTX line [0-9]+ +2 +2 100\.0%  25\.0% +1\.0 ' --stats branches
quads stats-other 0 - '^  not by a branch +0\.0   0\.0%$' --stats branches
quads stats-cycles 0 - '^  W0_Idle +[0-9]+ +[0-9.]+ %' --stats cycles
quads stats-names 0 - '^gpu_sim_insn = [0-9]+$' --stats names
quads stats-mechanism 0 - '^pdom\.max_depth +2 entries ' --stats mechanism
quads stats-all 0 - '^sm\.thread_instructions ' --stats all
expect "all figures fit 100 columns" fits "$scratch/err"
quads stats-none 0 - - --stats none
quads stats-quiet 0 - - --quiet
quads stats-wrong 2 - "no statistics 'cycels'; there are summary cycles" --stats cycels
quads stats-csv 0 '^launch,kernel,branch,pc,meets,executed,diverged,threads,taken,lost_lanes,lost_issues$' - --stats branches --csv - \
    --quiet
quads stats-csv-row 0 '^1,quads,PTX line 15,3,PTX line 19,2,2,8,2,4,1$' - --stats branches --csv - --quiet
# one table per file: a single table has the name that was asked for, several have their names before the extension
quads csv-one-table 0 - - --stats branches --csv "$scratch/one.csv" --quiet
expect "one table is written to its file" grep -q '^launch,kernel,branch,' "$scratch/one.csv"
quads csv-tables 0 - - --stats cycles,branches,lines --interval 10 --csv "$scratch/several.x.csv" --quiet
quads csv-tables-again 0 - - --stats cycles,branches,lines --interval 10 --csv "$scratch/several.x.csv" --quiet
expect "each table has a file" [ "$(cd "$scratch" && echo several*)" = \
    "several.x.branches.csv several.x.counters.csv several.x.lines.csv" ]
for table in counters:name branches:branch lines:line; do
    expect "${table%:*} have one heading" [ "$(grep -c "^launch,kernel,${table#*:}," "$scratch/several.x.${table%:*}.csv")" -eq 1 ]
done
quads csv-all 0 - - --stats all --csv "$scratch/all" --quiet
expect "no file without a table" [ "$(cd "$scratch" && echo all*)" = "all.branches all.counters all.lines" ]
wide=yes
quads csv-stdout 0 '^$' - --stats cycles,branches --csv - --quiet
wide=no
quads unwritable-csv 1 - 'cannot open .*No such file' --csv /no/such/folder/x.csv
quads stats-interval 0 - '^ +to cycle ' --interval 1000
# A queue of replies that fills its ring with replies that were sent ahead: the series once never ended.
check interval-replies-ahead 0 'bfs2 test: right' - run bfs2 --size test --gpu fermi --threads 1 --set mem.l2_reply_queue=2 \
    --set mem.l2_latency=200 --interval 7 --limit 10000000 --quiet
quads interval-missing 2 - '--interval N' --stats intervals
wide=yes
quads bound-json 0 '"thread_instructions":92,"simd_efficiency":1\.000000' - --json - --quiet --mech mimd
quads gang-sizes 0 ',in_gangs_of_1,.*,in_gangs_of_8$' - --csv - --interval 10 --quiet --mech vws
quads stats-json 0 '"branches":\[\{"pc":[0-9]+,"where":"PTX line [0-9]+",.*"lost_lanes":4,"lost_issues":1' - --json - --quiet
quads interval-json 0 '"intervals":\[\{"end":' - --json - --quiet --interval 1000
wide=no
saxpy stats-functional 2 - '--stats needs a machine: --gpu NAME' --stats cycles
saxpy stats-functional-none 0 - - --stats none
saxpy interval-functional 2 - '--interval needs a machine' --interval 5

# races
races() # NAME STATUS STDERR KERNEL ARGUMENTS...
{
    n=$1 s=$2 e=$3 k=$4
    shift 4
    check "$n" "$s" '' "$e" run races.ptx --kernel "$k" --arg 'buf:u32[64]' --block 64 --quiet "$@"
}
races race-unasked 0 - unordered
races race-functional 3 'race in kernel unordered: two threads of one row, and nothing orders them' unordered --check races
races race-place 3 '^          PTX line 17: ld.volatile.shared.u32 ' unordered --check races
races race-thread 3 'first   block \(0,0,0\), thread \(1,0,0\), write' unordered --check races --gpu fermi
races race-in-step 3 '^pdom keeps threads in lock-step' unordered --check races --gpu fermi
races race-narrow-warps 3 '^Under pdom lock-step is not guaranteed' unordered --check races --gpu tiny
races race-dual-path 3 '^dpe keeps threads in lock-step' unordered --check races --gpu fermi --mech dpe
races race-run-ahead 3 '^Under dpe lock-step is not guaranteed' unordered --check races --gpu fermi --mech dpe \
    --set dpe.memory_divergence=yes
races race-regrouped 3 '^Under mimd lock-step is not guaranteed' unordered --check races --gpu fermi --mech mimd
races race-ordered 0 - ordered --check races
races race-ordered-timed 0 - ordered --check races --gpu volta
races race-oracle 2 'the oracle does not look' ordered --check races --executor oracle
races race-bad-check 2 'must be one of none.races' ordered --check race
wide=yes
check race-json 3 '"races":1,' '' run races.ptx --kernel unordered --arg 'buf:u32[64]' --check races --quiet --json -
check race-json-none 0 '"races":0,' - run races.ptx --kernel ordered --arg 'buf:u32[64]' --check races --quiet --json -
wide=no

# likely-convergence points from a profile: JOIN runs once a round
profiled() # NAME STATUS STDOUT STDERR ARGUMENTS...
{
    n=$1 s=$2 o=$3 e=$4
    shift 4
    check "$n" "$s" "$o" "$e" run rare_break.ptx --arg 'buf:u32[64]' --block 64 --gpu fermi "$@"
}
profiled profile-made 0 'hash 201f69a21616f725' - --mech pdom --quiet --hash --json "$scratch/profile.json"
profiled profile-none 0 '' 'warp instructions +706 ' --mech pdom
profiled profile-analysis 0 '' 'warp instructions +574 ' --mech pdom-lcp
profiled profile-stack 0 'hash 201f69a21616f725' 'warp instructions +414 ' --mech pdom-lcp --hash --profile "$scratch/profile.json"
profiled profile-block 0 'hash 201f69a21616f725' 'warp instructions +414 ' --mech tbc-lcp --hash --profile "$scratch/profile.json"
profiled profile-wrong-mech 2 - 'mechanisms with likely-convergence points' --mech pdom --profile "$scratch/profile.json"
profiled profile-missing 2 - 'cannot read the profile nowhere.json' --mech pdom-lcp --profile nowhere.json
check profile-other 2 - 'has no run of this program' run races.ptx --kernel ordered --arg 'buf:u32[64]' --gpu fermi \
    --mech pdom-lcp --profile "$scratch/profile.json"
# a profile of the run itself: the first launch of a kernel has none, and takes the analysis's points
profiled running-first 0 'hash 201f69a21616f725' 'under pdom-lcp$' --mech pdom-lcp --hash --profile-running
profiled running-wrong-mech 2 - '--profile-running is for mechanisms with likely-conv' --mech tbc --profile-running
profiled running-and-file 2 - 'exclude each other' --mech pdom-lcp --profile-running --profile "$scratch/profile.json"
saxpy running-functional 2 - '--profile-running needs a machine' --profile-running
check running-workload 0 '' '' run bfs2 --size test --gpu fermi --mech tbc-lcp --profile-running --verify functional --quiet \
    --json "$scratch/running.json"
expect "every launch of a kernel knows those before it" [ "$(grep -o '"profiled_launches":[0-9]*' "$scratch/running.json" | tail -n 1 |
    cut -d: -f2)" -gt 1 ]
saxpy profile-functional 2 - '--profile needs a machine' --profile "$scratch/profile.json"

# environment
HEDDLE_OPTS="--executor oracle" && export HEDDLE_OPTS
wide=yes
saxpy environment 0 '"mechanism":"oracle"' - --json - --quiet
HEDDLE_OPTS="--quiet"
saxpy environment-quiet 0 '^       0: +1$' - --print 2:1
HEDDLE_OPTS="--executer oracle"
saxpy environment-wrong 2 - 'HEDDLE_OPTS: .*did you mean --executor'
unset HEDDLE_OPTS
wide=no

# flow and list
check flow 0 'program saxpy' - flow saxpy.ptx
wide=yes
check flow-names 0 '^  block [A-Z]  PCs ' - flow saxpy.ptx
check flow-dot 0 '^digraph' - flow saxpy.ptx --dot
check flow-json 0 '^\{"kernel": ?"saxpy"' - flow saxpy.ptx --json
wide=no
check flow-barriers 0 '^barriers of saxpy: ' - flow saxpy.ptx --barriers
check flow-kernel 0 'endless' - flow several.ptx --kernel endless
check flow-some 1 'program narrow' 'no.such.instruction' flow several.ptx
check flow-wrong 2 - 'did you mean --dot' flow saxpy.ptx --dott
check list 0 'sregs' - list
check list-instructions 0 '^ADD +add\.type d, a, b$' - list instructions
check list-sregs 0 '^%tid\.x +u32' - list sregs
check list-classes 0 '^FP32 ' - list classes
check list-options 0 '^  --memory BYTES' - list options
check list-kernels 0 '^ +1 +u64 +8 bytes.* out$' - list kernels several.ptx

# C++ names, as people write them
check list-kernels-c++ 0 '^ +void ns::mul<int>\(int\*\)$' - list kernels names.ptx
expect "a parameter's name without that of its kernel" grep -Eq '^ +0 +u64 +8 bytes +param_0$' "$scratch/out"
check kernel-c++ 0 '^ +0: 7$' '' run names.ptx --kernel add --arg 'buf:u32[1]' --print 0
expect "figures have that name" grep -q '^add: grid 1 x' "$scratch/err"
check kernel-c++-machine 0 '^trace of add on tiny' '^add: grid 1 x' run names.ptx --kernel add --arg 'buf:u32[1]' --gpu tiny --trace
check kernel-template 0 - '' run names.ptx --kernel 'mul<float>' --arg 'buf:u32[1]'
check kernel-of-several 2 - "2 kernels match 'mul'; choose one with --kernel: _ZN2ns3mulIiEEvPT_, _ZN2ns3mulIfEEvPT_" \
    run names.ptx --kernel mul --arg 'buf:u32[1]'
check kernel-left-out 2 - 'the file holds 4 kernels; choose one with --kernel: add, ns::mul<int>, ns::mul<float>, ns::' run names.ptx
check kernel-nearest 2 - "there is no kernel 'mull'; did you mean ns::mul<" run names.ptx --kernel mull
check kernel-no-names 2 - "there is no kernel ','" run names.ptx --kernel ,
check rewritten-c++ 0 - '^rewrite: coarsen: ns::mul<int>: ' run names.ptx --kernel 'mul<int>' --arg 'buf:u32[1]' --rewrite coarsen=2
check recon-c++ 2 - "kernel ns::mul<int> has no label or block 'Q'" recon names.ptx --kernel 'mul<int>' --predict Q:R
check kernel-in-table 0 '% lone<\.\.\.>, PTX line 33$' - compare names.ptx --kernel lone --arg 'buf:u32[1]' --mech pdom --gpu tiny
check fault-c++ 3 - 'access out of bounds in kernel add$' run names.ptx --kernel add --arg 8
wide=yes
check list-json 0 '^\{"id":"ADD","mnemonic":"add"' - list instructions --json
check list-conformance 0 '^  alloca +7\.3  sm_52 +engine yes' - list conformance
check list-conformance-json 0 '"instruction":"stacksave",.*"engine":"yes","oracle":"yes","timed":"yes","silicon":"-"' - list conformance --json
check list-conformance-refused 0 '"instruction":"multimem\.st",.*"refused":"' - list conformance --json
check list-markdown 0 '^\| ADD \| `add\.type d, a, b` \|' - list instructions --markdown
expect "docs/instructions.md is what the table prints" cmp -s "$scratch/out" ../../docs/instructions.md
wide=no
check list-machines 0 '^fermi +Fermi ' - list machines
check list-mechanisms 0 '^pdom +One reconvergence stack' - list mechanisms
check list-schedulers 0 '^gto +Greedy then oldest' - list schedulers
check list-knobs-set 0 '^sm\.warp_width +16 ' - list knobs --gpu fermi --set sm.warp_width=16
check list-knobs-set-alone 2 - '--gpu NAME --set' list knobs --set sm.warp_width=16
check list-knobs 0 '^sm\.warp_width .* \[4 to 64 threads\]' - list knobs
check list-knobs-default 0 '^gpu\.sm_count +1 +Number of multiprocessors' - list knobs
check list-knobs-gpu 0 '^gpu\.sm_count +15 +Number of multiprocessors' - list knobs --gpu fermi
check list-knobs-no-gpu 2 - "no machine and no file 'nosuch'" list knobs --gpu nosuch
check list-knobs-no-knob 2 - "no knob 'nosuch' in 'sm'" list knobs --gpu fermi --set sm.nosuch=1
check list-knobs-no-scheduler 2 - "'nosuch' for sm.scheduler" list knobs --gpu fermi --set sm.scheduler=nosuch
check list-folders 0 '^libcuda +/.*/lib$' - list folders
[ ! -d "$(dirname "$heddle")/../examples" ] || check list-folders-of-the-tree 0 '^examples +/.*examples$' - list folders
check list-no-topic 2 - '--gpu of which topic' list --gpu fermi
check list-gpu-misplaced 2 - '--gpu and --set are for knobs' list machines --gpu fermi
check list-stats 0 '^sm\.blocks +Blocks that ended\. \[blocks\]$' - list stats
wide=yes
check list-machines-json 0 '^\{"name":"tiny",.*"sm":\{"warp_width":4,' - list machines --json
check list-mechanisms-json 0 '^\{"name":"pdom","summary":"' - list mechanisms --json
check list-schedulers-json 0 '^\{"name":"gto","summary":"' - list schedulers --json
check list-knobs-json 0 '^\{"name":"sm\.scheduler","kind":"choice","default":"lrr","value":"gto","choices":\["lrr",' - \
    list knobs --json --gpu fermi
check list-stats-json 0 '^\{"kind":"derived","name":"simd_efficiency",' - list stats --json
check list-stats-markdown 0 '^\| `sm\.cycles` \| cycles \| ' - list stats --markdown
expect "docs/statistics.md is what the tables print" cmp -s "$scratch/out" ../../docs/statistics.md
wide=no

# bare names, one a line, for scripts: whatever has names
for topic in $("$heddle" list topics --names); do
    case $topic in area) continue ;; kernels) file=saxpy.ptx ;; *) file= ;; esac
    # shellcheck disable=SC2086 -- a file or nothing
    check "names of $topic" 0 '^[^ ]' - list $topic $file --names
    expect "names of $topic are bare" [ "$topic" = words -o "$(grep -c ' ' "$scratch/out")" -eq 0 ]
    expect "no name of $topic comes twice" [ -z "$(sort "$scratch/out" | uniq -d)" ]
done
check names-of-area 2 - 'area has no names' list area --names
check names-one-form 2 - '\-\-json and --names exclude' list machines --json --names
wide=yes
check mechanisms-with-schedulers 0 '^\{"name":"dwf",.*"scheduler":"majority"\}$' - list mechanisms --json
wide=no
for machine in $("$heddle" list machines --names); do
    expect "the machine $machine is a file of gpus/" [ -f "../../gpus/$machine.ini" ]
done
for name in $("$heddle" list papers --names); do
    expect "the paper $name is two files of papers/" [ -f "../../papers/$name.ini" -a -f "../../papers/$name.csv" ]
done
expect "every paper of papers/ is built in" [ "$("$heddle" list papers --names | wc -l)" -eq "$(ls ../../papers/*.ini | wc -l)" ]
expect "every workload of workloads/ is known" [ "$("$heddle" list workloads --names | sort)" = \
    "$(ls -d ../../workloads/*/kernels.cu | sed 's|.*/\([^/]*\)/kernels.cu|\1|' | sort)" ]
check list-generated 0 'app-0 .*app-149: 150 generated kernels' - list workloads
check run-generated 0 '^app-149 test: right' - run app-149 --size test --quiet
check run-generated-no-such 2 - "no workload 'app-150'" run app-150
check run-ptx 0 '^bfs2 test: right' - run bfs2 --size test --ptx plain --quiet
check run-ptx-wrong 2 - "--ptx takes nvcc or plain, not 'gcc'" run bfs2 --ptx gcc
check run-hints 0 '^mcb test: right' - run mcb --size test --hints --gpu volta --mech volta --quiet
cycles_of() { "$heddle" run mcb --size test --gpu volta --mech volta --quiet --json - "$@" | sed -n 's/.*"cycles":\([0-9]*\),.*/\1/p'; }
expect "hints change where threads wait" [ "$(cycles_of)" != "$(cycles_of --hints)" ]
check run-hints-none 1 - 'bfs2: its kernels have no hints' run bfs2 --size test --hints
check run-ptx-of-file 2 - '--ptx is for workloads' run saxpy.ptx --ptx plain
check list-wrong 2 - 'did you mean instructions\?' list instructoins
check list-no-file 2 - 'kernels of which file' list kernels
check list-file 2 - 'takes no file' list sregs saxpy.ptx

# words and tables fit a terminal of 80 columns
narrow() # ARGUMENTS...
{
    COLUMNS=80
    export COLUMNS
    check "80 columns: $*" 0 '' '' "$@"
    unset COLUMNS
    expect "80 columns: $*: no line is wider" [ "$(awk 'length > m { m = length } END { print m + 0 }' "$scratch/out")" -le 80 ]
}
narrow compare bfs2 --size test --mech pdom,tbc
expect "a narrow table keeps the place of a branch" grep -q 'kernels.cu:22$' "$scratch/out"
narrow compare lps --size test --mech pdom,tbc,dwf --vary sm.scheduler=lrr,gto
narrow list mechanisms
narrow list machines
narrow list workloads
narrow list knobs
narrow list stats
narrow list area
narrow list area --mech vws
narrow list sregs
narrow paper vws --size test --claim V01
narrow paper tbc --size test --claim T12 --sweep ptx
for gpu in '' '--gpu fermi'; do
    COLUMNS=80
    export COLUMNS
    check "80 columns: branches and lines" 0 '' '  kernels.cu:22 ' run bfs2 --size test $gpu --stats branches,lines
    unset COLUMNS
    expect "80 columns: branches and lines: no line is wider" \
        [ "$(awk 'length > m { m = length } END { print m + 0 }' "$scratch/err")" -le 80 ]
    expect "a narrow line keeps the beginning of its source" grep -q '^  kernels.cu:22 .*  for (int e = ' "$scratch/err"
    expect "a narrow branch keeps what it lost" grep -Eq '^  kernels.cu:22 .* [0-9.]+ +[0-9.]+%$' "$scratch/err"
    expect "a narrow table leaves columns out" [ "$(grep -Ec 'reconverges at|transactions' "$scratch/err")" -eq 0 ]
    check "100 columns: branches" 0 '' 'issues lost +reconverges at$' run bfs2 --size test $gpu --stats branches,lines
done

# a message stands behind what was printed before it, where both go to one file: not amid a line, nor between rows
"$heddle" run prints.ptx --block 512 --record "$scratch/none" >"$scratch/both" 2>&1
expect "all rows are printed whole" [ "$(grep -cx 'a row of a table' "$scratch/both")" -eq 512 ]
expect "they come before messages" [ "$(sed -n '1,512{/^a row of a table$/d;p}' "$scratch/both" | wc -l)" -eq 0 ]
expect "the message comes next" [ "$(sed -n '513s/ of kernel.*//p' "$scratch/both")" = 'heddle: launch 1' ]

if [ $failed -ne 0 ]; then
    echo "$failed of $count command-line checks failed"
    exit 1
fi
echo "$count command-line checks passed"
