#!/bin/sh
# Puts heddle's counts beside what Nsight Compute recorded, as Markdown.
#
# usage: tests/validate/compare.sh BUILD [VARIANT [LEVEL]]     (from the root of the sources, after make)
#
# BUILD is the folder that holds lib/libcuda.so.1; the set of recorded rows is that of VARIANT (nvcc-90) and
# LEVEL (default). RECORDED may name another file than tests/validate/h200.csv, OPTIONS another machine or
# mechanism than --gpu volta --mech pdom, and LOWERED other options than --gpu volta --mech volta --lower ptxas
# for the columns that say "lowered". Fails if the median difference of either is over 5 points.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
fi
lib=$(cd "$1/lib" && pwd)
variant=${2:-nvcc-90}
level=${3:-default}
recorded=${RECORDED:-tests/validate/h200.csv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export LD_LIBRARY_PATH="$lib"
tests/validate/build.sh "$work/launch" include "$lib"
"$work/launch" list tests/corpus "$variant" >"$work/list"
HEDDLE_OPTS="${OPTIONS:---gpu volta --mech pdom} --json $work/json" "$work/launch" run tests/corpus "$variant" \
    >"$work/printed"
HEDDLE_OPTS="${LOWERED:---gpu volta --mech volta --lower ptxas} --json $work/lowered" "$work/launch" run tests/corpus \
    "$variant" >"$work/printed"

# One row a launch, largest difference first: difference, case, kernel, launch, both efficiencies, the
# profiler's with the threads that predicates switch off left out, and the lowered program's with its difference.
awk -F, -v list="$work/list" -v json="$work/json" -v lowered="$work/lowered" -v variant="$variant" -v level="$level" \
    "$(cat tests/validate/member.awk)"'
    function take(results, into,    line, launch, part) {
        while ((getline line < results) > 0) {
            if ((getline launch < list) <= 0)
                fail("more launches than cases")
            split(launch, part, ",")
            if (part[2] != member(line, "kernel"))
                fail(launch ": another kernel was launched")
            into[part[1]] = 100 * member(line, "thread_instructions") / (32 * member(line, "warp_instructions"))
        }
        close(list)
    }
    BEGIN {
        take(json, ours)
        take(lowered, ours_lowered)
    }
    $1 == variant && $2 == level {
        if (!($3 in ours) || !($3 in ours_lowered))
            fail($3 ": not run")
        theirs = 100 * $8 / (32 * $7)
        difference = ours[$3] - theirs
        printf "%.6f,%s,%s,%s,%s,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", difference < 0 ? -difference : difference, $3, $4,
               $5, $6, theirs, ours[$3], difference, 100 * $9 / (32 * $7), ours_lowered[$3], ours_lowered[$3] - theirs
    }' "$recorded" >"$work/unsorted"
[ -s "$work/unsorted" ] || { echo "$recorded: nothing of $variant, $level" >&2; exit 1; }
sort -t, -k1,1gr -k2,2 "$work/unsorted" >"$work/rows"

awk -F, '
    BEGIN {
        print "| case | kernel | grid | block | ncu % | heddle % | difference | lowered % | difference | ncu %, predicated on |"
        print "|---|---|---|---|---:|---:|---:|---:|---:|---:|"
    }
    function size(x) { return x < 0 ? -x : x }
    {
        printf "| %s | %s | %s | %s | %.1f | %.1f | %+.1f | %.1f | %+.1f | %.1f |\n", $2, $3, $4, $5, $6, $7, $8, $10, $11, $9
        add(plain, $1, $6 < 99 || $7 < 99)
        add(lowered, size($11), $6 < 99 || $10 < 99)
    }
    # Keeps one difference in a set: all of them, sums, and those of divergent launches.
    function add(set, difference, divergent) {
        set["all", ++set["count"]] = difference
        set["sum"] += difference
        set["far"] += difference > 5
        if (divergent)
            set["divergent", ++set["divergent count"]] = difference
    }
    # The median of what a set keeps under a name; sorts it.
    function median(set, name, count,    i, k, x) {
        for (i = 2; i <= count; i++) {
            x = set[name, i]
            for (k = i; k > 1 && set[name, k - 1] < x; k--)
                set[name, k] = set[name, k - 1]
            set[name, k] = x
        }
        return count % 2 ? set[name, (count + 1) / 2] : (set[name, count / 2] + set[name, count / 2 + 1]) / 2
    }
    function summary(set, what,    middle) {
        middle = median(set, "all", set["count"])
        printf "%s%d launches: median difference %.2f points, mean %.2f, greatest %.1f; %d over 5 points.\n", what,
               set["count"], middle, set["sum"] / set["count"], set["all", 1], set["far"]
        printf "%d of them under 99 %% on either side: median difference %.2f points.\n", set["divergent count"],
               median(set, "divergent", set["divergent count"])
        return middle
    }
    END {
        print ""
        failed = summary(plain, "") > 5
        failed += summary(lowered, "Lowered, ") > 5
        exit failed > 0
    }' "$work/rows"
