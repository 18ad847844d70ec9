#!/bin/sh
# Runs ten programs of at least a billion thread instructions on a machine, whole and with --sample, and prints the table
# of docs/sampling.md: cycles, the estimate, how far it is off, and how much faster it is.
#
#   tests/sampling/table.sh [MACHINE [JOBS [PROGRAM...]]]     BUILD=build RUNS=1
#
# JOBS programs run at a time, each on one host thread. Each runs RUNS times, whole and with --sample in turn, and the least
# time of each counts, since others on the host can only slow a run down. `varied` stands for the eight programs of varied_launches.cu, which are shorter.
# Any other PROGRAM is a shipped workload, at size paper. Needs nvcc. A program that failed has its output in BUILD/sampling.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
RUNS=${RUNS:-1}
machine=${1:-fermi}
jobs=${2:-1}
[ $# -gt 2 ] && shift 2 || set -- mandelbrot spmv matmul histogram heat bfs kmeans gauss sort walsh
[ "$*" != varied ] || set -- waves mixture drift strides shuffle swap cycles radix
work=$BUILD/sampling
mkdir -p "$work"
for source in one_launch many_launches varied_launches; do
    [ "$work/$source" -nt "tests/sampling/$source.cu" ] && [ "$work/$source" -nt tests/sampling/common.cuh ] ||
        "${NVCC:-nvcc}" -O3 -arch=compute_90 -cudart shared -o "$work/$source" "tests/sampling/$source.cu"
done

# run NAME OPTIONS: one run; its figures go to a file, with the seconds of processor time that it took as the last line: the
# least so far.
run() {
    name=$1 out=$work/$machine.$1.${2:+sampled} least=
    [ "$turn" -eq 1 ] || least=$(sed -n 's/^seconds //p' "$out")
    shift
    (
        case $name in
        mandelbrot | spmv | matmul | histogram)
            "$BUILD/heddle" exec --gpu "$machine" --threads 1 "$@" "$work/one_launch" "$name" ;;
        heat | bfs | kmeans | gauss | sort | walsh)
            "$BUILD/heddle" exec --gpu "$machine" --threads 1 "$@" "$work/many_launches" "$name" ;;
        waves | mixture | drift | strides | shuffle | swap | cycles | radix)
            "$BUILD/heddle" exec --gpu "$machine" --threads 1 "$@" "$work/varied_launches" "$name" ;;
        *) "$BUILD/heddle" run "$name" --size paper --gpu "$machine" --threads 1 "$@" ;;
        esac || echo "$name failed: $out" >&2
        times >"$out.times" # not in a pipe, whose shell has no children
        awk -v least="$least" 'NR == 2 {
            split($1, user, "[ms]")
            seconds = 60 * user[1] + user[2]
            print "seconds", least == "" || seconds < least + 0 ? seconds : least
        }' "$out.times"
    ) >"$out" 2>&1
}

# figures FILE: cycles, half the interval in percent, share timed in percent, seconds.
figures() {
    awk '
        /^  cycles /       { cycles = $2; half = $3 == "±" ? $4 : 0 }
        / \(all\)$/        { cycles = $5; half = $9 == "%" ? $8 : 0 }
        /^  timed /        { timed = $2 }
        /^  Cycles and time are estimates from/ { timed = $7 }
        /^seconds /        { seconds = $2 }
        END { print cycles + 0, half + 0, timed + 0, seconds + 0 }' "$1"
}

running=0
for program in "$@"; do
    (
        for turn in $(seq "$RUNS"); do
            run "$program"
            run "$program" --sample
        done
    ) &
    running=$((running + 1))
    [ $((running % jobs)) -ne 0 ] || wait
done
wait

echo "| program | cycles | estimate | off by | interval | timed | seconds | sampled | faster |"
echo "|---|---|---|---|---|---|---|---|---|"
for program in "$@"; do
    echo "$program $(figures "$work/$machine.$program.") $(figures "$work/$machine.$program.sampled")"
done | awk '{
    off = 100 * ($6 / $2 - 1)
    printf "| %s | %d | %d | %+.2f %% | ± %.1f %%%s | %.1f %% | %.1f | %.1f | %.1f |\n", $1, $2, $6, off, $7,
        (off < 0 ? -off : off) <= $7 + 0.05 ? "" : " missed", $8, $5, $9, $5 / $9
}'
