#!/bin/sh
# Traces, deadlocks, and stopping, as a user meets them: run.sh HEDDLE. Worked examples carry in their PTX, below
# "// expect MECHANISM:", the walk that --trace=stack prints on the machine `tiny`, without its cycles.
heddle=$1
[ -x "$heddle" ] || { echo "usage: run.sh HEDDLE"; exit 2; }
case $heddle in /*) ;; *) heddle=$PWD/$heddle ;; esac
cd "$(dirname "$0")" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failed=0 count=0
unset HEDDLE_OPTS COLUMNS NO_COLOR

fail() # WHAT
{
    failed=$((failed + 1))
    echo "FAILED $1"
}

# Expectations of a file, each as KEY<tab>LINE.
expectations() # FILE
{
    awk '/^\/\/ expect / { key = substr($0, 11); sub(/:$/, "", key); next }
         /^\/\/   / && key != "" { print key "\t" substr($0, 6); next }
         { key = "" }' "$1"
}

for file in *.ptx; do
    expectations "$file" >"$scratch/all"
    cut -f1 "$scratch/all" | sort -u >"$scratch/keys"
    while read -r mechanism; do
        count=$((count + 1))
        awk -F'\t' -v key="$mechanism" '$1 == key { print $2 }' "$scratch/all" >"$scratch/expected"
        "$heddle" run "$file" --block 4 --gpu tiny --mech "$mechanism" --trace=stack --quiet >"$scratch/out" 2>&1
        sed -E '1,2d; s/^ +([0-9]+  )?//' "$scratch/out" >"$scratch/got"
        cmp -s "$scratch/expected" "$scratch/got" ||
            { fail "$file under $mechanism"; diff "$scratch/expected" "$scratch/got"; }
    done <"$scratch/keys"
done
[ "$count" -ge 3 ] || fail "too few worked examples: $count"

check() # NAME STATUS STDOUT STDERR ARGUMENTS...: patterns of grep -E; "" is anything, - nothing
{
    name=$1 status=$2 out=$3 err=$4
    shift 4
    count=$((count + 1))
    "$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    got=$?
    for stream in out err; do
        eval pattern=\$$stream
        case $pattern in
        "") ;;
        -) [ ! -s "$scratch/$stream" ] || got="$got, and something on $stream" ;;
        *) grep -Eq -e "$pattern" "$scratch/$stream" || got="$got, without '$pattern' on $stream" ;;
        esac
    done
    [ "$got" = "$status" ] || { fail "$name: status $got, expected $status"; cat "$scratch/out" "$scratch/err"; }
}

# valid FILE: holds a timeline to the rules of its format; false if it breaks one. Without node there is nothing to say.
valid() { ! command -v node >/dev/null || node perfetto.mjs "$1" >"$scratch/out" 2>&1; }
command -v node >/dev/null || echo "skipped: no node; timelines were not held to their format"
for mechanism in pdom dwf tbc volta vws temporal sbi mimd; do
    count=$((count + 1))
    "$heddle" run ../../../examples/rounds.ptx --grid 2 --block 32 --arg 'buf:u32[64]' --arg 2 --gpu tiny \
        --mech $mechanism --quiet --trace-perfetto "$scratch/timeline" && valid "$scratch/timeline" ||
        { fail "the timeline under $mechanism"; cat "$scratch/out"; }
done
"$heddle" run ../../../examples/chase.ptx --grid 2 --block 64 --arg 'buf:u32[128]' --arg 'buf:u32[4096]=random(1)' \
    --arg 4095 --arg 3 --gpu fermi --quiet --trace-perfetto "$scratch/timeline" && valid "$scratch/timeline" ||
    { fail "the timeline of a kernel that waits for memory"; cat "$scratch/out"; }
grep -q '"name":"outstanding misses","args":{"lines":[1-9]' "$scratch/timeline" || fail "misses are counted"
grep -q '"lines":"chase.cu:[0-9]* to chase.cu:[0-9]*"' "$scratch/timeline" || fail "slices of blocks have source lines"
# The check notices what it is for.
if command -v node >/dev/null; then
    for edit in '/"pc":3,/s/"dur":[0-9]*/"dur":99999/' '/"ph":"C"/s/"name":"IPC",//' '/"ph":"C"/s/:\([0-9.]*\)}}/:"\1"}}/' \
        's/"cname":"[a-z_]*"/"cname":"purple"/' '/"ph":"b"/d' 's/"ph":"i"/"ph":"j"/' '/"thread_name"/d' \
        's/ \([#.]*\)","args":{"block"/#&/'; do
        count=$((count + 1))
        sed "$edit" "$scratch/timeline" >"$scratch/wrong"
        ! valid "$scratch/wrong" || fail "a timeline that breaks the rules is taken: $edit"
    done
fi

walk="run dual_path.ptx --block 4 --gpu tiny --quiet"
# shellcheck disable=SC2086
{
    check alone-before-file 0 '^trace of dual_path' - run --gpu tiny --quiet --trace dual_path.ptx --block 4
    check list 0 '^ +[0-9]+  issue  strand 0 pc 7 D 0100 \(1\) add\.u32 %r1, %r0, 4$' - $walk --trace list
    check picture 0 '^lane 1  [^B]*A[^B]*C[^B]*D[^B]*F[^B]*G' - $walk --trace=lanes
    ! grep -q "$(printf '\033')" "$scratch/out" || fail "there are colours in a pipe"
    check folded 0 '^lanes 2-31  :AA' - run break_loop.ptx --block 32 --gpu fermi --quiet --trace=lanes
    check window 0 'cycles 0 to 2 of [0-9]+$' - $walk --trace=lanes --trace-window 0:2
    check window-picture 0 '^lanes 0-3   :?A+$' - $walk --trace=lanes --trace-window 0:2
    check to-file 0 - - $walk --trace --trace-file "$scratch/trace"
    grep -q '^trace of dual_path' "$scratch/trace" || fail "the trace is in the file"
    check timeline 0 - - $walk --trace-perfetto "$scratch/timeline"
    grep -q '"name":"add.u32 %r1, %r0, 4","args":{"pc":7,"block":"D","lines":"PTX line 26","slots":"0x2"' \
        "$scratch/timeline" || fail "the timeline has the instruction of thread 1"
    grep -q '"cname":"thread_state_iowait","name":"D \.#\.\.","args":{"block":"D","lines":"PTX line 26","lanes":"0100"' \
        "$scratch/timeline" || fail "the timeline has a slice of block D with its lanes, lines and colour"
    check picture-svg 0 - - $walk --trace-svg "$scratch/lanes.svg"
    head -n 1 "$scratch/lanes.svg" | grep -q '^<svg xmlns="http://www.w3.org/2000/svg"' &&
        tail -n 1 "$scratch/lanes.svg" | grep -q '^</svg>$' ||
        fail "the SVG is whole"
    grep -q '>D: PTX line 26  add.u32 %r1, %r0, 4<' "$scratch/lanes.svg" || fail "the legend of the SVG has block D"
    "$heddle" $walk --trace-svg "$scratch/again.svg" && cmp -s "$scratch/lanes.svg" "$scratch/again.svg" ||
        fail "two runs draw the same SVG"
    check svg-window 0 - - $walk --trace-svg "$scratch/part.svg" --trace-window 0:2
    grep -q '>A: ' "$scratch/part.svg" && ! grep -q '>C: ' "$scratch/part.svg" || fail "the SVG keeps to the window"
    check tikz 0 - - $walk --trace-tikz "$scratch/lanes.tex"
    grep -q '{D: PTX line 26  add.u32 ..r1, ..r0, 4};$' "$scratch/lanes.tex" ||
        fail "the legend of the TikZ picture has block D"
    if command -v pdflatex >/dev/null && kpsewhich standalone.cls tikz.sty >/dev/null; then
        (cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error lanes.tex >lanes.log 2>&1)
        [ -s "$scratch/lanes.pdf" ] || { fail "pdflatex takes the TikZ picture"; tail -n 20 "$scratch/lanes.log"; }
    else
        echo "skipped: no pdflatex with standalone and tikz; LaTeX was not compiled"
    fi
    check tikz-no-machine 2 - 'trace-tikz needs a machine' run dual_path.ptx --trace-tikz "$scratch/none.tex"
    check tikz-unwritable 1 - 'cannot open /no/such/folder/x for the trace' $walk --trace-tikz /no/such/folder/x
    check tikz-full-disk 1 - 'cannot write the trace to /dev/full' $walk --trace-tikz /dev/full
    check svg-no-machine 2 - 'trace-svg needs a machine' run dual_path.ptx --trace-svg "$scratch/none.svg"
    check svg-unwritable 1 - 'cannot open /no/such/folder/x for the trace' $walk --trace-svg /no/such/folder/x
    check svg-full-disk 1 - 'cannot write the trace to /dev/full' $walk --trace-svg /dev/full
    check compare-svg 0 '^  tbc ' - compare dual_path.ptx --block 16 --gpu tiny --mech pdom,tbc --trace-window 0:79 \
        --trace-svg "$scratch/both.svg"
    [ "$(grep -c '<!-- panel ' "$scratch/both.svg")" = 2 ] && [ "$(grep -c '<!-- legend ' "$scratch/both.svg")" = 1 ] &&
        grep -q 'under pdom: ' "$scratch/both.svg" && grep -q 'under tbc: ' "$scratch/both.svg" ||
        fail "the picture of a comparison has a panel per mechanism and one legend"
    mkdir "$scratch/temporary"
    (TMPDIR=$scratch/temporary && export TMPDIR &&
        "$heddle" compare bfs2 --size test --gpu tiny --mech pdom --trace-window 0:9 \
        --trace-svg "$scratch/launches.svg" >"$scratch/out" 2>&1) || { fail "a workload is drawn"; cat "$scratch/out"; }
    grep -c '<!-- panel ' "$scratch/launches.svg" | grep -q '^1$' || fail "the first launch of a workload is drawn"
    [ -z "$(ls "$scratch/temporary")" ] || fail "pictures of other launches are left behind"
    check compare-svg-unwritable 1 - 'cannot write /no/such/folder/x' compare dual_path.ptx --block 4 --gpu tiny \
        --mech pdom --trace-svg /no/such/folder/x
    check compare-svg-full-disk 1 '' 'cannot write the trace to /dev/full' compare dual_path.ptx --block 4 --gpu tiny \
        --mech pdom --trace-svg /dev/full
    check wrong-view 2 - "not 'lnaes'; did you mean lanes\?" $walk --trace lnaes
    check wrong-list 2 - "not 'lists'; did you mean list\?" $walk --trace=lanes,lists
    check wrong-window 2 - "takes the first and the last cycle, 100:200, not '9:3'" $walk --trace --trace-window 9:3
    check wrong-sm 2 - "multiprocessor of the machine, 0 to 0, not '1'" $walk --trace --trace-sm 1
    check window-alone 2 - 'trace-window needs --trace' $walk --trace-window 1:2
    check no-machine 2 - 'trace needs a machine' run dual_path.ptx --trace
    check unwritable 1 - 'cannot open /no/such/folder/x for the trace' $walk --trace --trace-file /no/such/folder/x
    check full-disk 1 - 'cannot write the trace' $walk --trace --trace-file /dev/full
    check misspelt 2 - 'did you mean --trace-window\?' $walk --trace-windw 1:2
}
# On a terminal (script makes one): its width, or that of COLUMNS, and colours unless NO_COLOR forbids them; none in a
# file. A pipe has 100 columns.
on_terminal() # COMMAND: what it prints on a terminal with 60 columns
{
    count=$((count + 1))
    script -qec "stty cols 60; $1" /dev/null </dev/null | tr -d '\r'
}
widest() { sed "s/$(printf '\033')\[[0-9;]*m//g" "$1" | awk 'length > most { most = length } END { print most + 0 }'; }
picture="$heddle run bfs2 --size test --gpu fermi --quiet --trace=lanes --trace-window 0:1500"
colour=$(printf '\033')'\[38;5;16;48;5;'
on_terminal "$picture" >"$scratch/out"
[ "$(widest "$scratch/out")" -eq 60 ] || fail "a terminal with 60 columns shows $(widest "$scratch/out")"
grep -q "^lanes 0-31  :${colour}67mA" "$scratch/out" &&
    grep -q "^${colour}67mA$(printf '\033')\[0m   pc 0" "$scratch/out" ||
    { fail "colours on a terminal, and their legend"; head "$scratch/out"; }
on_terminal "COLUMNS=72 NO_COLOR=1 $picture" >"$scratch/out"
[ "$(widest "$scratch/out")" -eq 72 ] || fail "COLUMNS=72 shows $(widest "$scratch/out") columns"
! grep -q "$colour" "$scratch/out" || fail "NO_COLOR is ignored"
on_terminal "TERM=dumb $picture" >"$scratch/out"
! grep -q "$colour" "$scratch/out" || fail "colours on a dumb terminal"
on_terminal "$picture --trace-file $scratch/trace" >"$scratch/out"
! grep -q "$colour" "$scratch/trace" && [ "$(widest "$scratch/trace")" -eq 100 ] ||
    fail "a file is 100 columns wide, without colours"
$picture >"$scratch/out"
[ "$(widest "$scratch/out")" -eq 100 ] || fail "a pipe shows $(widest "$scratch/out") columns"

HEDDLE_OPTS="--gpu tiny --trace=stack" && export HEDDLE_OPTS
check environment 0 '^ +[0-9]+  run    B 1000  strand 0$' - run dual_path.ptx --block 4 --quiet
unset HEDDLE_OPTS

check livelock 3 - 'livelock in kernel spin_lock' run spin_lock.ptx --arg 'buf:u32[2]' --gpu fermi --quiet
check livelock-why 3 - 'thread 0 is held back by pdom' run spin_lock.ptx --arg 'buf:u32[2]' --gpu tiny --quiet
check livelock-not 0 '^ +0: +0 +32$' - run spin_lock.ptx --arg 'buf:u32[2]' --gpu fermi --mech mimd --quiet --print 0
check two-barriers 3 - 'for threads 32-63 to arrive at barrier 0' run waits.ptx --kernel two_barriers --block 64 \
    --gpu fermi --quiet
check too-many 3 - 'for 64 threads to arrive at barrier 2; 32 have' run waits.ptx --kernel too_many --gpu fermi --quiet
for mechanism in pdom tbc mimd; do
    check two-sides-meet-$mechanism 0 - - run waits.ptx --kernel two_sides --gpu fermi --mech $mechanism --quiet
done
check endless 3 - 'threads spin for ever' run waits.ptx --kernel endless --gpu fermi --quiet

# A signal stops a run on a machine: its status, what is known so far, the fault in the JSON; no line of progress, since
# stderr is no terminal. The loop counts, so nothing else ends it.
stop() # SIGNAL STATUS
{
    count=$((count + 1))
    "$heddle" run waits.ptx --kernel counting --gpu tiny --json "$scratch/json-$1" >"$scratch/out" 2>"$scratch/err" &
    child=$!
    sleep 1.5
    kill -"$1" "$child"
    wait "$child"
    got=$?
    [ $got -eq "$2" ] && grep -q 'stopped by the user in kernel counting' "$scratch/err" &&
        grep -q 'warp instructions ' "$scratch/err" && grep -q 'where the threads are' "$scratch/err" &&
        ! grep -q ' per second), ' "$scratch/err" &&
        grep -q '"fault":{"kind":"stopped by the user"' "$scratch/json-$1" ||
        { fail "SIG$1 stops: status $got"; cat "$scratch/err"; }
}
stop TERM 143
stop INT 130
stop HUP 129
(trap '' HUP && exec "$heddle" run waits.ptx --kernel counting --gpu tiny --limit 3M --quiet) 2>"$scratch/err" &
child=$!
sleep 0.3
kill -HUP "$child"
wait "$child"
count=$((count + 1))
grep -q 'the limit of 3000000 ' "$scratch/err" || fail "SIGHUP ends a run that was started to ignore it"

# Every mechanism is stopped so, at a moment that nobody chose, with its threads apart: each says where they are, and
# shows its state; mimd and bound have none. The first line of a mechanism in the list starts with its name.
tell() # MECHANISM SIGNAL STATUS
{
    count=$((count + 1))
    "$heddle" run rounds.ptx --grid 3 --block 96 --arg 'buf:u32[96]' --gpu fermi --mech "$1" \
        >"$scratch/out" 2>"$scratch/err" &
    child=$!
    until grep -q '^SigCgt:.*[2367abef]$' "/proc/$child/status" || ! kill -0 "$child"; do :; done # SIGINT is caught
    sleep 0.1
    kill -"$2" "$child"
    wait "$child"
    got=$?
    [ $got -eq "$3" ] && grep -q 'stopped by the user in kernel rounds' "$scratch/err" &&
        grep -q 'threads left:$' "$scratch/err" ||
        { fail "SIG$2 stops $1: status $got"; cat "$scratch/err"; }
    [ "$1" = mimd ] || [ "$1" = bound ] || grep -q "^ *state of $1 on multiprocessor 0:" "$scratch/err" || fail "$1 does not show its state"
}
for mech in $("$heddle" list mechanisms | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
    tell "$mech" INT 130
    tell "$mech" TERM 143
done

# States change at calls of the mechanism, and without one: when a strand issues under dwf, and when it comes to the next
# block in a straight line. Builds with HEDDLE_CHECKS print the state at every chance, and panic if one was missed.
check dwf-issues 0 'strand 0 at A issued row 0' - run ../../../examples/eddy.ptx --block 8 --gpu tiny --mech dwf --trace stack --quiet
check pdom-falls 0 '^ *[|]   C 01{31} D' - run ../../../examples/trips.ptx --block 32 --arg 'buf:u32[32]' --gpu fermi --mech pdom \
    --trace stack --quiet
for mech in $("$heddle" list mechanisms | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
    check "states-$mech" 0 '' - run ../../../examples/trips.ptx --grid 2 --block 64 --arg 'buf:u32[128]' --gpu fermi --mech "$mech" \
        --trace stack --trace-window 0:3000 --quiet
done

if [ $failed -ne 0 ]; then
    echo "$failed of $count trace checks failed"
    exit 1
fi
echo "$count trace checks passed"
