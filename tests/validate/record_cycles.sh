#!/bin/sh
# Counts the cycles of every launch of eight workloads, the corpus, the large launches of corpus kernels and the kernels
# of tests/validate/vote with Nsight Compute, on a machine with a GPU and the CUDA toolkit.
#
# usage: tests/validate/record_cycles.sh FILE [SET ...]     (from the root of the sources)
#
# SET is corpus, large, vote, small or paper; all of them unless named. Leaves one CSV row a launch in FILE. The profiler empties the caches before each launch and leaves the clocks alone.
# CC, CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they are not found.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
fi
out=$1
shift
[ $# -gt 0 ] || set -- corpus large vote small paper
workloads="aes bfs2 hotsp lps mum mumpp nvrt ray"
. tests/validate/gpu.sh
columns="gpc__cycles_elapsed.max sm__cycles_elapsed.max sm__cycles_active.max gpu__time_duration.sum \
smsp__inst_executed.sum smsp__thread_inst_executed.sum launch__registers_per_thread dram__bytes_read.sum \
dram__bytes_write.sum lts__t_sectors.sum sm__warps_active.avg.per_cycle_active"
metrics=$(echo "$columns" | tr -s ' ' ',')

# profile SET NAME COMMAND...: a row for each launch of the command, numbered from 1 on.
profile() {
    set_name=$1 name=$2
    shift 2
    "$ncu" --clock-control none --cache-control all --metrics "$metrics" --csv --page raw --print-units base \
        --print-fp --log-file "$work/raw" "$@" >"$work/printed" || { tail -n 20 "$work/raw" >&2; exit 1; }
    awk -v set_name="$set_name" -v name="$name" -v columns="$columns" '
        BEGIN { count = split(columns, wanted, " ") }
        # Fields are quoted, and kernel names, grids and counts may hold commas.
        function split_row(line, fields) { gsub(/^"|"$/, "", line); return split(line, fields, /","/) }
        function plain(text) { gsub(/[() ]/, "", text); gsub(/,/, "x", text); return text }
        /^"ID"/ { n = split_row($0, column); for (i = 1; i <= n; i++) at[column[i]] = i; next }
        /^"[0-9]+"/ {
            split_row($0, value)
            kernel = value[at["Kernel Name"]]
            sub(/\(.*/, "", kernel)
            row = set_name "," name "," ++launches "," kernel "," plain(value[at["Grid Size"]]) "," \
                  plain(value[at["Block Size"]])
            for (i = 1; i <= count; i++) {
                figure = value[at[wanted[i]]]
                gsub(/,/, "", figure)
                row = row "," (figure == int(figure) ? sprintf("%.0f", figure) : sprintf("%.3f", figure))
            }
            print row
        }' "$work/raw"
}

for name in $workloads; do
    ${CC:-gcc} -std=gnu17 -O2 -ffp-contract=off -I"$cuda/include" -Iworkloads/common \
        -Wa,-I"workloads/$name" $([ ! -e "workloads/$name/nvcc-hints.ptx" ] || echo -DWORK_HINTS) \
        -o "$work/$name" "workloads/$name"/*.c workloads/common/*.c workloads/common/*.S -L"$stubs" -lcuda -lm
done
tests/validate/build.sh "$work/launch" "$cuda/include" "$stubs"
tests/validate/vote/build.sh "$work/vote" "$cuda/include" "$stubs"
tests/validate/large/stage.sh "$work/large"

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/# /'
    "$ncu" --version | sed -n 's/^Version/# ncu/p'
    echo "set,name,launch,kernel,grid,block,$metrics"
    for set_name; do
        case $set_name in
        corpus) profile corpus nvcc-90 "$work/launch" run tests/corpus nvcc-90 ;;
        large) profile large nvcc-90 "$work/launch" run "$work/large" nvcc-90 ;;
        vote) for size in test full; do profile vote $size "$work/vote" $size once; done ;;
        *) for name in $workloads; do profile "$set_name" "$name" "$work/$name" --size "$set_name"; done ;;
        esac
    done
} >"$work/recorded"
cp "$work/recorded" "$out"
