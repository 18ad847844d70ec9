#!/bin/sh
# Measures the workloads for docs/workloads.md: prints one CSV row per workload and PTX.
#
# usage: scripts/measure-workloads.sh HEDDLE [WORKLOAD ...] >workloads/measured.csv     (all, if none is named)
#
# Shapes of blocks, registers and static branches are those of the kernels that run. Thread instructions of the sizes test
# and paper are those of the functional engine; blocks per core and SIMD efficiency are those of pdom on fx5800 and fermi at
# size small. Waves: how many times the blocks of the kernel with most work fill the machine, in its largest launch at
# size small. JOBS runs at a time (the number of cores, if it is not set). With SIZES=test the columns of the other sizes
# are left empty, which takes seconds.
set -eu
heddle=${1:?usage: measure-workloads.sh HEDDLE [WORKLOAD ...]}
shift
[ $# -gt 0 ] || set -- $("$heddle" list workloads --names)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/one.sh" <<'SCRIPT'
# one.sh HEDDLE FOLDER WORKLOAD PTX: the row of a workload
heddle=$1 folder=$2/$3-$4 name=$3 ptx=$4
mkdir "$folder"
run() # FILE OPTIONS...
{
    into=$folder/$1
    shift
    "$heddle" run "$name" --ptx "$ptx" "$@" --json "$into" --quiet >"$into.said" 2>&1 && return
    echo "$name --ptx $ptx $*: $(tail -n 1 "$into.said")" >&2
    exit 1
}
# nvrt relies on lock-step, which the functional engine does not promise.
[ "$name" = nvrt ] && untimed="--gpu fx5800 --mech pdom" || untimed=
run test --size test $untimed
: >"$folder/fx5800" >"$folder/fermi" >"$folder/paper"
if [ "${SIZES:-all}" = all ]; then
    run fx5800 --size small --gpu fx5800 --mech pdom
    run fermi --size small --gpu fermi --mech pdom
    run paper --size paper $untimed
fi
awk -v name="$name" -v ptx="$ptx" '
    function member(name,    at, rest) {
        at = index($0, "\"" name "\":")
        if (!at)
            return ""
        rest = substr($0, at + length(name) + 3)
        if (substr(rest, 1, 1) == "[") {
            sub(/\].*/, "", rest)
            return substr(rest, 2)
        }
        sub(/[,}].*/, "", rest)
        gsub(/"/, "", rest)
        return rest
    }
    function shape(text,    n, d) {
        n = split(text, d, ",")
        return d[3] > 1 ? d[1] "x" d[2] "x" d[3] : d[2] > 1 ? d[1] "x" d[2] : d[1]
    }
    function volume(text,    d) { split(text, d, ","); return d[1] * d[2] * d[3] }
    function join(list, word) { return list == "" ? word : list " " word }
    BEGIN { cores["fx5800"] = 30; cores["fermi"] = 15 }
    FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }
    {
        warps[file] += member("warp_instructions")
        threads[file] += member("thread_instructions")
        slots[file] += member("issue_slots")
        launches[file]++
        kernel = member("kernel")
        key = kernel " " shape(member("block"))
        if (file == "test" && !(key in seen)) {
            seen[key] = 1
            shapes = join(shapes, shape(member("block")))
            if (!(kernel in counted)) {
                counted[kernel] = 1
                branches += program("branches")
                if (program("registers") > registers)
                    registers = program("registers")
            }
        }
        if (file in cores) {
            if (!((file, kernel) in work))
                resident[file] = join(resident[file], member("blocks_per_sm"))
            work[file, kernel] += member("thread_instructions")
            rounds = volume(member("grid")) / (cores[file] * member("blocks_per_sm"))
            if (rounds > most_rounds[file, kernel])
                most_rounds[file, kernel] = rounds
            if (work[file, kernel] >= most_work[file]) {
                most_work[file] = work[file, kernel]
                waves[file] = most_rounds[file, kernel]
            }
        }
    }
    function program(what,    rest) {
        rest = substr($0, index($0, "\"program\":"))
        rest = substr(rest, index(rest, "\"" what "\":") + length(what) + 3)
        sub(/[,}].*/, "", rest)
        return rest + 0
    }
    function share(file) { return slots[file] ? sprintf("%.1f", 100 * threads[file] / slots[file]) : "" }
    END {
        printf "%s,%s,%s,%d,%d,%s,%s,%.0f,%s,%s,%s,%s,%s,%s,%s\n", name, ptx, shapes, branches, registers, resident["fx5800"],
            resident["fermi"], threads["test"], threads["fx5800"] ? sprintf("%.0f", threads["fx5800"]) : "",
            share("fx5800"), share("fermi"), threads["paper"] ? sprintf("%.0f", threads["paper"]) : "",
            warps["paper"] ? sprintf("%.1f", 100 * threads["paper"] / (32 * warps["paper"])) : "",
            waves["fx5800"] ? sprintf("%.1f", waves["fx5800"]) : "", waves["fermi"] ? sprintf("%.1f", waves["fermi"]) : ""
    }' "$folder/test" "$folder/fx5800" "$folder/fermi" "$folder/paper" >"$folder.csv"
rm -r "$folder"
SCRIPT

for name; do echo "$name nvcc"; echo "$name plain"; done >"$work/list"
xargs -P "${JOBS:-$(nproc)}" -L 1 sh "$work/one.sh" "$heddle" "$work" <"$work/list"
printf "workload,ptx,blocks,branches,registers,blocks per core on fx5800,blocks per core on fermi,thread instructions at test,"
printf "thread instructions at small,SIMD efficiency on fx5800,SIMD efficiency on fermi,thread instructions at paper,"
echo "SIMD efficiency at paper,waves on fx5800,waves on fermi"
while read -r name ptx; do cat "$work/$name-$ptx.csv"; done <"$work/list"
