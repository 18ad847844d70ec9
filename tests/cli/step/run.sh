#!/bin/sh
# heddle step as a user meets it: run.sh HEDDLE. Checks are those of ../check.sh.
#
# A file *.txt is a session: its first line has the arguments, its lines with '>' are the commands, and all is what heddle
# must print.
wide=
. "$(dirname "$0")/../check.sh"
unset COLUMNS NO_COLOR HEDDLE_STEP
examples=../../../examples

for session in *.txt; do
    count=$((count + 1))
    words=$(sed -n '1s/^# //p' "$session" | sed "s|examples/|$examples/|")
    # shellcheck disable=SC2086
    sed -n 's/^> //p' "$session" | eval "\"$heddle\" step $words" >"$scratch/out" 2>"$scratch/err"
    sed 1d "$session" | cmp -s - "$scratch/out" && [ ! -s "$scratch/err" ] || {
        failed=$((failed + 1))
        echo "FAILED session $session"
        sed 1d "$session" | diff - "$scratch/out"
        cat "$scratch/err"
    }
done

# steps NAME COMMANDS STATUS PATTERN ARGUMENTS...: a script of commands, and a pattern of what it prints
steps()
{
    name=$1 commands=$2 status=$3 pattern=$4
    shift 4
    count=$((count + 1))
    printf "$commands" | "$heddle" step "$@" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [ $got -eq "$status" ] && grep -Eq -e "$pattern" "$scratch/out" && return
    failed=$((failed + 1))
    echo "FAILED $name: status $got, expected $status, without '$pattern'"
    cat "$scratch/out" "$scratch/err"
}

# Every issue, forward and back, is the one that --trace list has, under every mechanism: cycle, strand, PC, lanes.
issues() { sed -n 's/.*"cycle":\([0-9]*\),.*"pc":\([0-9]*\),.*"strand":\([0-9]*\),.*"lanes":"\([01]*\)".*/\1 \3 \2 \4/p'; }
compare() # MECHANISM FILE ARGUMENTS...
{
    mechanism=$1 file=$2
    shift 2
    count=$((count + 1))
    "$heddle" run "$file" "$@" --gpu tiny --mech "$mechanism" --trace list --quiet |
        sed -nE 's/^ *([0-9]+)  issue  strand ([0-9]+) pc ([0-9]+) [^ ]+ ([01]+) .*/\1 \2 \3 \4/p' >"$scratch/list"
    total=$(wc -l <"$scratch/list")
    yes step | head -n "$((total - 1))" | "$heddle" step "$file" "$@" --gpu tiny --mech "$mechanism" --json |
        issues >"$scratch/forward"
    { echo run; yes back | head -n "$total"; } | "$heddle" step "$file" "$@" --gpu tiny --mech "$mechanism" --json |
        issues | sed 1d >"$scratch/back"
    [ "$total" -gt 20 ] && cmp -s "$scratch/list" "$scratch/forward" &&
        sed '1!G;h;$!d' "$scratch/list" | cmp -s - "$scratch/back" && return
    failed=$((failed + 1))
    echo "FAILED $file under $mechanism: not the issues of --trace list"
}
for mechanism in $("$heddle" list mechanisms --json | sed 's/{"name":"\([^"]*\)".*/\1/'); do
    case $mechanism in temporal) continue ;; esac # its trace has the lanes of the machine, not of the warp
    compare "$mechanism" $examples/nested.ptx --block 4
done
for mechanism in pdom tbc dpe volta vws dwf; do
    compare "$mechanism" $examples/fork.ptx --block 16
done

# Threads part at A+3 and at C+2, and meet at F and G; threads that dwf compacts meet wherever their warp is together.
for mechanism in pdom tbc dpe volta vws; do
    printf 'diverge\ndiverge\nrestart\nmeet\nmeet\n' |
        "$heddle" step $examples/nested.ptx --block 4 --gpu tiny --mech $mechanism |
        sed -nE 's/.*block ([^,]*), PTX line.*/\1/p; s/^  lanes +([01]+) .*/\1/p' | tr '\n' ' ' >"$scratch/points"
    expect "points of $mechanism" \
        [ "$(cat "$scratch/points")" = "A 1111 A+3 1111 C+2 0111 A 1111 F 0111 G 1111 " ]
done

# A goal lies behind the stop, also if the stop's own instruction is one and was never executed. Threads of different blocks
# in one place of the multiprocessor do not meet.
steps behind 'step 3\ndiverge\n' 0 '^issue 16, ' $examples/nested.ptx --block 4 --gpu tiny
steps other-blocks 'meet\n' 0 '^exits has ended after 100 issues' exits.ptx --grid 20 --block 4 --gpu tiny

# barriers, source lines, blocks of threads
rounds="$examples/rounds.ptx --grid 2 --block 64 --arg buf:u32[128] --arg 2"
# shellcheck disable=SC2086
{
    steps barrier 'barrier\nstep\nlanes 0\n' 0 'waits at a block barrier, number 0' $rounds
    expect "stops before the barrier" grep -q '^  PTX      bar.sync 0$' "$scratch/out"
    steps line 'line rounds.cu:17\n' 0 'rounds\.cu:17 \(PTX line' $rounds
    expect "with its text" grep -q '^  source   value\[~r & 1\]\[t\] = x + last\[t\];$' "$scratch/out"
    steps line-again 'warp 0\nline 17\nline 17\n' 0 'rounds\.cu:17 ' $rounds
    expect "a line's first instruction alone" \
        [ "$(grep 'rounds.cu:17 ' "$scratch/out" | sed 's/.*block/block/' | uniq -c | awk '{ print $1 }')" = 2 ]
    steps ptx-line 'line ptx:40\n' 0 'PTX line 40\)' $rounds
    steps no-file 'line other.cu:17\n' 1 'error: no instruction comes from line 17 of other.cu' $rounds
    steps source 'line 17\nsource\n' 0 '^  >    17  value' $rounds
    steps focus 'warp 1\nstep\nstep 3\nback\n' 0 '^stops at issues of warp 1$' $rounds
    expect "all of warp 1" [ "$(grep -c 'of 32, warp 1$' "$scratch/out")" = 3 ]
    steps focus-all 'warp 1\nstep\nwarp all\nstep\n' 0 'stops at issues of all warps' $rounds
    steps no-warp 'warp 9\nlanes 9\n' 1 'error: multiprocessor 0 has no warp 9 now' $rounds
    steps other-sm '' 0 '^issue 1, ' $rounds --sm 1
    steps idle-sm '' 0 'ended after 0 issues on multiprocessor 2' $rounds --sm 2
    steps width 'line 17\n' 0 '^  source   value' $rounds
}
COLUMNS=40 "$heddle" step $examples/nested.ptx --block 4 --gpu tiny </dev/null >"$scratch/out"
expect "no colour in a pipe" [ "$(grep -c "$(printf '\033')" "$scratch/out")" = 0 ]
COLUMNS=40 HEDDLE_OPTS= "$heddle" step values.ptx --arg 'buf:u32[32]' </dev/null >"$scratch/out"
expect "lines fit the width" awk '/^  PTX/ && length > 40 { exit 1 }' "$scratch/out"

# registers
values="values.ptx --block 4 --gpu tiny --arg buf:u32[4]"
# shellcheck disable=SC2086
{
    steps guarded-write 'goto 11\nregs 3\n' 0 '^  \* %r1      0x0000004d 77$' $values
    expect "of other widths" [ "$(grep -cE '^    (%h0      0x0003 3|%d1      0x0{15}c 12|%g0      -1)$' "$scratch/out")" = 3 ]
    steps guarded-off 'goto 11\nregs\n' 0 '^    %r1      0x00000001 1$' $values
    expect "nothing is new" [ "$(grep -c '^  \*' "$scratch/out")" = 0 ]
    steps negative 'goto 5\nprint %%r1\nprint %%p0\n' 0 '^  lane  3, thread    3  0xfffffffe -2$' $values
    expect "predicates" grep -q '^  lane  3, thread    3  true$' "$scratch/out"
    steps float 'goto 9\nprint %%f0\n' 0 '^  lane  3, thread    3  -1$' $values
    steps dead 'goto 12\nprint %%f0\n' 0 'holds no value that can be read here' $values
    steps no-register 'print %%r9\n' 1 "error: there is no register '%r9' here" $values
    steps no-lane 'regs 4\n' 1 'error: lane 4 has no thread' $values
}

# what a thread prints is shown once, when it is printed
print=../../corpus/ptx/print.nvcc-75.ptx
if [ -e "$print" ]; then
    for words in 'run\n' 'run\nrestart\nrun\nback 20\nrun\n'; do
        printf "$words" | "$heddle" step $print --gpu tiny --block 4 --arg 'buf:f32[4]' --arg 'buf:u32[64]' --arg 4 2>&1 |
            grep -vE '^(issue|>| |print has)' >>"$scratch/printed-$(printf "$words" | wc -l)"
    done
    expect "threads print" [ -s "$scratch/printed-1" ]
    expect "output is shown once" cmp -s "$scratch/printed-1" "$scratch/printed-5"
fi

# faults and threads that never end: the stepper says why, and back works
steps fault 'run\nback\nregs 3\n' 0 '^access out of bounds in kernel saxpy$' ../saxpy.ptx --block 4 --gpu tiny \
    --arg 2.0 --arg 'buf:f32[2]' --arg 'buf:f32[4]' --arg 4
expect "and back shows the instruction" grep -q '^  PTX      ld.global.f32 %f1, \[%d0\]$' "$scratch/out"
steps livelock 'run\nback\nlanes\n' 0 '^livelock in kernel spin_lock$' ../trace/spin_lock.ptx --block 4 --gpu tiny \
    --arg 'buf:u32[2]'
expect "and back shows who spins" grep -Eq '^    0111  B +PTX line 19 +issues now$' "$scratch/out"

# Ctrl-C stops at the next issue
mkfifo "$scratch/commands"
"$heddle" step long.ptx --block 4 --gpu tiny <"$scratch/commands" >"$scratch/out" 2>&1 &
stepper=$!
exec 3>"$scratch/commands"
echo run >&3
sleep 1
kill -INT $stepper
echo 'back 3' >&3
exec 3>&-
wait $stepper
expect "Ctrl-C gives the prompt" [ "$(grep -c '^issue ' "$scratch/out")" = 3 ]
expect "and back goes on from there" awk -F'[ ,]' '/^issue/ { n[++k] = $2 } END { exit !(n[2] > 1000 && n[3] == n[2] - 3) }' \
    "$scratch/out"

# JSON
printf 'step\nregs\nlanes\nstate\nprint %%r0\nwrong\nrun\nwhere\nsource\nhelp\n' |
    "$heddle" step $examples/nested.ptx --block 4 --gpu tiny --json >"$scratch/out"
expect "a wrong command is noticed" [ $? = 1 ]
expect "one object per line" [ "$(grep -c '^{.*}$' "$scratch/out")" = "$(wc -l <"$scratch/out")" ]
for member in registers threads state register error end note help; do
    expect "JSON has $member" grep -q "^{.*\"$member\":" "$scratch/out"
done

# workloads and programs
steps workload 'diverge\nquit\n' 0 ': expand, block ' bfs2 --size test --kernel expand --launch 3
expect "the program goes on" grep -q '^bfs2 test: right' "$scratch/out"
expect "the third launch alone" [ "$(grep -c '^issue 1,' "$scratch/out")" = 1 ]
steps next 'next\nnext\n' 0 '^bfs2 test: right' bfs2 --size test --kernel expand
expect "next goes to the next launch" [ "$(grep -c '^issue 1,' "$scratch/out")" = 3 ]
steps no-launch '' 1 '' bfs2 --size test --launch 1000
expect "and it is said" grep -q 'nothing was launched that could be stepped' "$scratch/err"
# shellcheck disable=SC2086
if ${CC:-cc} ${CFLAGS:-} ../exec/app.c -I../../../include -L"$(dirname "$heddle")/lib" -lcuda -o "$scratch/app" 2>/dev/null; then
    steps program 'step\nquit\n' 5 '^issue 2, ' --gpu tiny -- "$scratch/app" launch same 2 exit 5
fi

# the command line
check nothing 2 - 'no PTX file, no workload and no program was given' step
check two 2 - 'one file or workload at a time' step a.ptx b.ptx
check both 2 - 'either a file or workload, or a program behind --' step a.ptx -- ./app
check sm 2 - "^heddle step: --sm must be a multiprocessor of the machine, 0 to 14, not '15'" step values.ptx --sm 15
check sm-word 2 - "--sm takes the number of a multiprocessor" step values.ptx --sm x
check refused 2 - '^heddle step: --stats is for heddle run' step values.ptx --stats all
check default-machine 0 'of 32, warp 0' - step values.ptx --arg 'buf:u32[32]'
HEDDLE_OPTS='--gpu tiny' "$heddle" step values.ptx --arg 'buf:u32[32]' </dev/null >"$scratch/out"
expect "HEDDLE_OPTS names the machine" grep -q ' 4 of 4, warp 0$' "$scratch/out"
check impossible 2 - 'launch' step values.ptx --block 2000 --arg 'buf:u32[32]'
check help 0 '^ *back \[N\] +b ' - step --help

echo "step: $((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
