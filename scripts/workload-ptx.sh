#!/bin/sh
# Compiles the kernels of workloads to the PTX that is committed beside them: with nvcc (nvcc.ptx) and with clang, with
# every branch kept as written (plain.ptx). Kernels with hints are compiled once more with them (nvcc-hints.ptx,
# plain-hints.ptx).
#
# usage: scripts/workload-ptx.sh [WORKLOAD ...]     (from the root of the sources; all of them, if none is named)
#
# Needs nvcc 13.0 and clang, opt and llc of LLVM 14; NVCC, CLANG, OPT, LLC and CUDA_HOME may name others.
# docs/plain-ptx.md says how the passes for plain.ptx were chosen.
set -eu
[ -d workloads/common ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang-14} opt=${OPT:-opt-14} llc=${LLC:-llc-14} cuda=${CUDA_HOME:-/usr/local/cuda}
[ $# -gt 0 ] || set -- $(for kernels in workloads/*/kernels.cu; do basename "$(dirname "$kernels")"; done)

by_nvcc() # FROM TO [OPTION]
{
    from=$1 to=$2
    shift 2
    "$nvcc" -ptx -arch=sm_75 -Iworkloads/common -Iinclude "$@" "$from" -o "$to"
}

# The passes of LLVM between clang's front end and the code generator. All functions are inlined. Then, while variables
# are still in memory, simplifycfg makes straight code of &&, || and ?: that read no other memory: an if has stores to
# variables there, which simplifycfg does not touch with these options. No later pass changes a branch, except that
# loops with a small constant number of rounds are unrolled, and the others test their condition at the end.
passes="cgscc(inline),globaldce,function(nvvm-reflect,simplifycfg<bonus-inst-threshold=16>,sroa,early-cse,instcombine,\
infer-address-spaces,loop-simplify,lcssa,loop(loop-rotate),instcombine,loop-simplify,lcssa,\
loop(loop-unroll-full),sroa,instcombine,early-cse,adce)"
as_written="-inline-threshold=1000000 -two-entry-phi-node-folding-threshold=16 -simplifycfg-branch-fold-threshold=16
    -phi-node-folding-threshold=0 -simplifycfg-hoist-common=false -simplifycfg-sink-common=false
    -simplifycfg-merge-cond-stores=false -simplifycfg-hoist-cond-stores=false"

by_clang() # FROM TO [OPTION]
{
    from=$1 to=$2
    shift 2
    "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc \
        -nocudalib -Wno-unknown-cuda-version -S -emit-llvm -O2 -Xclang -disable-llvm-passes \
        -Xclang -disable-lifetime-markers -Iworkloads/common -Iinclude "$@" -Xclang -mlink-builtin-bitcode \
        -Xclang "$cuda/nvvm/libdevice/libdevice.10.bc" "$from" -o "$to.ll"
    # shellcheck disable=SC2086 # as_written holds several words
    "$opt" -S -passes="$passes" $as_written "$to.ll" -o "$to.opt.ll"
    "$llc" -O1 -asm-verbose=0 -disable-block-placement -mcpu=sm_75 -mattr=+ptx63 "$to.opt.ll" -o "$to"
    rm "$to.ll" "$to.opt.ll"
}

for name; do
    folder=workloads/$name
    by_nvcc "$folder/kernels.cu" "$folder/nvcc.ptx"
    by_clang "$folder/kernels.cu" "$folder/plain.ptx"
    grep -q HEDDLE_PREDICT "$folder/kernels.cu" || continue
    by_nvcc "$folder/kernels.cu" "$folder/nvcc-hints.ptx" -DWORK_HINTS
    by_clang "$folder/kernels.cu" "$folder/plain-hints.ptx" -DWORK_HINTS
done
