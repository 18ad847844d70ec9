#!/bin/sh
# A sweep whose processes are killed, and one whose disk fills: run.sh HEDDLE [RUNS KILLS]. Of 200 runs none is lost,
# doubled or torn by 20 SIGKILLs at random moments, of the sweep itself and of its runs. SEED chooses the moments.
runs=${2:-200} kills=${3:-20}
. "$(dirname "$0")/../check.sh"
. ../rows.sh
seed=${SEED:-$(date +%s)}
program="$PWD/../../../examples/trips.ptx --grid 2 --block 64 --arg buf:u32[128]"
cd "$scratch" || exit 2

# The runs: pairs of latencies.
values() { awk -v last="$1" 'BEGIN { for (i = 1; i <= last; i++) printf "%s%d", (i > 1 ? "," : ""), i }'; }
sweep() { "$heddle" sweep --program "$program" --gpu tiny --mech tbc --set mem.l1d_latency="$(values $((runs / 10)))" \
    --set mem.l2_latency="$(values 10)" --jobs 2 "$@"; }
check_store() # NAME FILE
{
    expect "$1: every run is there once" [ "$(select "$2" "SELECT count(*) FROM run")" -eq "$runs" ]
    expect "$1: none failed" [ "$(select "$2" "SELECT count(failure) FROM run")" -eq 0 ]
    expect "$1: the file is whole" [ "$(select "$2" "SELECT * FROM pragma_integrity_check")" = ok ]
    dump "$2" >dump
    expect "$1: the rows are those of an undisturbed sweep" cmp dump whole
}

began=$(date +%s%N)
sweep --store whole.db >out 2>&1 || { cat out; exit 1; }
ended=$(date +%s%N)
dump whole.db >whole
expect "the undisturbed sweep has all runs" [ "$(select whole.db "SELECT count(*) FROM run WHERE failure IS NULL")" -eq "$runs" ]
expect "with figures and branches" [ "$(wc -l <whole)" -gt $((300 * runs)) ]

# One line per kill: after how many seconds, and of which process: the sweep (0 and 1), or a run of it (2 and 3).
awk -v seed="$seed" -v kills="$kills" -v total="$(((ended - began) / 1000000))" 'BEGIN {
    srand(seed); for (i = 0; i < kills; i++) printf "%.3f %d\n", rand() * total / 1000 / kills, int(4 * rand()) }' >plan
mkdir tmp
TMPDIR=$scratch/tmp
export TMPDIR
# Starts the sweep, and sets `owner` to its process id.
start()
{
    set -- "$heddle" sweep --program "$program" --gpu tiny --mech tbc \
        --set mem.l1d_latency="$(values $((runs / 10)))" --set mem.l2_latency="$(values 10)" --jobs 2
    "$@" --store killed-$round.db --retry >out 2>&1 </dev/null &
    owner=$!
}
is_alive() { [ -n "$owner" ] && read -r _ _ state _ 2>/dev/null <"/proc/$owner/stat" && [ "$state" != Z ]; }
# The first child of a process; nothing if it has none.
child_of() { child= && { read -r child _ <"/proc/$1/task/$1/children" || [ -n "$child" ]; } 2>/dev/null; }
owner= killed=0 owners=0 round=1
while read -r delay victim; do
    target=
    while [ -z "$target" ]; do
        is_alive || start
        sleep "$delay"
        target=$owner
        [ "$victim" -lt 2 ] || { child_of "$owner" && target=$child; } || target=
        is_alive && continue
        target=
        wait "$owner" && round=$((round + 1)) # it came to its end, on a machine that got faster: another store
    done
    kill -KILL "$target" 2>/dev/null
    killed=$((killed + 1))
    [ "$target" != "$owner" ] || owners=$((owners + 1))
done <plan
wait
stored=$(select killed-$round.db "SELECT count(*) FROM run")
expect "sweep and runs were killed (seed $seed): $owners of $killed" [ "$owners" -gt 0 ]
sweep --store killed-$round.db --retry >out 2>&1
expect "the rest is run" [ $? -eq 0 ]
unset TMPDIR
for file in killed-*.db; do
    check_store "$file after $killed kills, $owners of the sweep, $stored stored by then, seed $seed" "$file"
done

# The process of a workload is killed, twice: the run is begun again. Once more, and it is a failure.
for most in 2 3; do
    "$heddle" sweep --programs bfs2 --gpu fermi --size small --store workload-$most.db >out 2>&1 </dev/null &
    owner=$! killed=0 before=
    while [ $killed -lt $most ] && is_alive; do
        child_of "$owner" && child_of "$child" && [ "$child" != "$before" ] && kill -KILL "$child" &&
            killed=$((killed + 1)) before=$child
    done 2>/dev/null
    wait $owner
    echo "$? $killed $(select workload-$most.db "SELECT coalesce(failure, 'right') FROM run")" >workload-$most
done
expect "a workload that is killed is run again" [ "$(cat workload-2)" = "0 2 right" ]
expect "one that is killed again and again is a failure" [ "$(cat workload-3)" = "3 3 killed" ]

# A limit of the size of files does to the store what a full disk does. dash counts in blocks of 512 bytes.
(ulimit -f 1000 && sweep --store limited.db) >out 2>err
expect "a store that cannot grow ends the sweep" [ $? -eq 1 ]
expect "with a message that says why" grep -q 'limit of the size of files' err
expect "and stays readable" [ "$(select limited.db "SELECT count(*) > 0 AND count(*) < $runs FROM run")" -eq 1 ]
sweep --store limited.db >out 2>err
expect "with more room the rest is run" [ $? -eq 0 ]
check_store "after a limit" limited.db

# A disk of half a megabyte, where mounting is allowed: as root, or in a namespace of one's own.
cat >full.sh <<'SH'
mount -t tmpfs -o size=600k none disk || exit 77
"$@" --store disk/a.db >out 2>err
echo $? >status
"$heddle" query disk/a.db --csv --sql "SELECT count(*) FROM run" >count 2>&1
mount -o remount,size=64m disk || exit 77
"$@" --store disk/a.db >>out 2>>err
echo $? >>status
cp disk/a.db full.db
umount disk
mount -t tmpfs -o size=64k none disk || exit 77
head -c 65536 /dev/zero >disk/filler 2>/dev/null
TMPDIR=$PWD/disk "$@" --store tmp.db >tmp.out 2>tmp.err
echo $? >>status
rm disk/filler
umount disk
SH
mkdir disk
export heddle
set -- "$heddle" sweep --program "$program" --gpu tiny --mech tbc --set mem.l1d_latency="$(values $((runs / 10)))" \
    --set mem.l2_latency="$(values 10)" --jobs 2
unshare -rm sh full.sh "$@" 2>mount-err
case $? in
0)
    expect "a full disk ends the sweep, the rest is run, and a full temporary folder ends it" [ "$(tr '\n' ' ' <status)" = "1 0 1 " ]
    expect "with a message that says why" grep -q 'the disk is full' err
    expect "and the store stays readable" [ "$(tail -1 count | tr -d '\r')" -lt "$runs" ]
    expect "with what was stored before" [ "$(tail -1 count | tr -d '\r')" -gt 0 ]
    check_store "after a full disk" full.db
    expect "a full temporary folder is named" grep -Eq 'no room|No space left' tmp.err
    expect "and makes no run fail" [ "$(select tmp.db "SELECT count(failure) FROM run")" -eq 0 ]
    ;;
*) echo "without the check of a full disk, since nothing can be mounted here: $(tail -1 mount-err)" ;;
esac

echo "$count checks of sweeps that are killed, $failed failed"
[ $failed -eq 0 ]
