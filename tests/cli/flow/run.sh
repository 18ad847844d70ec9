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

# Pictures: every block and every edge of all workloads is drawn, and no boxes overlap. Drawing again gives the same.
picture() # PTX
{
    "$heddle" flow "$1" --json >"$scratch/graph" && "$heddle" flow "$1" --svg "$scratch/picture.svg" &&
        "$heddle" flow "$1" --svg - | cmp - "$scratch/picture.svg" &&
        awk -f picture.awk "$scratch/graph" "$scratch/picture.svg"
}
for ptx in ../../../workloads/*/nvcc.ptx ../../../examples/*.ptx ../trace/*.ptx classes.ptx; do
    expect "picture of $ptx" picture "$ptx"
done
picture ../../../examples/rounds.ptx
expect picture-marks [ "$(grep -c 'class="meet"' "$scratch/picture.svg") $(grep -c 'class="barrier"' "$scratch/picture.svg")" = '2 3' ]
expect picture-place grep -q '>H  rounds.cu:14<' "$scratch/picture.svg"
expect picture-legend grep -q 'reconverge at the top of this block<' "$scratch/picture.svg"
# With the counts of a run: the loop H is entered by 70 threads and goes on 210 times with 280 threads in 37 issues.
"$heddle" run ../../../examples/rounds.ptx --block 64 --arg 'buf:u32[64]' --arg 2 --gpu fermi --quiet --stats lines \
    --json "$scratch/results" >/dev/null 2>&1
check heat 0 - - flow ../../../examples/rounds.ptx --svg "$scratch/picture.svg" --heat "$scratch/results"
expect heat-lanes grep -q '>7.6 lanes active<' "$scratch/picture.svg"
expect heat-back grep -q 'data-edge="7 7".*stroke-width:7.0;stroke:#d9694a"><title>210 threads<' "$scratch/picture.svg"
expect heat-in grep -q 'data-edge="6 7".*<title>70 threads<' "$scratch/picture.svg"
expect heat-unused grep -q 'class="edge unused" data-edge="0 9".*<title>0 threads<' "$scratch/picture.svg"
check heat-other 1 - 'has no run of this program' flow classes.ptx --kernel sides --svg "$scratch/x.svg" --heat "$scratch/results"
check heat-alone 2 - 'heat colours a picture: it needs --svg FILE' flow classes.ptx --heat "$scratch/results"
check svg-or-dot 2 - '\-\-dot and --svg exclude each other' flow classes.ptx --dot --svg "$scratch/x.svg"
check svg-unwritable 1 - 'cannot write /no/such/folder/x' flow classes.ptx --svg /no/such/folder/x
check svg-full-disk 1 - 'cannot write /dev/full' flow classes.ptx --svg /dev/full

echo "$count checks of flow, $failed failed"
[ $failed -eq 0 ]
