#!/bin/sh
# Runs the workloads on a GPU, where each verifies its result, and counts their instructions with Nsight Compute.
#
# usage: tests/validate/record_workloads.sh FILE [SIZE ...]     (from the root of the sources)
#
# Leaves one CSV row a workload, PTX and size (test and small, if none is named) in FILE, over all its launches. CC,
# CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they are not found. A workload that
# fails is named on stderr and left out; the rest goes on, and the script ends with status 1. Generated kernels (apps)
# are verified, each of them, and not counted.
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
        $([ -e "workloads/$name/nvcc.ptx" ] || echo -DWORK_GENERATED) -o "$work/$name" "workloads/$name"/*.c workloads/common/*.c workloads/common/*.S -L"$stubs" -lcuda -lm
done

status=0
failed() # WORDS...
{
    echo "failed: $*" >&2
    status=1
}

echo "workload,ptx,size,warp_instructions,thread_instructions,thread_instructions_pred_on" >"$out"
record() # WORKLOAD PTX SIZE
{
    program=$work/$1
    "$program" --ptx "$2" --size "$3" || { failed "$@"; return 0; }
    "$ncu" --clock-control none --metrics "$counters" --csv --page raw --print-units base --print-fp \
        --log-file "$work/raw.csv" "$program" --ptx "$2" --size "$3" >"$work/printed.txt" ||
        { tail -n 5 "$work/raw.csv" >&2; failed ncu "$@"; return 0; }
    awk -v row="$1,$2,$3" -v counters="$counters" '
        BEGIN { n_counters = split(counters, counter, ",") }
        function split_row(line, fields) { gsub(/^"|"$/, "", line); return split(line, fields, /","/) }
        /^"ID"/ { n = split_row($0, column); for (i = 1; i <= n; i++) at[column[i]] = i; next }
        /^"[0-9]+"/ {
            split_row($0, value)
            for (i = 1; i <= n_counters; i++) { v = value[at[counter[i]]]; gsub(/,/, "", v); sum[i] += v }
        }
        END {
            printf "%s", row
            for (i = 1; i <= n_counters; i++) printf ",%.0f", sum[i]
            print ""
        }' "$work/raw.csv" >>"$out"
}

for size; do
    for host in workloads/*/host.c; do
        name=$(basename "$(dirname "$host")")
        [ "$name" != apps ] || continue
        for ptx in nvcc plain; do record "$name" $ptx "$size"; done
        [ ! -e "workloads/$name/nvcc-hints.ptx" ] || "$work/$name" --hints --size "$size" || failed "$name" hints "$size"
    done
    for number in $(seq 0 149); do
        "$work/apps" --number "$number" --size "$size" >"$work/printed.txt" || failed apps "$number" "$size"
    done
done
exit $status
