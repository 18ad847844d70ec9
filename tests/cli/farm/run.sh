#!/bin/sh
# A sweep that several processes share, through a folder or over MPI: run.sh HEDDLE. Whatever happens to them, the store
# has the rows of a sweep of one machine.
. "$(dirname "$0")/../check.sh"
. ../rows.sh
cp "$PWD/../../../examples/trips.ptx" "$PWD/../sweep/spin.ptx" "$scratch"
cd "$scratch" || exit 2
runs=24
set -- --program "trips.ptx --grid 2 --block 64 --arg buf:u32[128]" --gpu tiny --mech pdom,tbc \
    --set mem.l1d_latency=1,2,3 --set mem.l2_latency=10,11,12,13
is_same() # NAME FILE
{
    dump "$2" >dump
    expect "$1: the rows are those of a sweep of one machine" cmp dump whole
}
# until COMMAND...: waits at most 30 seconds for it to succeed
await() { tries=0; until "$@" || [ $tries -ge 300 ]; do sleep 0.1; tries=$((tries + 1)); done; "$@"; }
has_files() { [ -n "$(ls "$1" 2>/dev/null)" ]; }

"$heddle" sweep "$@" --store whole.db >out 2>&1 || { cat out; exit 1; }
dump whole.db >whole
expect "a dump has figures and branches" [ "$(wc -l <whole)" -gt $((300 * runs)) ]
expect "the sweep of one machine has all runs" [ "$(select whole.db "SELECT count(*) FROM run WHERE failure IS NULL")" -eq $runs ]

# workers that are there before the sweep, and in another folder
mkdir elsewhere
(cd elsewhere && exec "$heddle" sweep --worker --folder ../shared --jobs 2) >work 2>work-err </dev/null &
worker=$!
check owner 0 "^$runs runs: 0 stored before, $runs run now, 0 failed\$" - sweep "$@" --folder shared --store shared.db
wait $worker
expect "workers end with the sweep" [ $? -eq 0 ]
expect "without a word of complaint" [ ! -s work-err ]
expect "having made its runs" [ "$(awk '/^worker: / { n += $2 } END { print n }' work)" -eq $runs ]
expect "in two processes" [ "$(grep -c '^worker: ' work)" -eq 2 ]
is_same "two workers" shared.db
expect "no task and no result is left" [ -z "$(ls shared/open shared/taken shared/results | grep -v :)" ]
check again 0 "^$runs runs: $runs stored before, 0 run now" - sweep "$@" --folder shared --store shared.db

# two command lines that are the same run: both get the one result
"$heddle" sweep --worker --folder twice --jobs 1 >work 2>&1 </dev/null &
worker=$!
check twice 0 '^2 runs: 0 stored before, 2 run now, 0 failed$' - sweep --program "trips.ptx --grid 2 --block 64 --arg buf:u32[128]" \
    --gpu tiny --set mem.l2_bytes=1M,1024K --folder twice --store twice.db
wait $worker
expect "it was run once" [ "$(cat work)" = "worker: 1 runs done, the sweep is over" ]

# a worker waits for a sweep in a new folder; in the folder of a sweep that is over, a worker ends at once
check after-the-end 0 '^worker: 0 runs done, the sweep is over$' - sweep --worker --folder shared --jobs 1

# the sweep is killed: workers go on, and the same command takes what they left; a damaged result is run again
"$heddle" sweep "$@" --folder killed --store killed.db >out 2>&1 </dev/null &
owner=$!
await has_files killed/open
await [ -e killed/owner ]
check second-owner 1 - 'another sweep owns the folder' sweep "$@" --folder killed --store killed-2.db
kill -KILL $owner
wait $owner 2>/dev/null
torn=$(ls killed/open | head -1)
"$heddle" sweep --worker --folder killed --jobs 1 >work 2>&1 </dev/null &
worker=$!
await has_files killed/results
await [ -e "killed/results/$torn" ]
head -c 200 "killed/results/$torn" >cut
mv cut "killed/results/$torn"
expect "without the sweep nothing is stored" [ "$(select killed.db "SELECT count(*) FROM run")" -eq 0 ]
check owner-again 0 "^$runs runs: 0 stored before, $runs run now, 0 failed" - sweep "$@" --folder killed --store killed.db
wait $worker
expect "its worker ends" [ $? -eq 0 ]
is_same "after the sweep was killed" killed.db

# a worker dies with its run, three times: another gets the run, and at last it has failed. A stopped worker gives it back.
set -- --program "spin.ptx --arg buf:u32[1] --verify none" --gpu tiny --time-limit 1h --lost-after 2
"$heddle" sweep "$@" --folder dead --store dead.db >out 2>&1 </dev/null &
owner=$!
"$heddle" sweep --worker --folder dead --jobs 1 >work 2>&1 </dev/null &
worker=$!
await has_files dead/taken
kill -TERM $worker
wait $worker
expect "a worker that is stopped says so" [ $? -eq 143 ]
expect "and gives its run back" has_files dead/open
for i in 1 2 3; do
    await has_files dead/open
    setsid "$heddle" sweep --worker --folder dead --jobs 1 >work 2>&1 </dev/null &
    worker=$!
    await has_files dead/taken
    sleep 3
    expect "a worker that lives keeps its run" has_files dead/taken
    kill -KILL -$worker 2>/dev/null
    wait $worker 2>/dev/null
done
wait $owner
expect "a run that was lost three times has failed" [ $? -eq 3 ]
expect "as killed" [ "$(select dead.db "SELECT failure FROM run")" = killed ]

# A worker is killed in the middle of its run: the program, when it is run first, says who runs it, and never ends.
workloads=$("$heddle" list folders | awk '$1 == "workloads" { print $2 }')
cat >stays <<SH
#!/bin/sh
mkdir "$scratch/once" 2>/dev/null || exec "$workloads/lps" --size test
echo \$PPID >"$scratch/new" && mv "$scratch/new" "$scratch/held" && exec sleep 1000
SH
chmod +x stays
mkdir once
parent() { awk '{ sub(/.*\) /, ""); print $2 }' "/proc/$1/stat"; }
has_runs() { [ -e "$1" ] && [ "$(select "$1" "SELECT count(*) FROM run" 2>/dev/null)" = "$2" ]; } # FILE NUMBER
is_complete() # NAME FILE
{
    dump "$2" >dump
    expect "$1: the rows are those of a sweep of one machine" cmp dump whole-stays
    expect "$1: the file is whole" [ "$(select "$2" "SELECT * FROM pragma_integrity_check")" = ok ]
}
set -- --program "trips.ptx --grid 2 --block 64 --arg buf:u32[128]" --gpu tiny --mech pdom,tbc \
    --set mem.l2_latency=10,11,12,13 -- ./stays
check stays 0 '^16 runs: 0 stored before, 16 run now, 0 failed' - sweep --store whole-stays.db "$@"
dump whole-stays.db >whole-stays

rmdir once
"$heddle" sweep --worker --folder lost --jobs 2 >work 2>&1 </dev/null &
worker=$!
"$heddle" sweep --folder lost --store lost.db --lost-after 2 "$@" >out 2>&1 </dev/null &
owner=$!
expect "the other worker does the other runs" await has_runs lost.db 15
kill -KILL "$(parent "$(cat held)")"
wait $owner
expect "a sweep ends without a worker that was killed" [ $? -eq 0 ]
expect "having all runs" grep -q '^16 runs: 0 stored before, 16 run now, 0 failed$' out
wait $worker
expect "the loss of a worker is seen in the status" [ $? -eq 137 ]
is_complete "a worker was killed" lost.db

mkdir other
cp "$heddle" other/heddle
printf x >>other/heddle

# the same over MPI, where it is installed: the first process owns the store
plug=$("$heddle" list folders | awk '$1 == "libcuda" { print $2 }')/farm-mpi.so
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi() { timeout --foreground -k 1 300 mpirun --oversubscribe "$@"; }
why="MPI needs Open MPI (Debian: libopenmpi-dev openmpi-bin), and a build of heddle where mpicc is found"
has_mpi()
{
    [ -e "$plug" ] && mpirun --version 2>/dev/null | grep -q "Open MPI" && mpi -n 2 true >mpi-err 2>&1 </dev/null
}
# The process of a rank of an mpirun.
rank() # MPIRUN RANK
{
    for child in $(cat /proc/"$1"/task/*/children); do
        tr '\0' '\n' <"/proc/$child/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2" && echo "$child"
    done
}
# Waits for the end of an mpirun that lost a process, and sets $status. The one of Open MPI 4.1.4 may then crash at its own
# end, or hang in PMIx_server_finalize(): if all its processes are gone and it stays, it is killed.
has_ended() { ! read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" || [ "$state" = Z ]; }
is_alone() # MPIRUN
{
    for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
        has_ended "$child" || return 1
    done
}
end_of() # MPIRUN
{
    expect "the processes of MPI end" await is_alone "$1"
    await has_ended "$1" || { kill -KILL "$1" && echo "mpirun hung when its processes had ended, and was killed"; }
    wait "$1" 2>/dev/null
    status=$?
}
if has_mpi; then
    rm -r once held
    mpirun --oversubscribe -n 3 "$heddle" sweep --store ranks.db "$@" >out 2>err </dev/null &
    mpirun=$!
    expect "the other rank does the other runs" await has_runs ranks.db 15
    kill -KILL "$(parent "$(cat held)")"
    end_of $mpirun
    expect "MPI ends with a rank that was killed" [ $status -ne 0 ]
    expect "and says so" grep -q 'on signal 9 (Killed)' err
    expect "what was done is stored" has_runs ranks.db 15
    mpi -n 3 "$heddle" sweep --store ranks.db "$@" >out 2>err </dev/null
    expect "the same command does the rest" grep -q '^16 runs: 15 stored before, 1 run now, 0 failed$' out
    is_complete "a rank was killed" ranks.db

    rm -r once held
    mpirun --oversubscribe -n 3 "$heddle" sweep --store stopped.db "$@" >out 2>err </dev/null &
    mpirun=$!
    expect "one rank stays at its run" await has_runs stopped.db 15
    kill -TERM "$(rank $mpirun 0)"
    end_of $mpirun
    expect "the first rank does not wait for ranks that were not told to stop" [ $status -ne 0 ]
    expect "and says how to go on" grep -q 'stopped: 1 of 16 runs are missing; the same command goes on from here' err
    mpi -n 2 "$heddle" sweep --store stopped.db "$@" >out 2>err </dev/null
    is_complete "the first rank was stopped" stopped.db
fi
set -- --program "trips.ptx --grid 2 --block 64 --arg buf:u32[128]" --gpu tiny --mech pdom,tbc \
    --set mem.l1d_latency=1,2,3 --set mem.l2_latency=10,11,12,13
if has_mpi; then
    mpi -n 3 "$heddle" sweep "$@" --store mpi.db >out 2>err </dev/null
    expect "three ranks do a sweep" [ $? -eq 0 ]
    expect "one of them speaks" [ "$(grep -c "^$runs runs: 0 stored before, $runs run now, 0 failed\$" out)" -eq 1 ]
    is_same "three ranks" mpi.db
    mpi -n 3 "$heddle" sweep "$@" --store mpi.db >out 2>err </dev/null
    expect "nothing is run twice" grep -q "^$runs runs: $runs stored before, 0 run now" out
    mpi -n 2 "$heddle" sweep "$@" --store mpi.db --dry-run >out 2>err </dev/null
    expect "a dry run ends all ranks" [ "$(grep -c '^24 runs, 0 of them to run$' out)" -eq 1 ]
    mpi -n 2 "$heddle" sweep "$@" --gpu nothing --store mpi.db >out 2>err </dev/null
    expect "a mistake ends all ranks" [ $? -eq 2 ]
    expect "and is reported once" [ "$(grep -c "nothing" err)" -eq 1 ]
    mpi -n 1 "$heddle" sweep "$@" --store part.db : -n 1 env TMPDIR=/dev/null "$heddle" sweep "$@" >out 2>err </dev/null
    expect "a sweep whose only worker cannot work ends" [ $? -eq 1 ]
    expect "and says why" grep -q 'no process is left to do the rest: .*/dev/null' err
    mpi -n 1 "$heddle" sweep "$@" --store part.db : -n 1 env TMPDIR=/dev/null "$heddle" sweep "$@" : \
        -n 1 "$heddle" sweep "$@" >out 2>err </dev/null
    is_same "one of two workers cannot work" part.db
else
    echo "skipped: the checks of MPI. $why. $(grep -v '^-*$' mpi-err 2>/dev/null | head -3 | tr '\n' ' ')"
fi
this=$heddle heddle=$scratch/other/heddle
OMPI_COMM_WORLD_SIZE=3 check without-mpi 1 - 'built without MPI' sweep "$@" --store n.db
heddle=$this
OMPI_COMM_WORLD_SIZE=3 check ranks-with-folder 2 - 'not for processes that mpirun' sweep "$@" --folder a

# mistakes
sed 's/"is_over":true/"is_over":false/' killed/owner >open-owner
mv open-owner killed/owner
this=$heddle heddle=$scratch/other/heddle
check other-build 1 '' 'another build of heddle' sweep --worker --folder killed --jobs 1
heddle=$this
echo '{}' >killed/owner
check no-owner-file 1 '' 'does not say who owns the sweep' sweep --worker --folder killed --jobs 1
check worker-without-folder 2 - 'needs the folder of the sweep' sweep --worker
check worker-with-programs 2 - 'takes --folder and --jobs alone' sweep --worker --folder a --programs lps
check owner-with-jobs 2 - 'belongs to the workers' sweep --programs lps --folder a --jobs 2
check lost-after 2 - "not 'soon'" sweep --programs lps --folder a --lost-after soon
check lost-too-soon 2 - 'takes 2 seconds or more' sweep --programs lps --folder a --lost-after 1
check no-folder 1 - 'cannot make the folder' sweep --programs lps --size test --folder /dev/null/a --store n.db

echo "$count checks of shared sweeps, $failed failed"
[ $failed -eq 0 ]
