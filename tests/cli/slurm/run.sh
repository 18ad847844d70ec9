#!/bin/sh
# The job scripts examples/sweep-*.sbatch under Slurm: run.sh HEDDLE. A cluster of one node, with daemons, key and ports
# of its own, is started for the test; its node claims 8 CPUs. Needs root, and Debian's packages slurm-wlm, munge and, for
# MPI, openmpi-bin. Every job leaves the rows of a sweep without Slurm.
. "$(dirname "$0")/../check.sh"
. ../rows.sh
for command in munged slurmctld slurmd sbatch srun; do
    command -v $command >/dev/null || { echo "skipped: Slurm (Debian: slurm-wlm munge) is not installed: no $command"; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: Slurm's daemons are started by root alone"; exit 0; }
scripts=$("$heddle" list folders | awk '$1 == "examples" { print $2 }')
cp "$scripts/trips.ptx" "$PWD/../sweep/spin.ptx" "$scratch"
cd "$scratch" || exit 2

node=$(hostname -s) port=$((20000 + $$ % 20000)) daemons=
mkdir state spool
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
SLURM_CONF=$scratch/slurm.conf HEDDLE=$heddle
export SLURM_CONF HEDDLE
# Ends the jobs and daemons that were started here, and no others.
clean_up()
{
    [ -z "$daemons" ] || scancel --user=root 2>/dev/null
    for daemon in $daemons; do
        kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
start() # NAME COMMAND...
{
    log=$1
    shift
    "$@" >"$log.log" 2>&1 </dev/null &
    daemons="$! $daemons"
}
# await COMMAND...: waits at most 30 seconds for it to succeed
await() { tries=0; until "$@" >/dev/null 2>&1 || [ $tries -ge 300 ]; do sleep 0.1; tries=$((tries + 1)); done; "$@"; }
is_idle() { [ "$(sinfo --noheader --format=%T)" = idle ]; }
dd if=/dev/urandom of=munge.key bs=64 count=1 2>/dev/null
chmod 400 munge.key
start munged munged --foreground --force --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" \
    --pid-file="$scratch/munge.pid" --log-file="$scratch/munge.log" --seed-file="$scratch/munge.seed"
await [ -S munge.socket ] || { cat munged.log; exit 1; }
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF"
await is_idle || { tail -5 slurmctld.log slurmd.log; exit 1; }

set -- --program "trips.ptx --grid 2 --block 64 --arg buf:u32[128]" --gpu tiny --mech pdom,tbc \
    --set mem.l1d_latency=1,2,3 --set mem.l2_latency=10,11,12,13
"$heddle" sweep "$@" --store whole.db >out 2>&1 || { cat out; exit 1; }
dump whole.db >whole
expect "the sweep without Slurm has all runs" [ "$(select whole.db "SELECT count(*) FROM run WHERE failure IS NULL")" -eq 24 ]
job() # JOB STATUS PATTERN OPTIONS-OF-SBATCH SCRIPT ARGUMENTS...: its store is JOB.db, its output is JOB.out
{
    job=$1 status=$2 pattern=$3 options=$4
    shift 4
    # shellcheck disable=SC2086
    timeout 120 sbatch --quiet --wait --output="$job.out" $options "$@" --store "$job.db" </dev/null
    got=$?
    expect "$job: the job ends with status $status, not $got" [ $got -eq "$status" ]
    expect "$job: its output has '$pattern'" grep -q "$pattern" "$job.out"
    grep -q "$pattern" "$job.out" || sed 's/^/  /' "$job.out"
}
is_same() # NAME
{
    dump "$1.db" >dump
    expect "$1: the rows are those of a sweep without Slurm" cmp dump whole
}
all='^24 runs: 0 stored before, 24 run now, 0 failed$'

job folder 0 "$all" --cpus-per-task=3 "$scripts/sweep-folder.sbatch" "$@"
is_same folder
expect "one worker per CPU" [ "$(grep -c '^worker: .* the sweep is over$' folder.out)" -eq 3 ]
job mistake 2 'no machine' --cpus-per-task=3 "$scripts/sweep-folder.sbatch" "$@" --gpu nothing
# two runs that never end; the workers of the job end with it
job failed 3 '^2 runs: 0 stored before, 2 run now, 2 failed$' --cpus-per-task=2 "$scripts/sweep-folder.sbatch" \
    --program 'spin.ptx --arg buf:u32[1] --verify none' --gpu tiny --mech pdom,tbc --time-limit 1

# a job that owns the sweep, and an array of jobs that work for it
sbatch --quiet --output=array-owner.out --ntasks=1 \
    --wrap "exec $heddle sweep --folder array --store array.db $(printf "'%s' " "$@")"
timeout 120 sbatch --quiet --wait --array=1-3 --output=array-%a.out --wrap "$heddle sweep --worker --jobs 1 --folder array"
expect "jobs of an array work" [ $? -eq 0 ]
is_same array

plug=$("$heddle" list folders | awk '$1 == "libcuda" { print $2 }')/farm-mpi.so
if [ -e "$plug" ] && srun --mpi=list 2>&1 | grep -q pmix; then
    job mpi 0 "$all" --ntasks=3 "$scripts/sweep-mpi.sbatch" "$@"
    is_same mpi
    job mpi-mistake 2 'no machine' --ntasks=2 "$scripts/sweep-mpi.sbatch" "$@" --gpu nothing
else
    echo "skipped: sweeps over MPI, which need a build with MPI (Debian: libopenmpi-dev openmpi-bin) and Slurm's PMIx"
fi

echo "$count checks of sweeps under Slurm, $failed failed"
[ $failed -eq 0 ]
