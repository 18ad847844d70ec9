#!/bin/sh
# Puts what heddle predicts for the kernels of tests/validate/vote beside what was recorded on a GPU, as Markdown.
#
# usage: tests/validate/compare_vote.sh BUILD     (from the root of the sources, after make)
#
# BUILD is the folder that holds lib/libcuda.so.1. Each kernel is run as it is, and those without votes also with the
# meeting points that heddle finds. RECORDED may name another file than tests/validate/h200_vote.csv, and OPTIONS
# another machine than --gpu volta --set gpu.sm_count=1: the blocks fill one SM, as they fill all of the GPU's.
# Without a recording, or where it lacks a kernel, the GPU's columns are empty.
set -eu
if [ $# -lt 1 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
fi
lib=$(cd "$1/lib" && pwd)
recorded=${RECORDED:-tests/validate/h200_vote.csv}
[ -e "$recorded" ] || recorded=/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export LD_LIBRARY_PATH="$lib"
tests/validate/vote/build.sh "$work/vote" include "$lib"
for recon in none auto; do
    HEDDLE_OPTS="${OPTIONS:---gpu volta --set gpu.sm_count=1} --mech volta --recon $recon --json $work/$recon" \
        "$work/vote" test once
done

# Efficiency and instructions on the GPU are those of the launch that heddle runs, the time is that of the full one.
awk -F, -v none="$work/none" -v auto="$work/auto" "$(cat tests/validate/member.awk)"'
    function read_results(file, recon,    line, key) {
        while ((getline line < file) > 0) {
            key = member(line, "kernel") recon
            warps[key] = member(line, "warp_instructions")
            efficiency[key] = 100 * member(line, "thread_instructions") / (32 * warps[key])
            cycles[key] = member(line, "cycles")
        }
    }
    function row(key, base, text) {
        if (!(key in warps))
            fail(key " was not run")
        printf "| %s | %.1f %% | %.2f | %.2f | %.2f |", text, efficiency[key], efficiency[key] / efficiency[base],
               warps[key] / warps[base], cycles[base] / cycles[key]
        if (key in gpu_warps && key in gpu_time)
            printf " %.1f %% | %.1f %% | %.2f | %.2f | %.2f | %.1f |\n", gpu_efficiency[key], gpu_on[key],
                   gpu_efficiency[key] / gpu_efficiency[base], gpu_warps[key] / gpu_warps[base],
                   gpu_time[base] / gpu_time[key], gpu_time[key]
        else
            print " | | | | | |"
    }
    $2 == "test" { gpu_warps[$1] = $4; gpu_efficiency[$1] = 100 * $5 / (32 * $4); gpu_on[$1] = 100 * $6 / (32 * $4) }
    $2 == "full" { gpu_time[$1] = $3 }
    END {
        read_results(none, "")
        read_results(auto, " auto")
        print "| kernel | heddle: SIMT efficiency | as efficient | instructions | as fast" \
              " | H200: SIMT efficiency | predicated on | as efficient | instructions | as fast | microseconds |"
        print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        n = split("iteration_delay loop_merge common_call", pattern, " ")
        for (i = 1; i <= n; i++) {
            name = pattern[i]
            row(name, name, "`" name "`")
            row(name " auto", name, "`" name "`, `--recon auto`")
            if (name == "loop_merge") {
                row(name "_rolled", name, "`" name "_rolled`")
                row(name "_rolled auto", name, "`" name "_rolled`, `--recon auto`")
            }
            row(name "_vote", name, "`" name "_vote`")
        }
    }' "$recorded"
