#!/bin/sh
# Shows in a minute what heddle does: demo.sh HEDDLE
set -eu
heddle=$1
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "A kernel whose threads diverge and reconverge all the time (bench/divergent.cu), in 4 blocks of 128 threads:"
set -x
"$heddle" run bench/divergent.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --arg 1000 --print 0:8
{ set +x; } 2>/dev/null

say "Where the kernel can diverge, and where its threads reconverge:"
"$heddle" flow bench/divergent.ptx | sed -n '/branches/,$p'

say "The kernel with a buffer that is too small: heddle stops the launch and explains the fault."
"$heddle" run bench/divergent.ptx --grid 4 --block 128 --arg 'buf:u32[500]' --arg 1000 2>&1 || true

say "The first launch as JSON, for a script:"
"$heddle" run bench/divergent.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --arg 1000 --quiet --json -
