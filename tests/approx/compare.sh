#!/bin/sh
# Compares all results of the approximate instructions with those of this machine's GPU: see compare.c.
#
# usage: tests/approx/compare.sh     (from the root of the sources, with a GPU and the CUDA toolkit; about a minute)
# CC, CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they are not found.
set -eu
cuda=${CUDA_HOME:-/usr/local/cuda}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for stubs in "$cuda/lib64/stubs" "$cuda/lib/stubs" "$cuda"/targets/*/lib/stubs; do
    [ -e "$stubs/libcuda.so" ] && break
done
${CC:-gcc} -std=gnu17 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing -Isrc \
    -I"$cuda/include" -o "$folder/compare" tests/approx/compare.c src/lanes/math.c src/lanes/special.c \
    -L"$stubs" -lcuda -lpthread -lm
[ -z "${LIBCUDA_DIR:-}" ] || export LD_LIBRARY_PATH="$LIBCUDA_DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$folder/compare" "$(nproc)"
