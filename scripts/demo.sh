#!/bin/sh
# What heddle does, in a minute: demo.sh HEDDLE
set -eu
heddle=$1
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "A kernel whose threads part and meet all the time (bench/divergent.cu), on 4 blocks of 128 threads:"
set -x
"$heddle" run bench/divergent.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --arg 1000 --print 0:8
{ set +x; } 2>/dev/null

say "Where it can diverge, and where its threads meet again:"
"$heddle" flow bench/divergent.ptx | sed -n '/branches/,$p'

say "The same kernel with a buffer that is too small: stopped, and explained."
"$heddle" run bench/divergent.ptx --grid 4 --block 128 --arg 'buf:u32[500]' --arg 1000 2>&1 || true

say "As JSON, for a script:"
"$heddle" run bench/divergent.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --arg 1000 --quiet --json -
