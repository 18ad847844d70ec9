#!/bin/sh
# heddle exec as a user meets it: run.sh HEDDLE. The compiler is $CC, with $CFLAGS. Checks are those of ../check.sh.
wide=
. "$(dirname "$0")/../check.sh"
build=$(dirname "$heddle")
# shellcheck disable=SC2086
${CC:-cc} ${CFLAGS:-} app.c -I../../../include -L"$build/lib" -lcuda -o "$scratch/app" || exit 1
app=$scratch/app
# In a build with sanitizers, programs that end by a signal do so by that signal.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0"

# what passes through
check passes-stdout 0 '^hello$' '' exec "$app" say hello
check passes-status 5 - '' exec -- "$app" exit 5
check passes-words 0 '^--help$' '' exec "$app" say --help
check help-is-heddles 0 '^heddle exec ' - exec --help
check help-behind-option 0 '^heddle exec ' - exec --quiet -h
printf 'one\ntwo\n' | "$heddle" exec "$app" echo >"$scratch/out" 2>/dev/null
expect "stdin passes" [ "$(cat "$scratch/out")" = "one
two" ]
check killed 139 - 'app was ended by signal 11 \(Segmentation fault\)' exec "$app" kill 11
check fault-is-the-programs 9 - 'access out of bounds in kernel beyond' exec "$app" beyond
expect "and the program reports it" grep -q 'cuCtxSynchronize.*ILLEGAL_ADDRESS' "$scratch/err"

# programs that cannot be started
check not-found 127 - "^heddle exec: there is no program 'no-such-app' in PATH$" exec no-such-app
check no-file 127 - '^heddle exec: cannot run ./no-such-app: No such file' exec ./no-such-app
check folder 126 - 'it is a folder' exec ./
check not-executable 126 - 'it is not executable' exec ./app.c
check ptx 126 - 'it is PTX, whose kernels heddle run runs' exec ../saxpy.ptx
cp ../saxpy.ptx "$scratch/executable.ptx" && chmod +x "$scratch/executable.ptx"
check executable-ptx 126 - 'it is PTX, whose kernels heddle run runs' exec "$scratch/executable.ptx"
check no-program 2 - 'no program was given' exec --quiet
check program-or-views 2 - "'app' was taken for the views of --trace; put -- before" exec --gpu tiny --trace app
check no-program-behind 2 - 'no program was given' exec --
script() { printf "$1" >"$scratch/script" && chmod +x "$scratch/script"; }
script '#!/bin/sh\nexec "$@"\n'
check script 6 '^hi$' '' exec "$scratch/script" "$app" say hi exit 6
script '#!/no/such/shell\n'
check no-interpreter 126 - 'its interpreter /no/such/shell does not exist' exec "$scratch/script"
script 'echo hi\n'
check no-interpreter-line 126 - 'no script that begins with #!' exec "$scratch/script"
script ''
check empty-file 126 - 'the file is empty' exec "$scratch/script"
script '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\024\000'
check other-processor 126 - 'cannot execute, for another processor' exec "$scratch/script"
cp "$app" "$scratch/heddle-test-app"
PATH=$scratch:$PATH check in-path 0 '^found$' '' exec heddle-test-app say found

# options are checked before the program starts, and reach it whatever they hold
check wrong-option 2 - 'did you mean --gpu' exec --gpo fermi "$app" say started
check wrong-value 2 - "no machine and no file 'fermy'" exec --gpu fermy "$app" say started
check needs-machine 2 - 'mech needs a machine' exec --mech tbc "$app" say started
check unwritable 1 - 'cannot open /no/such/folder/x' exec --json /no/such/folder/x "$app" say started
HEDDLE_OPTS="--limit x" check wrong-environment 2 - 'HEDDLE_OPTS: --limit must be' exec "$app" say started
folder="$scratch/it's a \"folder\""
mkdir "$folder" "$scratch/elsewhere"
cp ../../../gpus/tiny.ini "$folder/my.ini"
(
    cd "$folder" && HEDDLE_OPTS="--gpu my.ini" "$heddle" exec --json "a b.json" --set sm.max_blocks=3 -- "$app" \
        chdir "$scratch/elsewhere" launch alpha 1
) >"$scratch/out" 2>"$scratch/err"
expect "relative paths hold in another folder" grep -q '"gpu":"my"' "$folder/a b.json"
expect "settings reach the program" grep -q '"max_blocks":3' "$folder/a b.json"

mkdir -p "$scratch/a:b/lib" && cp "$heddle" "$scratch/a:b/heddle" && cp "$build/lib/libcuda.so.1" "$scratch/a:b/lib"
"$scratch/a:b/heddle" exec "$app" say started >"$scratch/out" 2>"$scratch/err"
expect "a folder that LD_LIBRARY_PATH cannot name" grep -q 'has a colon' "$scratch/err"
expect "and then the program is not started" [ ! -s "$scratch/out" ]

# signals reach the program
"$heddle" exec "$app" wait >"$scratch/out" 2>"$scratch/err" </dev/null &
first=$!
tries=0
until grep -q waiting "$scratch/out" || [ $tries -gt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -TERM $first
wait $first
expect "SIGTERM reaches the program, which has the last word" [ $? -eq 7 ]
awaited=
stops hup HUP 129 2 0 '' 'ended by signal 1' exec "$app" say start wait

# the sum
row() { grep -Eq "^ +$1 +$2 .* $3\$" "$scratch/err"; } # LAUNCHES WARP-INSTRUCTIONS KERNEL
check sum 0 - '^heddle: .*/app: 6 launches of 3 kernels, [0-9.]+ host seconds$' exec "$app" launch alpha 3 launch beta 2 \
    launch _Z5gammaPj 1
expect "a row per kernel" row 3 48 alpha
expect "mangled names are shown as people write them" row 1 16 gamma
expect "a row for all" row 6 96 '\(all\)'
twenty=20a_namespace_of_20___
check long-name 0 - '^ +1 +16 +100.0 % +100.0 %  wide<int>$' exec "$app" launch "_ZN$twenty$twenty$twenty${twenty}4wideIiEEvPj" 1
check no-cycles 0 - '' exec "$app" launch alpha 1
expect "no column for cycles without a machine" [ "$(grep -c cycles "$scratch/err")" -eq 0 ]
check no-launch 0 - '^heddle: .*/app launched no kernel$' exec "$app"
check no-launch-killed 137 - '^heddle: .*/app ended before a launch was complete$' exec "$app" kill 9
check quiet 0 - - exec --quiet "$app" launch alpha 1
# shellcheck disable=SC2016
check sum-of-processes 4 - '4 launches of 1 kernel by 2 processes' exec sh -c '"$0" launch alpha 1; "$0" launch alpha 3 _exit 4' \
    "$app"
check sum-of-children 4 - '5 launches of 1 kernel,' exec "$app" fork fork launch alpha 5 _exit 4
check sum-of-killed 139 - ': 3 launches of 1 kernel' exec "$app" launch alpha 3 kill 11
check sum-of-fault 9 - '1 launch ended with a fault' exec "$app" beyond
fault_total() { # OPTION...: cycles of a program that ends with a fault
    "$heddle" exec --gpu tiny --quiet --json - "$@" "$app" beyond 2>"$scratch/err" |
        sed -n 's/^{"total":{[^{]*"cycles":\([1-9][0-9]*\),.*/\1/p'
}
expect "a launch that faults counts its cycles" [ -n "$(fault_total)" ]
expect "and as many with --sample" [ "$(fault_total)" = "$(fault_total --sample)" ]
check sum-on-machine 0 - '^ +2 +256 +100.0 % +258 +258 ns +66.7 %  alpha$' exec --gpu tiny "$app" launch alpha 2 launch beta 1
check launches 0 - '^ +3 +128 +100.0 % +129 +129 ns +1,1,1 x 64,1,1 +ns::delta<int, 2>$' exec --gpu tiny --launches "$app" \
    launch alpha 2 launch _ZN2ns5deltaIiLi2EEEvPT_ 1
check report 0 - - exec --report "$scratch/report" "$app" launch alpha 2
expect "the table is in the file of --report" grep -q ': 2 launches of 1 kernel' "$scratch/report"
check report-unwritable 1 - 'cannot write /no/such/folder/x' exec --report /no/such/folder/x "$app" say started
check total-in-json 3 - '' exec --quiet --json "$scratch/total.json" "$app" launch alpha 2 launch beta 1 exit 3
expect "one line per launch and one for all" [ "$(wc -l <"$scratch/total.json")" -eq 4 ]
expect "the last line is the total" sh -c "tail -n 1 '$scratch/total.json' |
    grep -q '^{\"total\":{\"program\":\".*app\",\"exit_status\":3,\"processes\":1,\"launches\":3,.*\"warp_instructions\":48,'"
LD_LIBRARY_PATH=$build/lib "$app" launch alpha 1 >"$scratch/out" 2>&1
expect "without heddle exec nothing is printed" [ ! -s "$scratch/out" ]

# launches that are chosen
chosen() # NAME LAUNCHES OPTIONS...: these launches, of three kernels, run on the machine
{
    n=$1 numbers=$2
    shift 2
    check "$n" 0 - '' exec --gpu tiny --launches "$@" -- "$app" launch alpha 2 launch beta 1 launch _ZN2ns5deltaIiLi2EEEvPT_ 1
    got=$(awk '/^ *launches/ { exit } $1 ~ /^[0-9]/ && $5 == 129 { printf "%s ", $1 }' "$scratch/err")
    expect "$n: $got" [ "$got" = "$numbers" ]
}
chosen all '1 2 3 4 '
chosen by-name '1 2 ' --kernel alpha
chosen by-names '3 4 ' --kernel 'beta,ns::delta<int,2>'
chosen by-mangled-name '4 ' --kernel _ZN2ns5deltaIiLi2EEEvPT_
chosen by-short-name '4 ' --kernel delta
chosen by-pattern '3 4 ' --kernel 'b*,del*'
chosen by-number '3 ' --launch 3
chosen by-numbers '1 3 4 ' --launch 1,3:9
chosen from-a-number '2 3 4 ' --launch 2:
chosen by-both '2 ' --launch 2:3 --kernel alpha
check chosen-are-reported 0 - '' exec --quiet --json "$scratch/some.json" --launch 2 "$app" launch alpha 3
expect "only chosen launches are in the JSON" sh -c "head -n 1 '$scratch/some.json' | grep -q '\"grid_id\":2}'"
expect "and the total counts all" grep -q '"launches":3,' "$scratch/some.json"
check chosen-none 0 - 'chose none of these launches' exec --kernel nothing "$app" launch alpha 1
check wrong-launch 2 - '^heddle exec: --launch takes numbers' exec --launch 2:1 "$app" say started
check wrong-kernel 2 - '^heddle exec: --kernel takes names' exec --kernel a,,b "$app" say started
check launch-of-file 2 - 'launch is for programs' run ../saxpy.ptx --launch 1
check kernel-of-workload 0 'right' '^bfs2: 7 launches$' run bfs2 --size test --gpu tiny --kernel advance

# source lines fill a result, and are written on request
lines() { rm -f "$scratch/l.json"; "$heddle" exec --quiet --gpu tiny --json "$scratch/l.json" "$@" -- "$app" launch alpha 1 &&
    grep -c '"lines":' "$scratch/l.json"; }
expect "no source lines unasked" [ "$(lines)" = 0 ]
expect "source lines by --stats" [ "$(lines --stats lines 2>/dev/null)" = 1 ]
expect "source lines of a chosen launch" [ "$(lines --launch 1)" = 1 ]

# events measure simulated time on a machine: cycles, launch latency, copies between host and device
elapsed() # NAME TIMES OPTIONS... -- WORDS...: what `time` prints
{
    n=$1 wanted=$2
    shift 2
    got=$("$heddle" exec --quiet "$@" | tr '\n' ' ')
    expect "$n: $got" [ "$got" = "$wanted" ]
}
elapsed cycles '0.000258 ms 0.000129 ms 0.000000 ms ' --gpu tiny -- "$app" launch alpha 2 time launch beta 1 time time
elapsed clock '0.000516 ms ' --gpu tiny --set mem.core_mhz=500 --set mem.memory_mhz=500 --set mem.crossbar_mhz=500 -- "$app" \
    launch alpha 2 time
elapsed latency '0.010129 ms ' --gpu tiny --set gpu.launch_ns=10000 -- "$app" launch alpha 1 time
elapsed computed-launches '0.020000 ms ' --gpu tiny --set gpu.launch_ns=10000 --kernel none -- "$app" launch alpha 2 time
elapsed copies '0.000000 ms 0.500000 ms ' --gpu tiny --set gpu.copy_gbps=2 -- "$app" time copy 1000000 time
elapsed free-copies '0.000000 ms 0.000000 ms ' --gpu tiny -- "$app" time copy 1000000 time
expect "host time without a machine" sh -c "'$heddle' exec --quiet '$app' launch alpha 1000 time | grep -Eq '^[0-9]+\.[0-9]{6} ms' &&
    '$heddle' exec --quiet '$app' launch alpha 1000 time | grep -vqx '0.000000 ms'"

# whole programs under several mechanisms
compare() # NAME STATUS STDOUT STDERR WORDS...
{
    n=$1 s=$2 o=$3 e=$4
    shift 4
    check "$n" "$s" "$o" "$e" compare --mech pdom,tbc --gpu tiny "$@"
}
compare compare 0 '^  tbc +258 +1.000 +100.0 % +100.0 %' - -- "$app" launch alpha 2 say hidden
expect "the table names the program" grep -q "^$app on tiny\$" "$scratch/out"
compare compare-chosen 0 '^  tbc +129 ' - --launch 2 -- "$app" launch alpha 3
compare compare-failed 3 '^  tbc +exit status 4: shown$' 'under pdom, status 4:' -- "$app" launch alpha 1 say shown exit 4
"$heddle" compare --mech pdom --gpu tiny -- "$app" exit 4 >"$scratch/both" 2>&1
expect "the table stands before what programs printed" [ "$(sed -n '1s/.* on //p' "$scratch/both")" = tiny ]
compare compare-fault 3 '^  pdom +exit status 9: cuCtxSynchronize' 'out of bounds in kernel beyond' -- "$app" beyond
compare compare-killed 3 '^  pdom +exit status 139: heddle exec: ' 'was ended by signal 11' -- "$app" launch alpha 1 kill 11
compare compare-without-launch 3 '^  pdom +no launch was made' - -- "$app" say hello
compare compare-missing 1 - 'there is no program' -- no-such-app
compare compare-nothing 2 - 'no program behind --' --
compare compare-both 2 - 'not both: bfs2 and' bfs2 -- "$app"
compare compare-option-of-files 2 - "unknown option '--grid'" --grid 2 -- "$app"
stops compare-stopped INT 130 3 0 '^  pdom +stopped' 'missing' compare --mech pdom,tbc --gpu tiny --jobs 1 -- "$app" wait

# reads that a real GPU lets pass, told once at the end
check near 9 - "^  near    0 bytes past the end of cuMemAlloc's memory \\(256 bytes at 0x[0-9a-f]+\\)$" exec --quiet "$app" beyond
check strict 9 - '^  option  --tolerate reads lets such reads return 0$' exec --quiet "$app" beyond
check tolerant 0 - '^heddle: 128 reads out of bounds returned 0 in kernel beyond \(first at .*PTX.*, address 0x[0-9a-f]+\)' \
    exec --quiet --tolerate reads "$app" beyond beyond
expect "told once" [ "$(wc -l <"$scratch/err")" -eq 1 ]
check tolerant-on-machine 0 - '^heddle: 64 reads out of bounds' exec --quiet --tolerate reads --gpu tiny "$app" beyond
check tolerant-oracle 0 - '^heddle: 64 reads out of bounds' exec --quiet --tolerate reads --executor oracle "$app" beyond
check tolerant-killed 139 - '^heddle: 64 reads out of bounds' exec --quiet --tolerate reads "$app" beyond kill 11
LD_LIBRARY_PATH=$build/lib HEDDLE_OPTS='--tolerate reads' "$app" beyond beyond 2>"$scratch/err"
expect "told without heddle exec" grep -q '^heddle: 128 reads out of bounds' "$scratch/err"
LD_LIBRARY_PATH=$build/lib HEDDLE_OPTS='--tolerate reads' "$app" beyond fork say child >"$scratch/out" 2>"$scratch/err"
expect "a child does not repeat it" [ "$(wc -l <"$scratch/err")" -eq 1 ]
check tolerated-of-file 0 - '^heddle: 28 reads out of bounds returned 0 in kernel saxpy' run ../saxpy.ptx \
    --block 64 --arg 2 --arg 'buf:f32[36]' --arg 'buf:f32[64]' --arg 64 --tolerate reads --quiet --json "$scratch/t.json"
expect "the JSON counts tolerated reads" grep -q '"tolerated_reads":28,' "$scratch/t.json"
check conflict-searched 0 - 'race in kernel same' exec --quiet --check races "$app" launch same 1
expect "the search for races has the last word" [ "$(grep -c 'another block had written' "$scratch/err")" -eq 0 ]
check conflict 0 - '^heddle: in kernel same, [0-9]+ stores? changed a word that another block had written .*--check races' \
    exec --quiet "$app" launch same 1

[ $failed -eq 0 ] && echo "heddle exec: $count checks passed" && exit 0
echo "heddle exec: $failed of $count checks failed"
exit 1
