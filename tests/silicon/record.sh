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
cc=${CC:-gcc}
cuda=${CUDA_HOME:-/usr/local/cuda}
mkdir -p "$out"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# The toolkit's stub satisfies the linker; the driver's own library is found when the program starts.
for stubs in "$cuda/lib64/stubs" "$cuda/lib/stubs" "$cuda"/targets/*/lib/stubs; do
    [ -e "$stubs/libcuda.so" ] && break
done
driver=${LIBCUDA_DIR:-}
if [ -z "$driver" ]; then
    for folder in /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 \
                  /usr/local/nvidia/lib; do
        [ -e "$folder/libcuda.so.1" ] && driver=$folder && break
    done
fi

zstd=
if echo '#include <zstd.h>' | "$cc" -E -x c - >/dev/null 2>&1; then
    zstd="-DHAVE_ZSTD -lzstd"
fi
# shellcheck disable=SC2086,SC2046
"$cc" -std=gnu17 -O2 -ffp-contract=off -fno-strict-aliasing -Isrc -I"$cuda/include" -o "$build/replay" \
    tests/silicon/*.c $(ls tests/random/*.c tests/manual/*.c | grep -v /main.c) src/ptx/ops.c src/base/*.c \
    -L"$stubs" $zstd -lcuda -lm || exit 1

# Compiled modules are used once: keeping them on disk only costs time.
export CUDA_CACHE_DISABLE=1
if ! "$build/replay" device 2>/dev/null && [ -n "$driver" ]; then
    export LD_LIBRARY_PATH="$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "$build/replay" device || exit 1
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null

status=0
record() {
    suite=$1
    shift
    start=$(date +%s)
    "$build/replay" "$suite" "$@" --record "$out/$suite.golden" || status=1
    echo "$suite: $(($(date +%s) - start)) s, $(wc -c <"$out/$suite.golden") bytes"
}
(
    record ops
    record random --random 1 "$seeds"
    record manual --random 1 "$seeds"
    record corpus --corpus tests/corpus
    "$build/replay" corpus --corpus tests/kept --record "$out/kept.golden" || status=1
    # The same again must give the same: what does not is no golden.
    for suite in ops random manual corpus; do
        echo "$suite, checked against itself:"
        "$build/replay" $suite --corpus tests/corpus --check "$out/$suite.golden" || status=1
    done
    exit $status
) >"$out/record.log" 2>&1
status=$?
grep -E '^(ops|random|manual|corpus)|passed,' "$out/record.log"
grep -E '^(FAIL|not on this silicon)' "$out/record.log" | cut -c1-200 | head -n 60
echo "all of it: $out/record.log"
exit $status
