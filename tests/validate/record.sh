#!/bin/sh
# Counts the corpus's instructions with Nsight Compute, on a machine with a GPU and the CUDA toolkit.
#
# usage: tests/validate/record.sh FILE [SOURCES]     (from the root of the sources)
#
# Leaves one CSV row a launch in FILE. SOURCES is a folder for what each machine instruction of each launch
# counted, as a report and as CSV, to look into differences. CC, CUDA_HOME and LIBCUDA_DIR (where the driver's
# libcuda.so.1 is) may be set where they are not found.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
out=$1
sources=${2:-}
. tests/validate/gpu.sh
tests/validate/build.sh "$work/launch" "$cuda/include" "$stubs"

# profile VARIANT LEVEL: rows of the CSV. The profiler's rows come in the order of the launches.
profile() {
    variant=$1 level=$2
    "$work/launch" list tests/corpus "$variant" >"$work/list"
    "$ncu" --clock-control none --metrics "$counters" --csv --page raw --print-units base --print-fp \
        --log-file "$work/raw" "$work/launch" run tests/corpus "$variant" ${level#default} >"$work/printed" ||
        { tail -n 20 "$work/raw" >&2; exit 1; }
    awk -v list="$work/list" -v variant="$variant" -v level="$level" -v counters="$counters" '
        BEGIN { n_counters = split(counters, counter, ",") }
        # Fields are quoted, and kernel names, grids and counts may hold commas.
        function split_row(line, fields) {
            gsub(/^"|"$/, "", line)
            return split(line, fields, /","/)
        }
        /^"ID"/ { n = split_row($0, name); for (i = 1; i <= n; i++) at[name[i]] = i; next }
        /^"[0-9]+"/ {
            split_row($0, value)
            kernel = value[at["Kernel Name"]]
            sub(/\(.*/, "", kernel)
            if ((getline launch < list) <= 0) { print "more launches than cases" >"/dev/stderr"; exit 1 }
            split(launch, part, ",")
            if (part[2] != kernel) { print launch ": " kernel " was launched" >"/dev/stderr"; exit 1 }
            row = launch
            for (i = 1; i <= n_counters; i++) {
                count = value[at[counter[i]]]
                gsub(/,/, "", count)
                row = row "," sprintf("%d", count)
            }
            print variant "," level "," row
            rows++
        }
        END {
            if ((getline launch < list) > 0) { print launch ": not launched" >"/dev/stderr"; exit 1 }
            print variant ", " level ": " rows + 0 " launches" >"/dev/stderr"
        }' "$work/raw"
}

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/# /'
    "$ncu" --version | sed -n 's/^Version/# ncu/p'
    "$cuda/bin/nvcc" --version | sed -n 's/.*release.*, V/# nvcc /p'
    echo variant,level,case,kernel,grid,block,warp_instructions,thread_instructions,thread_instructions_on
    profile nvcc-90 default
    profile nvcc-90 0
    profile clang19-90 default
} >"$out"

[ -n "$sources" ] || exit 0
mkdir -p "$sources"
for level in default 0; do
    report=$sources/nvcc-90-$level
    "$ncu" --clock-control none --section SourceCounters -f -o "$report" "$work/launch" run tests/corpus nvcc-90 \
        ${level#default} >"$work/printed"
    "$ncu" --import "$report.ncu-rep" --page source --csv | gzip >"$report.csv.gz"
done
