#!/bin/bash
# Compares the CPU time of whole workloads with that of the last release, side by side on one core: both builds run each
# workload in turn, and the fastest run of each counts, so that a slow or busy host matters little.
# Usage: workload_times.sh BUILD [RUNS [WORKLOAD...]]
# RUNS is the number of runs of either build (1). Without names, all workloads of `heddle list workloads` run but the
# generated ones. OPTIONS has the options of the runs; --threads 1 is added for builds that know it. RELEASE is a folder with
# the release's sources, built in its folder build; without it, the commit that bench/release names is built in BUILD/bench.
set -eu
build=${1:?usage: workload_times.sh BUILD [RUNS [WORKLOAD...]]}
runs=${2:-1}
shift "$(($# < 2 ? $# : 2))"
options=${OPTIONS:---size small --gpu fermi --mech pdom}
release=$(sed -n 1p bench/release)
folder=${RELEASE:-$build/bench/$release}
fail() { echo "workload_times: $*" >&2; exit 1; }
if [ ! -x "$folder/build/heddle" ]; then
    git cat-file -e "$release^{commit}" 2>/dev/null || fail "this checkout has no commit $release (bench/release)"
    echo "workload_times: building the release $release" >&2
    mkdir -p "$folder"
    [ -e "$folder/Makefile" ] || git archive "$release" | tar x -C "$folder"
    make -s -C "$folder" all >"$folder/build.log" 2>&1 || fail "$(tail -5 "$folder/build.log")"
fi
[ $# -gt 0 ] || set -- $("$build/heddle" list workloads | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' | grep -v '^app-')
one_core=
! command -v taskset >/dev/null || one_core="taskset -c $(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# one_thread HEDDLE: the option that keeps it on one host thread, if it knows any other way.
one_thread() { if "$1" run --help | grep -q -- '--threads N'; then echo --threads 1; fi; }
# Seconds of user and system time of one run, and of the programs that it starts.
TIMEFORMAT='%U %S'
cpu() {
    { time $one_core "$1" run "$2" $options $(one_thread "$1") >/dev/null 2>"$out"; } 2>&1 | awk '{ print $1 + $2 }'
    ! grep -q '^heddle' "$out" || fail "$1 run $2: $(cat "$out")"
}
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a) ? b : a }'; }

printf '%-14s %12s %12s %8s\n' "CPU seconds" "release" "now" "faster"
table=
for name in "$@"; do
    before='' now=''
    for _ in $(seq "$runs"); do
        before=$(least "$before" "$(cpu "$folder/build/heddle" "$name")")
        now=$(least "$now" "$(cpu "$build/heddle" "$name")")
    done
    row="$name $before $now"
    echo "$row" | awk '{ printf "%-14s %12.2f %12.2f %7.2fx\n", $1, $2, $3, $2 / $3 }'
    table="$table$row
"
done
printf '%s' "$table" | awk '
    { ratio += log($2 / $3); before += $2; now += $3 }
    END { printf "%-14s %12.2f %12.2f %7.2fx\n", "all " NR, before, now, before / now
          printf "%-14s %33.2fx\n", "geometric mean", exp(ratio / NR) }'
