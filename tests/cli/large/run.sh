#!/bin/sh
# Kernels of tens of thousands of blocks, loops, functions or instructions: run.sh HEDDLE. Each analysis and each run takes
# a second of processor time or less; the bound is five, so that a slow machine passes and what grows with the square does
# not. The stack is an eighth of the usual one: nothing may recur as deep as the input nests.
. "$(dirname "$0")/../check.sh"
ulimit -S -s 1024

large() # SHAPE COUNT: a kernel of so many parts
{
    awk -v shape="$1" -v n="$2" 'BEGIN {
        print ".version 8.0\n.target sm_70\n.address_size 64"
        for (i = 0; shape == "calls" && i < n; i++) print ".func f" i "()\n{\nret;\n}"
        for (i = 0; shape == "chain" && i < n; i++) print ".func f" i "()\n{\n" (i ? "call f" i - 1 ";\n" : "") "ret;\n}"
        print ".visible .entry k()\n{\n.reg .pred %p<2>; .reg .b32 %r<3>;"
        print "mov.u32 %r0, %tid.x; setp.gt.u32 %p0, %r0, 5; setp.gt.u32 %p1, %r0, 99;"
        if (shape == "chain") print "call f" n - 1 ";"
        if (shape == "brx") printf "T: .branchtargets B0"
        for (i = 1; shape == "brx" && i < n; i++) printf ", B" i
        if (shape == "brx") print ";\nbrx.idx %r0, T;"
        for (i = 0; i < n; i++) {
            if (shape == "loops") print "L" i ":\nadd.u32 %r1, %r0, 1;"
            if (shape == "branches") print "@%p0 bra B" i ";\nadd.u32 %r1, %r0, 1;\nB" i ":"
            if (shape == "ifs") print "@%p0 bra E" i ";\nadd.u32 %r1, %r0, 1;"
            if (shape == "anywhere") print "A" i ":\nadd.u32 %r1, %r0, 1;\n@%p1 bra A" int(n * rand()) ";"
            if (shape == "brx") print "B" i ":\nadd.u32 %r1, %r0, 1;\nbra END;"
            if (shape == "calls") print "call f" i ";"
            if (shape == "straight") print "add.u32 %r1, %r1, 1;"
        }
        for (i = n - 1; i >= 0; i--) {
            if (shape == "loops") print "@%p1 bra L" i ";"
            if (shape == "ifs") print "E" i ":\nadd.u32 %r2, %r0, 1;"
        }
        print "END: ret;\n}"
    }'
}

in_time() # ARGUMENTS...
{
    (ulimit -t 5 && exec "$heddle" "$@" >"$scratch/out" 2>&1)
}

for shape in loops:8000 branches:30000 ifs:30000 anywhere:30000 brx:30000 calls:60000 chain:60000 straight:100000; do
    file=$scratch/${shape%:*}.ptx
    large "${shape%:*}" "${shape#*:}" >"$file"
    expect "flow of $shape" in_time flow "$file"
    expect "a run of $shape" in_time run "$file" --quiet
    expect "a run of $shape on a machine" in_time run "$file" --gpu tiny --block 4 --quiet
done
wide=yes
check long-loops 0 '^           and 15743 more$' - flow "$scratch/loops.ptx"

if [ $failed -ne 0 ]; then
    echo "$failed of $count checks of large kernels failed"
    exit 1
fi
echo "$count checks of large kernels passed"
