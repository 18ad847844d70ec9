#!/bin/sh
# Prints docs/workloads.md, from what heddle lists, what the papers print (workloads/published.csv), what heddle measured
# (workloads/measured.csv) and what an H200 counted (tests/validate/h200_workloads.csv): workloads-page.sh HEDDLE
#
# `make docs` puts the result in the page's place, and tests/docs.sh compares the two.
set -eu
heddle=${1:?usage: workloads-page.sh HEDDLE}
cat <<'TEXT'
# Workloads

The programs that heddle ships: those of the five papers, and a few that stand in where a paper names none. Each is written
anew from the published algorithm as CUDA kernels and a host program on the CUDA driver API, makes its input, and verifies
its result against a computation of the CPU. The page of each maps its kernels to what was published and names the
differences.

    build/heddle list workloads
    build/heddle run bfs2 --size test --gpu fermi --mech tbc
    build/heddle run bfs2 --size test --gpu fermi --mech tbc --ptx plain

**Sizes.** `test` takes a fraction of a second; `small` takes seconds, and gives every core of fx5800 and fermi blocks for
two rounds, where the algorithm has so many; `paper` has the number of thread instructions that a paper prints, or 2
billion where it prints more.

**Two compilers.** `--ptx nvcc`, the default, is the code of nvcc 13.0, which turns short branches into predicated
instructions. Compilers of the papers' time did not. `--ptx plain` is the code of clang 14 with options that keep the
branches that the source has: [plain-ptx.md](plain-ptx.md). Programs of Speculative Reconvergence come with hints, too:
`--hints`.

This page is written by `make docs`.

TEXT
"$heddle" list workloads --json >"${TMPDIR:-/tmp}/workloads.$$"
trap 'rm -f "${TMPDIR:-/tmp}/workloads.$$"' EXIT
awk -v listed="${TMPDIR:-/tmp}/workloads.$$" '
    BEGIN { FS = "," }
    function text(name,    at, rest) {
        at = index($0, "\"" name "\":\"")
        if (!at)
            return ""
        rest = substr($0, at + length(name) + 4)
        sub(/".*/, "", rest)
        return rest
    }
    function or_dash(word) { return word == "" ? "–" : word }
    function millions(count) {
        return count == "" ? "–" : count < 1e7 ? sprintf("%.2f M", count / 1e6) : \
            count < 1e9 ? sprintf("%.0f M", count / 1e6) : sprintf("%.2f G", count / 1e9)
    }
    function percent(value) { return value == "" ? "–" : value " %" }
    function both(a, b) { return a == b ? a : a ", " b }
    function set(paper, member) { return text(member) == "" ? "" : (sets == "" ? "" : ", ") paper " " text(member) }
    FILENAME == listed {
        name = text("name")
        names[++count] = name
        title[name] = text("title")
        label[name] = text("label")
        suite[name] = text("suite")
        sets = ""
        sets = sets set("TBC", "tbc")
        sets = sets set("DPE", "dpe")
        sets = sets set("TSTBC", "tstbc")
        sets = sets set("SR", "sr")
        sets = sets set("VWS", "vws")
        sets_of[name] = sets
        next
    }
    FNR == 1 { part++; next }
    part == 1 {
        if ($3 != "")
            printed_shape[$1] = $3
        if ($4 != "")
            printed[$1] = printed[$1] (printed[$1] == "" ? "" : ", ") $2 " " $4
        if ($5 != "")
            printed_resident[$1] = $5
    }
    part == 2 { for (i = 3; i <= NF; i++) m[$1, $2, i] = $i; known[$1] = 1 }
    part == 3 && $3 == "small" { silicon[$1, $2] = sprintf("%.1f", 100 * $5 / (32 * $4)) }
    END {
        print "## Programs\n"
        print "Sets: TBC divergent (DIVG) or coherent (COHE); DPE interleavable (Int) or not (Non); TSTBC divergent (Div) or not (Nd);"
        print "SR with points given by the programmer (user) or found by the compiler (auto); VWS divergent (div), convergent (conv) or"
        print "insensitive to the size of warps (ins).\n"
        print "| workload | in papers | suite | sets | what it computes |"
        print "|---|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            name = names[i]
            printf "| [%s](../workloads/%s/README.md) | %s | %s | %s | %s |\n", name, name, or_dash(label[name]),
                or_dash(suite[name]), or_dash(sets_of[name]), title[name]
        }
        print "\nFurther: [app-0 to app-149](../workloads/apps/README.md), 150 generated kernels that stand in for the survey of VWS."
        print "\n## Size and shape\n"
        print "Shapes of blocks, kernel by kernel; thread instructions at size `paper`; blocks of each kernel that fit on a core of fx5800."
        print "Registers limit most of these: addresses have 64 bits here and had 32 on the GPUs of the papers."
        print "Two numbers are those of nvcc and plain. Waves: how many times the blocks of the kernel with most work fill fx5800, and"
        print "fermi, in its largest launch at size `small`. Fewer than two: nvrt, mcml and gpu-mcml, whose threads take work until"
        print "none is left; nw, whose anti-diagonals are short; qsort, whose authors give a number of blocks.\n"
        print "| workload | blocks | printed | thread instructions | printed | blocks per core | printed | waves at small |"
        print "|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            name = names[i]
            if (known[name])
                printf "| %s | %s | %s | %s | %s | %s | %s | %s, %s |\n", name, both(m[name, "nvcc", 3], m[name, "plain", 3]),
                    or_dash(printed_shape[name]), both(millions(m[name, "nvcc", 12]), millions(m[name, "plain", 12])),
                    or_dash(printed[name]), both(m[name, "nvcc", 6], m[name, "plain", 6]), or_dash(printed_resident[name]),
                    or_dash(m[name, "nvcc", 14]), or_dash(m[name, "nvcc", 15])
        }
        print "\n## Branches and SIMD efficiency\n"
        print "Conditional branches of all kernels; threads that an instruction has on average, in percent of 32, at size `small` under"
        print "pdom on fx5800, and on an NVIDIA H200, counted by Nsight Compute (`tests/validate/record_workloads.sh`). The TBC paper"
        print "calls programs below 76 % divergent.\n"
        print "| workload | set of TBC | branches nvcc | plain | registers nvcc | plain | pdom nvcc | pdom plain | H200 nvcc | H200 plain |"
        print "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
        for (i = 1; i <= count; i++) {
            name = names[i]
            tbc = sets_of[name] ~ /TBC DIVG/ ? "DIVG" : sets_of[name] ~ /TBC COHE/ ? "COHE" : "–"
            if (known[name])
                printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, tbc, m[name, "nvcc", 4], m[name, "plain", 4],
                    m[name, "nvcc", 5], m[name, "plain", 5], percent(m[name, "nvcc", 10]), percent(m[name, "plain", 10]),
                    percent(silicon[name, "nvcc"]), percent(silicon[name, "plain"])
        }
        print "\nWith the plain PTX these programs are not where their set says:\n"
        print "- **hotsp, lps** (DIVG, above 76 %): barriers, loop control and conditions of a step are executed by all threads, and what"
        print "  the branch around a point guards is only about half of the instructions ([plain-ptx.md](plain-ptx.md))."
        print "- **mgst** (COHE, 73 %): the merge of lists, 57 % of the issued instructions, is at 55 %, and the other kernels are at 93 % or"
        print "  more. Lists have different lengths, and in late passes most threads of a warp have no list left."
        print "- **nnc** (COHE, 49 %): blocks have 16 threads, so that no warp is more than half full. The TBC paper leaves it out, too."
        print "- **namd** is below 76 % at size `small` and above it at size `paper` (78 %): larger patches fill their blocks better."
        print "\nThe columns of heddle come from `scripts/measure-workloads.sh build/heddle >workloads/measured.csv`."
    }' "${TMPDIR:-/tmp}/workloads.$$" workloads/published.csv workloads/measured.csv tests/validate/h200_workloads.csv
