#!/bin/sh
# How much TBC gains over PDOM on fx5800 at each reading of its dependent-issue latency: fx5800_latency.sh HEDDLE [SIZE]
#
# docs/sources/machines.md counts the stages of GPGPU-Sim 2.1.1b and says where each reading comes from. A reading is a
# number of cycles from the issue of an instruction to the issue of the warp's next: 10, 16 (gpus/fx5800.ini), 20 or 24.
# PDOM and TBC run as papers/tbc.ini has them. Prints one line per program of the paper, its gain at each reading, and
# the harmonic means over the divergent programs. A run that ends in error or with wrong results stops the script.
set -eu
heddle=${1:?usage: fx5800_latency.sh HEDDLE [SIZE]}
size=${2:-test}
readings='10 16 20 24'
paper=$(dirname "$0")/../papers/tbc.ini
passes=4 # of a warp of 32 over 8 lanes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "fx5800_latency.sh: $*" >&2; exit 1; }

# of_section SECTION: the section's lines "key = value" of the paper's file
of_section() {
    awk -v section="[$1]" '/^\[/ { inside = $0 == section; next } inside && /^[^;].*=/ { print }' "$paper"
}

# at_latency CYCLES: options that make every instruction, and every hit of a first-level cache, take that long
at_latency() {
    for class in int imul idiv fp32 fdiv fp64 ddiv sfu cvt load store atomic fence tex branch barrier warp; do
        echo "--set sm.${class}_latency=$(($1 - passes + 1))"
    done
    echo "--set sm.shared_latency=$(($1 - 1))" # a warp takes two passes over 16 banks
    for cache in l1d constant texture; do
        echo "--set mem.${cache}_latency=$1"
    done
}

# cycles PROGRAM OPTIONS...: the cycles of all launches of the program
cycles() {
    program=$1
    shift
    rm -f "$folder/json"
    "$heddle" run "$program" --size "$size" --gpu fx5800 --quiet --json "$folder/json" "$@" >"$folder/out" 2>&1 ||
        fail "$program $(echo "$*" | cut -c1-60)...: $(tail -n 1 "$folder/out")"
    sed -n 's/.*"cycles":\([0-9]*\),"drain.*/\1/p' "$folder/json" | awk '{ sum += $1 } END { print sum }'
}

run_of() { of_section runs | sed -n "s/^$1 = //p"; }
pdom=$(run_of pdom) tbc=$(run_of tbc)
[ -n "$pdom" ] && [ -n "$tbc" ] || fail "$paper has no run pdom or tbc"

of_section programs | while read -r label equals set options; do
    program=$(echo "$label" | tr '[:upper:]' '[:lower:]')
    for reading in $readings; do
        settings=$(at_latency "$reading")
        base=$(cycles "$program" $options $settings $pdom) || exit 1
        new=$(cycles "$program" $options $settings $tbc) || exit 1
        echo "$label $set $reading $base $new"
    done
done >"$folder/lines" || exit 1

awk -v readings="$readings" '
    BEGIN { count = split(readings, reading, " ") }
    {
        if (!($1 in set)) program[programs++] = $1
        set[$1] = $2
        gain[$1, $3] = $4 / $5
        if ($2 == "DIVG") { inverse[$3] += $5 / $4; divergent[$3]++ }
    }
    END {
        head = "| TBC over PDOM"; rule = "|---"
        for (i = 1; i <= count; i++) { head = head " | " reading[i]; rule = rule "|---" }
        print head " |"; print rule "|"
        for (p = 0; p < programs; p++) {
            line = "| " program[p] " (" set[program[p]] ")"
            for (i = 1; i <= count; i++)
                line = line sprintf(" | %+.1f %%", 100 * (gain[program[p], reading[i]] - 1))
            print line " |"
        }
        line = "| DIVG, harmonic mean"
        for (i = 1; i <= count; i++)
            line = line sprintf(" | %+.1f %%", 100 * (divergent[reading[i]] / inverse[reading[i]] - 1))
        print line " |"
    }' "$folder/lines"
