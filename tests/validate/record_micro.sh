#!/bin/sh
# Runs the micro-benchmarks of tests/validate/micro on a machine with a GPU and the CUDA toolkit.
#
# usage: tests/validate/record_micro.sh FILE [SASS]     (from the root of the sources)
#
# Leaves one CSV row a figure in FILE: name,value,unit; and last what Nsight Compute counts for an empty kernel. SASS is
# a file for the machine code. CC, CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they
# are not found.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
out=$1
sass=${2:-}
. tests/validate/gpu.sh
NVCC="$cuda/bin/nvcc" tests/validate/micro/build.sh "$work" "$cuda/include" "$stubs"
if [ -n "$sass" ]; then
    "$cuda/bin/nvcc" -cubin -arch=sm_90 -o "$work/micro.cubin" tests/validate/micro/kernels.cu
    "$cuda/bin/cuobjdump" -sass "$work/micro.cubin" >"$sass"
fi

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/# /'
    echo name,value,unit
    "$work/micro" "$work/micro.ptx"
} >"$work/recorded"
# The launches of the empty kernel: the profiler's cycles of a kernel that does nothing.
"$ncu" --clock-control none --metrics gpc__cycles_elapsed.max,sm__cycles_active.max,gpu__time_duration.sum \
    --kernel-name empty --launch-count 8 --csv --page raw --print-units base --print-fp --log-file "$work/raw" \
    "$work/micro" "$work/micro.ptx" >"$work/printed" || { tail -n 20 "$work/raw" >&2; exit 1; }
awk '
    function split_row(line, fields) { gsub(/^"|"$/, "", line); return split(line, fields, /","/) }
    /^"ID"/ { n = split_row($0, column); for (i = 1; i <= n; i++) at[column[i]] = i; next }
    /^"[0-9]+"/ {
        split_row($0, value)
        for (i = 1; i <= n; i++)
            gsub(/,/, "", value[i])
        rows++
        cycles += value[at["gpc__cycles_elapsed.max"]]
        active += value[at["sm__cycles_active.max"]]
        ns += value[at["gpu__time_duration.sum"]]
    }
    END {
        if (!rows) { print "the empty kernel was not profiled" >"/dev/stderr"; exit 1 }
        printf "empty_kernel,%.1f,cycles (gpc__cycles_elapsed.max; mean of %d)\n", cycles / rows, rows
        printf "empty_kernel_active,%.1f,cycles (sm__cycles_active.max)\n", active / rows
        printf "empty_kernel_time,%.1f,ns (gpu__time_duration)\n", ns / rows
    }' "$work/raw" >>"$work/recorded"
cp "$work/recorded" "$out"
