#!/bin/sh
# Compiles the kernels of workloads to the PTX that is committed beside them: with nvcc (nvcc.ptx) and with clang, with
# every branch kept as written (plain.ptx). Kernels with hints are compiled once more with them (nvcc-hints.ptx,
# plain-hints.ptx). The PTX has line tables, whose paths are those from the root of the sources.
#
# usage: scripts/workload-ptx.sh [WORKLOAD ...]     (from the root of the sources; all of them, if none is named)
#
# Needs nvcc 13.0 and clang, opt and llc of LLVM 14; NVCC, CLANG, OPT, LLC and CUDA_HOME may name others.
# docs/plain-ptx.md says how the passes for plain.ptx were chosen.
set -eu
[ -d workloads/common ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang-14} opt=${OPT:-opt-14} llc=${LLC:-llc-14} cuda=${CUDA_HOME:-/usr/local/cuda}
[ $# -gt 0 ] || set -- $(for kernels in workloads/*/kernels.cu; do basename "$(dirname "$kernels")"; done)

# Line tables hold the paths of one machine, labels for a debugger, and lines of the compilers' own headers. Paths become
# those from the root of the sources, the labels go, and an instruction from such a header gets the line of its call,
# or else that of the instruction before it.
tidy_lines() # PTX
{
    awk -v root="$PWD/" '
        NR == FNR {
            if ($1 != ".file") next
            path = $0
            sub(/^[^"]*"/, "", path); sub(/"[^"]*$/, "", path); gsub(/" "/, "/", path)
            if (index(path, root) == 1) path = substr(path, length(root) + 1)
            if (path ~ /^(workloads|include)\//) ours[$2] = path
            next
        }
        /^L(tmp|func_begin|func_end)[0-9]+:/ || /^[ \t]*\.section[ \t]+\.debug_loc/ { next }
        $1 == ".file" { if ($2 in ours) print "\t.file\t" $2 " \"" ours[$2] "\""; next }
        $1 == ".loc" && !($2 in ours) {
            if (match($0, /inlined_at [0-9]+ [0-9]+ [0-9]+/)) {
                call = substr($0, RSTART + 11, RLENGTH - 11)
                split(call, part, " ")
                if (part[1] in ours) print "\t.loc\t" call
            }
            next
        }
        { print }' "$1" "$1" >"$1.tidy"
    mv "$1.tidy" "$1"
}

# char is signed, as on x86-64, whichever processor compiles.
by_nvcc() # FROM TO [OPTION]
{
    from=$1 to=$2
    shift 2
    "$nvcc" -ptx -arch=sm_75 -lineinfo -Xcudafe --signed_chars -Iworkloads/common -Iinclude "$@" "$from" -o "$to"
    tidy_lines "$to"
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
    "$clang" -x cuda -gline-directives-only -fsigned-char --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc \
        -nocudalib -Wno-unknown-cuda-version -S -emit-llvm -O2 -Xclang -disable-llvm-passes \
        -Xclang -disable-lifetime-markers -Iworkloads/common -Iinclude "$@" -Xclang -mlink-builtin-bitcode \
        -Xclang "$cuda/nvvm/libdevice/libdevice.10.bc" "$from" -o "$to.ll"
    # shellcheck disable=SC2086 # as_written holds several words
    "$opt" -S -passes="$passes" $as_written "$to.ll" -o "$to.opt.ll"
    "$llc" -O1 -asm-verbose=0 -disable-block-placement -mcpu=sm_75 -mattr=+ptx63 "$to.opt.ll" -o "$to"
    rm "$to.ll" "$to.opt.ll"
    tidy_lines "$to"
}

for name; do
    folder=workloads/$name
    by_nvcc "$folder/kernels.cu" "$folder/nvcc.ptx"
    by_clang "$folder/kernels.cu" "$folder/plain.ptx"
    grep -q HEDDLE_PREDICT "$folder/kernels.cu" || continue
    by_nvcc "$folder/kernels.cu" "$folder/nvcc-hints.ptx" -DWORK_HINTS
    by_clang "$folder/kernels.cu" "$folder/plain-hints.ptx" -DWORK_HINTS
done
