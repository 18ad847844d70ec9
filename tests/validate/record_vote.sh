#!/bin/sh
# Times the kernels of tests/validate/vote on a GPU, where each result is verified, and counts their instructions with
# Nsight Compute.
#
# usage: tests/validate/record_vote.sh FILE [SOURCES]     (from the root of the sources)
#
# Leaves one CSV row a kernel and size in FILE. SOURCES is a folder for what each machine instruction counted, as a
# report and as CSV, to look into differences. CC, CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be
# set where they are not found.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
fi
out=$1
sources=${2:-}
. tests/validate/gpu.sh
tests/validate/vote/build.sh "$work/vote" "$cuda/include" "$stubs"

# record SIZE: rows of the CSV. Kernels are launched in the order in which they were timed.
record() {
    "$work/vote" "$1" >"$work/times"
    "$ncu" --clock-control none --metrics "$counters" --csv --page raw --print-units base --print-fp \
        --log-file "$work/raw" "$work/vote" "$1" once >"$work/printed" || { tail -n 20 "$work/raw" >&2; exit 1; }
    awk -v times="$work/times" -v counters="$counters" '
        BEGIN { n_counters = split(counters, counter, ",") }
        # Fields are quoted, and may hold commas.
        function split_row(line, fields) { gsub(/^"|"$/, "", line); return split(line, fields, /","/) }
        /^"ID"/ { n = split_row($0, name); for (i = 1; i <= n; i++) at[name[i]] = i; next }
        /^"[0-9]+"/ {
            split_row($0, value)
            kernel = value[at["Kernel Name"]]
            sub(/\(.*/, "", kernel)
            if ((getline timed < times) <= 0) { print kernel ": not timed" >"/dev/stderr"; exit 1 }
            split(timed, part, ",")
            if (part[1] != kernel) { print part[1] ": " kernel " was launched" >"/dev/stderr"; exit 1 }
            row = timed
            for (i = 1; i <= n_counters; i++) {
                count = value[at[counter[i]]]
                gsub(/,/, "", count)
                row = row "," sprintf("%.0f", count)
            }
            print row
        }
        END { if ((getline timed < times) > 0) { print timed ": not launched" >"/dev/stderr"; exit 1 } }' "$work/raw"
}

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/# /'
    "$ncu" --version | sed -n 's/^Version/# ncu/p'
    echo kernel,size,microseconds,warp_instructions,thread_instructions,thread_instructions_on
    record test
    record full
} >"$work/recorded"
cp "$work/recorded" "$out"

[ -n "$sources" ] || exit 0
mkdir -p "$sources"
"$ncu" --clock-control none --section SourceCounters -f -o "$sources/vote" "$work/vote" test once >"$work/printed"
"$ncu" --import "$sources/vote.ncu-rep" --page source --csv | gzip >"$sources/vote.csv.gz"
