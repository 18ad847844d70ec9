#!/bin/sh
# heddle flow, static classes of branches (Dual-Path Execution, section 6.1): run.sh HEDDLE. Checks are those of
# ../check.sh; tests/unit/test_interleave.c has a kernel for each class.
. "$(dirname "$0")/../check.sh"
wide=yes # lines of heddle flow have up to 110 columns

# text, Graphviz and JSON
check text 0 '^    A\+2 .* yes if-else ' - flow classes.ptx --kernel sides
check text-why 0 '^if-else +interleavable: both sides have code' - flow classes.ptx --kernel sides
check text-count 0 '^  1 of 1 branches interleavable: 1 if-else$' - flow classes.ptx --kernel sides
check text-none 0 '^  0 of 2 branches interleavable: 1 if, 1 loop-exit$' - flow classes.ptx --kernel skips
check text-loop 0 ' no +loop-exit ' - flow classes.ptx --kernel skips
check dot 0 'label="block A.*\\linterleavable: if-else\\l"' - flow classes.ptx --kernel sides --dot
check dot-none 0 '\\lnot interleavable: loop-exit\\l"' - flow classes.ptx --kernel skips --dot
check json 0 '"interleavable": true, "class": "if-else", "why": "both sides ' - flow classes.ptx --kernel sides --json
check json-none 0 '"interleavable": false, "class": "if", "why": "' - flow classes.ptx --kernel skips --json
check json-count 0 '"interleavable": false, "interleavable_branches": 0, "branch_classes": \{"if-else": 0, .*"loop-exit": 1,' \
    - flow classes.ptx --kernel skips --json

# kernels of C++ are named as people write them
check text-name 0 '^program ns::mul<int>$' - flow ../names.ptx --kernel 'mul<int>'
check dot-name 0 'label="ns::mul<int>";' - flow ../names.ptx --kernel 'mul<int>' --dot

# The workloads: how many branches of all kernels are interleavable (docs/mechanisms.md has this table), and that warps
# have two paths under dpe exactly where one is.
paths() # WORKLOAD
{
    "$heddle" run "$1" --size test --gpu fermi --mech dpe --quiet --json - 2>/dev/null |
        grep -o '"max_paths":[0-9]*' | sort -u | tail -n 1
}
while read -r workload branches interleavable; do
    "$heddle" flow ../../../workloads/"$workload"/nvcc.ptx |
        awk '$2 == "of" && $5 == "interleavable:" { yes += $1; all += $3 } END { print all + 0, yes + 0 }' >"$scratch/classes"
    expect "$workload has $interleavable interleavable branches of $branches" \
        [ "$(cat "$scratch/classes")" = "$branches $interleavable" ]
    case $interleavable in 0) most=1 ;; *) most=2 ;; esac
    expect "$workload has at most $most paths per warp" [ "$(paths "$workload")" = "\"max_paths\":$most" ]
done <<LIST
aes 0 0
bfs2 7 0
hotsp 7 0
lps 25 4
mum 17 8
mumpp 6 0
nvrt 17 4
nvrt-sync 17 4
ray 12 2
LIST

echo "$count checks of flow, $failed failed"
[ $failed -eq 0 ]
