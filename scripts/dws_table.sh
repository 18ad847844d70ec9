#!/bin/sh
# Sweeps the warp-split table of dws on the workloads: dws_table.sh HEDDLE [SIZE [MACHINE]]
#
# Prints one row per setting (entries of the table, merging, threshold) and one column per workload. A cell has two
# figures. The first is the share of lanes that dws loses: by how many percent its SIMD efficiency is below that of
# pdom. The second says how many times as fast as pdom dws is. The last two columns have the arithmetic mean of the lost
# lanes and the geometric mean of the speeds. NVRT is left out: it relies on warps in lock-step, which dws does not keep.
# A run that ends in error or with wrong results stops the script.
set -eu
heddle=${1:?usage: dws_table.sh HEDDLE [SIZE [MACHINE]]}
size=${2:-test}
machine=${3:-fermi}
workloads="bfs2 hotsp lps mum mumpp aes ray"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints "CYCLES EFFICIENCY" of all launches of a workload together: measure WORKLOAD MECHANISM [OPTIONS]
measure() {
    workload=$1
    mechanism=$2
    shift 2
    rm -f "$folder/json"
    "$heddle" run "$workload" --size "$size" --gpu "$machine" --mech "$mechanism" --quiet --json "$folder/json" "$@" \
        >"$folder/out" 2>&1 || {
        echo "dws_table.sh: $workload under $mechanism $*: $(tail -n 1 "$folder/out")" >&2
        exit 1
    }
    awk '
        function field(name) {
            return match($0, "\"" name "\":[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH) + 0 : 0
        }
        /"kernel":/ {
            cycles += field("cycles")
            warps += field("warp_instructions")
            threads += field("thread_instructions")
        }
        END {
            if (!warps)
                exit 1
            print cycles, threads / (32 * warps)
        }' "$folder/json" || {
        echo "dws_table.sh: $workload under $mechanism $*: no result" >&2
        exit 1
    }
}

# Prints lines "SETTING WORKLOAD CYCLES EFFICIENCY"; a setting is pdom or ENTRIES,MERGE,THRESHOLD.
sweep() {
    for workload in $workloads; do
        figures=$(measure "$workload" pdom) || exit 1
        echo "pdom $workload $figures"
        for entries in 16 64 1024; do
            for merge in yes no; do
                for threshold in 50 100; do
                    figures=$(measure "$workload" dws --set dws.entries=$entries --set dws.merge=$merge \
                        --set dws.threshold=$threshold) || exit 1
                    echo "$entries,$merge,$threshold $workload $figures"
                done
            done
        done
    done
}

lines=$(sweep) || exit 1
echo "$lines" | awk -v size="$size" -v machine="$machine" '
    $1 == "pdom" { cycles[$2] = $3; lanes[$2] = $4; workload[count++] = $2; next }
    !($1 in seen) { seen[$1] = 1; setting[settings++] = $1 }
    { lost[$1, $2] = 100 * (1 - $4 / lanes[$2]); speed[$1, $2] = cycles[$2] / $3 }
    END {
        line = "| " machine ", " size ": entries, merge, threshold"
        rule = "|---"
        for (i = 0; i < count; i++) {
            line = line " | " workload[i]
            rule = rule "|---"
        }
        print line " | lanes lost | speed |"
        print rule "|---|---|"
        for (k = 0; k < settings; k++) {
            s = setting[k]
            line = s
            gsub(",", ", ", line)
            line = "| " line
            sum = product = 0
            for (i = 0; i < count; i++) {
                w = workload[i]
                line = line sprintf(" | %.0f %%, %.2f", lost[s, w], speed[s, w])
                sum += lost[s, w]
                product += log(speed[s, w])
            }
            printf "%s | %.0f %% | %.2f |\n", line, sum / count, exp(product / count)
        }
    }'
