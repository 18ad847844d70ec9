#!/bin/sh
# Runs the workloads on a GPU, where each verifies its result, and counts their instructions with Nsight Compute.
#
# usage: tests/validate/record_workloads.sh FILE [SIZE ...]     (from the root of the sources)
#
# Leaves one CSV row a workload and size (test and small, if none is named) in FILE, over all its launches. CC,
# CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they are not found.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 2
fi
out=$1
shift
[ $# -gt 0 ] || set -- test small
. tests/validate/gpu.sh

for host in workloads/*/host.c; do
    name=$(basename "$(dirname "$host")")
    ${CC:-gcc} -std=gnu17 -O2 -ffp-contract=off -I"$cuda/include" -Iworkloads/common \
        -Wa,-I"workloads/$name" $([ ! -e "workloads/$name/nvcc-hints.ptx" ] || echo -DWORK_HINTS) \
        -o "$work/$name" "$host" workloads/common/*.c workloads/common/*.S -L"$stubs" -lcuda -lm
done

echo "workload,size,warp_instructions,thread_instructions,thread_instructions_pred_on" >"$out"
for size; do
    for program in "$work"/*; do
        name=$(basename "$program")
        [ -x "$program" ] && [ -e "workloads/$name/host.c" ] || continue
        "$program" --size "$size"
        "$ncu" --clock-control none --metrics "$counters" --csv --page raw --print-units base --print-fp \
            --log-file "$work/raw.csv" "$program" --size "$size" >"$work/printed.txt" ||
            { tail -n 20 "$work/raw.csv" >&2; exit 1; }
        awk -v name="$name" -v size="$size" -v counters="$counters" '
            BEGIN { n_counters = split(counters, counter, ",") }
            function split_row(line, fields) { gsub(/^"|"$/, "", line); return split(line, fields, /","/) }
            /^"ID"/ { n = split_row($0, column); for (i = 1; i <= n; i++) at[column[i]] = i; next }
            /^"[0-9]+"/ {
                split_row($0, value)
                for (i = 1; i <= n_counters; i++) { v = value[at[counter[i]]]; gsub(/,/, "", v); sum[i] += v }
            }
            END {
                printf "%s,%s", name, size
                for (i = 1; i <= n_counters; i++) printf ",%.0f", sum[i]
                print ""
            }' "$work/raw.csv" >>"$out"
    done
done
