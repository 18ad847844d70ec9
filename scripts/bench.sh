#!/bin/sh
# Compares the speed of this build with that of the last release, side by side on one core, so that a slow or busy host does
# not matter: `make bench` runs it.
# Usage: bench.sh BUILD [RUNS]
# The release is the commit that bench/release names; it is built in BUILD/bench. Each kernel runs RUNS times (3) with either
# build, in turn, and the fastest run of each counts.
set -eu
build=${1:?usage: bench.sh BUILD [RUNS]}
runs=${2:-3}
[ -x "$build/bench/bench" ] || { echo "bench: no $build/bench/bench: \`make $build/bench/bench\` builds it" >&2; exit 1; }
release=$(sed -n 1p bench/release)
folder=$build/bench/$release
if [ ! -x "$folder/build/bench/bench" ]; then
    if ! git cat-file -e "$release^{commit}" 2>/dev/null; then
        echo "bench: this checkout has no commit $release (bench/release), so there is nothing to compare with"
        exit 0
    fi
    echo "bench: building the release $release"
    mkdir -p "$folder"
    git archive "$release" | tar x -C "$folder"
    make -s -C "$folder" build/bench/bench >"$folder/build.log" 2>&1 || { tail -5 "$folder/build.log"; exit 1; }
fi

# Nanoseconds of an issue, as the last run printed them.
ns() { sed -n 's|.* \([0-9.]*\) ns/strand issue.*|\1|p' | head -1; }
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a) ? b : a }'; }
one_core=
! command -v taskset >/dev/null || one_core="taskset -c $(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"

printf '%-22s %14s %14s %8s\n' "ns per issue" "release" "now" "faster"
for kernel in alu gather divergent 'alu on fermi' 'divergent on fermi' 'gather on fermi' 'stream on fermi' 'latency on fermi'; do
    before='' now=''
    for _ in $(seq "$runs"); do
        before=$(least "$before" "$($one_core "$folder/build/bench/bench" "$folder/bench" "$kernel" | ns)")
        now=$(least "$now" "$($one_core "$build/bench/bench" bench "$kernel" | ns)")
    done
    awk -v k="$kernel" -v a="$before" -v b="$now" 'BEGIN { printf "%-22s %14.1f %14.1f %7.2fx\n", k, a, b, a / b }'
done
