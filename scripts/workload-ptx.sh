#!/bin/sh
# Compiles the kernels of workloads to the PTX that is committed beside them: with nvcc (nvcc.ptx) and with clang, with
# every branch kept as written (plain.ptx). Kernels with hints are compiled once more with them (nvcc-hints.ptx,
# plain-hints.ptx).
#
# usage: scripts/workload-ptx.sh [WORKLOAD ...]     (from the root of the sources; all of them, if none is named)
#
# Needs nvcc 13.0 and clang 14; NVCC, CLANG and CUDA_HOME may name others. docs/workloads.md says how the options of
# clang were chosen.
set -eu
[ -d workloads/common ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang-14} cuda=${CUDA_HOME:-/usr/local/cuda}
[ $# -gt 0 ] || set -- $(for kernels in workloads/*/kernels.cu; do basename "$(dirname "$kernels")"; done)

by_nvcc() # FROM TO [OPTION]
{
    from=$1 to=$2
    shift 2
    "$nvcc" -ptx -arch=sm_75 -Iworkloads/common -Iinclude "$@" "$from" -o "$to"
}

# What would change a branch that the source has is off: conversion of branches to selections, speculation, merging of
# conditions, copies of code behind jumps.
keep_branches="-mllvm -phi-node-folding-threshold=0 -mllvm -two-entry-phi-node-folding-threshold=0
    -mllvm -speculate-one-expensive-inst=false -mllvm -spec-exec-max-speculation-cost=0
    -mllvm -simplifycfg-hoist-common=false -mllvm -simplifycfg-sink-common=false -mllvm -bonus-inst-threshold=0
    -mllvm -jump-threading-threshold=0"

by_clang() # FROM TO [OPTION]
{
    from=$1 to=$2
    shift 2
    # shellcheck disable=SC2086 # keep_branches holds several words
    "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc \
        -nocudalib -Wno-unknown-cuda-version -S -O1 -fno-unroll-loops $keep_branches -Iworkloads/common -Iinclude "$@" \
        -Xclang -mlink-builtin-bitcode -Xclang "$cuda/nvvm/libdevice/libdevice.10.bc" "$from" -o "$to"
}

for name; do
    folder=workloads/$name
    by_nvcc "$folder/kernels.cu" "$folder/nvcc.ptx"
    by_clang "$folder/kernels.cu" "$folder/plain.ptx"
    grep -q HEDDLE_PREDICT "$folder/kernels.cu" || continue
    by_nvcc "$folder/kernels.cu" "$folder/nvcc-hints.ptx" -DWORK_HINTS
    by_clang "$folder/kernels.cu" "$folder/plain-hints.ptx" -DWORK_HINTS
done
