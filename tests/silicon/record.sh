#!/bin/sh
# Records the goldens of all suites on a machine with a GPU and the CUDA toolkit.
#
# usage: tests/silicon/record.sh FOLDER [SEEDS]     (from the root of the sources)
# SEEDS: random programs of each generator (1500)
#
# Leaves ops.golden, corpus.golden (to be compressed: replay pack), kept.golden, random.golden and manual.golden in FOLDER,
# and a log. What the driver's compiler gets wrong is no golden: docs/architecture.md, Goldens.
# CC, CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they are not found.
set -u
if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
fi
out=$1
seeds=${2:-1500}
mkdir -p "$out"
# shellcheck source=tests/silicon/build_replay.sh
. tests/silicon/build_replay.sh

status=0
record() {
    suite=$1
    shift
    start=$(date +%s)
    "$replay" "$suite" "$@" --record "$out/$suite.golden" || status=1
    echo "$suite: $(($(date +%s) - start)) s, $(wc -c <"$out/$suite.golden") bytes"
}
(
    record ops
    record random --random 1 "$seeds"
    record manual --random 1 "$seeds"
    record corpus --corpus tests/corpus
    "$replay" corpus --corpus tests/kept --record "$out/kept.golden" || status=1
    # The same again must give the same: what does not is no golden.
    for suite in ops random manual corpus; do
        echo "$suite, checked against itself:"
        "$replay" $suite --corpus tests/corpus --check "$out/$suite.golden" || status=1
    done
    exit $status
) >"$out/record.log" 2>&1
status=$?
grep -E '^(ops|random|manual|corpus)|passed,' "$out/record.log"
grep -E '^(FAIL|not on this silicon)' "$out/record.log" | cut -c1-200 | head -n 60
echo "all of it: $out/record.log"
exit $status
