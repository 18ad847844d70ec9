#!/bin/sh
# What heddle is for, in a minute: demo.sh HEDDLE
set -eu
heddle=$1
if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold= plain=; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# Prints a command as one would type it, then runs it.
show() {
    printf '$ %s' "$heddle"
    for word; do
        case $word in *[[\]\ \|*]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$heddle" "$@"
}

say "A kernel whose threads diverge between barriers (examples/rounds.cu), on a Fermi-like GPU, under six mechanisms."
echo "pdom is the reconvergence stack of real GPUs of that time. mimd lets no thread wait for another."
show compare examples/rounds.ptx --grid 60 --block 256 --arg 'buf:u32[15360]' --arg 12 --gpu fermi \
    --mech pdom,dwf,tbc,dws,dpe,mimd

say "Why tbc is faster: lanes over time, on a machine of 4 lanes. A letter is a basic block, a dot an empty lane."
echo "Under pdom each of two warps runs block E with one thread. tbc (thread block compaction) makes one warp of both."
for mechanism in pdom tbc; do
    show run examples/rounds.ptx --block 8 --arg 'buf:u32[64]' --arg 2 --gpu tiny --mech $mechanism --quiet \
        --trace lanes --trace-window 66:115
done | awk '/^trace of/ { seen++ } !(seen == 1 && /^[A-Z]   pc/)'

say "Try next:"
cat <<TEXT
    $heddle list mechanisms                      # what else there is; also: machines, workloads, schedulers, stats
    $heddle compare bfs2 --size small --mech all # a breadth-first search, under all of them
    $heddle run examples/trips.ptx --grid 60 --block 128 --arg 'buf:u32[7680]' --gpu fermi --stats cycles,branches
    $heddle flow examples/rounds.ptx             # branches, and where their threads reconverge
    $heddle run --help
TEXT
