#!/bin/sh
# Puts heddle's counts beside what Nsight Compute recorded, as Markdown.
#
# usage: tests/validate/compare.sh BUILD [VARIANT [LEVEL]]     (from the root of the sources, after make)
#
# BUILD is the folder that holds lib/libcuda.so.1; the set of recorded rows is that of VARIANT (nvcc-90) and
# LEVEL (default). RECORDED may name another file than tests/validate/h200.csv, and OPTIONS another machine
# or mechanism than --gpu volta --mech pdom. Fails if the median difference is over 5 points.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
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

# One row a launch, largest difference first: difference, case, kernel, launch, both efficiencies, and the
# profiler's with the threads that predicates switch off left out.
awk -F, -v list="$work/list" -v json="$work/json" -v variant="$variant" -v level="$level" '
    function fail(text) { print text >"/dev/stderr"; exit 1 }
    function member(line, name,    at) {
        at = index(line, "\"" name "\":")
        if (!at)
            fail("no " name " in the results")
        line = substr(line, at + length(name) + 3)
        sub(/^"/, "", line)
        sub(/[",}].*/, "", line)
        return line
    }
    BEGIN {
        while ((getline line < json) > 0) {
            if ((getline launch < list) <= 0)
                fail("more launches than cases")
            split(launch, part, ",")
            if (part[2] != member(line, "kernel"))
                fail(launch ": another kernel was launched")
            ours[part[1]] = 100 * member(line, "thread_instructions") / (32 * member(line, "warp_instructions"))
        }
    }
    $1 == variant && $2 == level {
        if (!($3 in ours))
            fail($3 ": not run")
        theirs = 100 * $8 / (32 * $7)
        difference = ours[$3] - theirs
        printf "%.6f,%s,%s,%s,%s,%.6f,%.6f,%.6f,%.6f\n", difference < 0 ? -difference : difference, $3, $4, $5, $6,
               theirs, ours[$3], difference, 100 * $9 / (32 * $7)
    }' "$recorded" >"$work/unsorted"
[ -s "$work/unsorted" ] || { echo "$recorded: nothing of $variant, $level" >&2; exit 1; }
sort -t, -k1,1gr -k2,2 "$work/unsorted" >"$work/rows"

awk -F, '
    BEGIN {
        print "| case | kernel | grid | block | ncu % | heddle % | difference | ncu %, predicated on |"
        print "|---|---|---|---|---:|---:|---:|---:|"
    }
    {
        printf "| %s | %s | %s | %s | %.1f | %.1f | %+.1f | %.1f |\n", $2, $3, $4, $5, $6, $7, $8, $9
        apart[NR] = $1
        sum += $1
        far += $1 > 5
        divergent += $6 < 99 || $7 < 99
        if ($6 < 99 || $7 < 99)
            of_divergent[divergent] = $1
    }
    # The rows come sorted.
    function median(of, count) {
        return count % 2 ? of[(count + 1) / 2] : (of[count / 2] + of[count / 2 + 1]) / 2
    }
    END {
        printf "\n%d launches: median difference %.2f points, mean %.2f, greatest %.1f; %d over 5 points.\n", NR,
               median(apart, NR), sum / NR, apart[1], far
        printf "%d of them under 99 %% on either side: median difference %.2f points.\n", divergent,
               median(of_divergent, divergent)
        exit median(apart, NR) > 5
    }' "$work/rows"
