#!/bin/sh
# Puts heddle's cycles beside those that Nsight Compute counted on a GPU, launch by launch, as Markdown.
#
# usage: tests/validate/compare_cycles.sh BUILD [SET ...]     (from the root of the sources, after make)
#
# BUILD is the folder that holds heddle and lib/libcuda.so.1. SET is corpus, large, vote, small or paper; all of them
# unless named. Launches of more than MOST warp instructions (3000000) are left out: simulating them takes minutes.
# RECORDED may name another file than tests/validate/h200_cycles.csv, OPTIONS another machine or mechanism than
# --gpu h200 --mech volta, and KEEP a folder for heddle's JSON, which is used instead of a run where it is there.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    exit 2
fi
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- corpus large vote small paper
recorded=${RECORDED:-tests/validate/h200_cycles.csv}
most=${MOST:-3000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
keep=${KEEP:-$work}
mkdir -p "$keep"
export LD_LIBRARY_PATH="$build/lib"
# The profiler empties the caches before each launch, so heddle does too.
options="${OPTIONS:---gpu h200 --mech volta} --set mem.flush_l2=yes"

# launches SET NAME: the numbers of the launches that are small enough to be simulated, as --launch takes them.
launches() {
    awk -F, -v of="$1" -v name="$2" -v most="$most" \
        '$1 == of && $2 == name && $11 <= most { printf "%s%s", n++ ? "," : "", $3 }' "$recorded"
}

# simulate SET NAME COMMAND...: one line of JSON for each of those launches.
simulate() {
    of=$1 name=$2
    shift 2
    json=$keep/$of-$name.json
    if [ ! -s "$json" ]; then
        which=$(launches "$of" "$name")
        [ -n "$which" ] || return 0
        HEDDLE_OPTS="$options --launch $which --json $json.part" "$@" >"$work/printed" 2>&1 ||
            { cat "$work/printed" >&2; exit 1; }
        mv "$json.part" "$json"
    fi
}

tests/validate/build.sh "$work/launch" include "$build/lib"
tests/validate/vote/build.sh "$work/vote" include "$build/lib"
for set_name; do
    case $set_name in
    corpus) simulate corpus nvcc-90 "$work/launch" run tests/corpus nvcc-90 ;;
    large)
        tests/validate/large/stage.sh "$work/large"
        simulate large nvcc-90 "$work/launch" run "$work/large" nvcc-90
        ;;
    vote) for size in test full; do simulate vote $size "$work/vote" $size once; done ;;
    small | paper)
        for host in workloads/*/host.c; do
            name=$(basename "$(dirname "$host")")
            [ -s "$keep/$set_name-$name.json" ] && continue
            [ -n "$(launches "$set_name" "$name")" ] || continue
            # shellcheck disable=SC2086
            "$build/heddle" run "$name" --size "$set_name" $options --launch "$(launches "$set_name" "$name")" \
                --json "$keep/$set_name-$name.json" --quiet >"$work/printed" 2>&1 ||
                { cat "$work/printed" >&2; exit 1; }
        done
        ;;
    *)
        echo "$0: no set '$set_name'" >&2
        exit 2
        ;;
    esac
done

# A launch takes what heddle counts from the first block on, and before it the time that the machine gives a launch.
before=$(sed -n 's/^kernel_latency = \([0-9]*\).*/\1/p' gpus/h200.ini)
awk -F, -v sets="$*" -v keep="$keep" -v most="$most" -v before="$before" -f tests/validate/member.awk \
    -f tests/validate/compare_cycles.awk "$recorded"
