#!/bin/sh
# The hand-changed kernels, a few blocks of them, compute on heddle what the host computes; and where heddle finds the
# meeting points itself, each pattern takes fewer warp instructions.
#
# usage: tests/validate/vote/run.sh BUILD     (from the root of the sources; the compiler is $CC, with $CFLAGS)
set -eu
[ $# -eq 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
lib=$(cd "$1/lib" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tests/validate/vote/build.sh "$scratch/vote" include "$lib"
export LD_LIBRARY_PATH="$lib"

verify() # OPTIONS...
{
    HEDDLE_OPTS="$*" "$scratch/vote" tiny once >"$scratch/out" 2>&1 && return
    echo "FAILED vote tiny once with $*"
    sed 's/^/  /' "$scratch/out"
    exit 1
}

verify --executor engine
verify --executor oracle
verify --gpu fermi --mech pdom
verify --gpu volta --mech volta --recon none --json "$scratch/none"
verify --gpu volta --mech volta --recon auto --json "$scratch/auto"

# Warp instructions of kernel $1 in the results $2.
instructions() { sed -n 's/^{"kernel":"'"$1"'",[^{]*"warp_instructions":\([0-9]*\).*/\1/p' "$scratch/$2"; }

for kernel in iteration_delay loop_merge loop_merge_rolled common_call; do
    none=$(instructions $kernel none)
    auto=$(instructions $kernel auto)
    [ "$auto" -lt "$none" ] && continue
    echo "FAILED $kernel: $auto warp instructions where heddle finds the meeting points, $none otherwise"
    exit 1
done
echo "the hand-changed kernels are right"
