#!/bin/sh
# --lower ptxas as a user meets it: run.sh HEDDLE.
. "$(dirname "$0")/../check.sh"

check help 0 '^  --lower ' - run --help
check help-flow 0 '^  --lower ' - flow --help
check wrong 2 - "lower.*ptxas" run short.ptx --lower gcc --grid 1 --block 32 --arg 'buf:u32[32]'
check wrong-flow 2 - "none or ptxas, not 'gcc'" flow short.ptx --lower gcc
check no-value 2 - '' flow short.ptx --lower

# What becomes of the branches can be seen.
check plain 0 '^ +[0-9]+  @%p1 bra SKIP' - flow short.ptx
check lowered 0 '@!%p1 add.u32 %r1, %r1, 5' - flow short.ptx --lower ptxas
check no-branch 0 '1 functions +[0-9]+ blocks +0 loops +1 branches' - flow short.ptx --lower ptxas

# Both leave the same memory, on every path to a launch.
launch="--grid 1 --block 32 --arg buf:u32[32] --print 0:32"
for options in "" "--executor oracle" "--gpu volta --mech pdom" "--gpu volta --mech volta" "--gpu fermi --mech tbc"; do
    # shellcheck disable=SC2086 -- words
    "$heddle" run short.ptx $launch $options --quiet >"$scratch/plain" 2>"$scratch/errors" </dev/null
    # shellcheck disable=SC2086 -- words
    "$heddle" run short.ptx $launch $options --lower ptxas --quiet >"$scratch/lowered" 2>>"$scratch/errors" </dev/null
    expect "same memory $options" cmp "$scratch/plain" "$scratch/lowered"
    expect "memory $options" [ -s "$scratch/plain" ]
done

# Convergence barriers count as instructions of a lowered program, under the mechanism that executes them.
figure() # FILE NAME: a number of the JSON line
{
    sed 's/.*"'"$2"'":\([0-9]*\).*/\1/' "$1"
}
for mech in pdom volta; do
    for lower in none ptxas; do
        # shellcheck disable=SC2086 -- words
        "$heddle" run short.ptx --grid 1 --block 32 --arg 'buf:u32[32]' --gpu volta --mech $mech --lower $lower \
            --json "$scratch/$mech-$lower" --quiet >"$scratch/out" 2>&1 </dev/null
    done
done
expect "pdom and volta alike without barriers" [ "$(figure "$scratch/pdom-none" warp_instructions)" -eq \
    "$(figure "$scratch/volta-none" warp_instructions)" ]
expect "barriers issued" [ "$(figure "$scratch/volta-ptxas" syncs)" -gt 0 ]
expect "barriers counted" [ "$(figure "$scratch/volta-ptxas" warp_instructions)" -eq \
    $(($(figure "$scratch/pdom-ptxas" warp_instructions) + $(figure "$scratch/volta-ptxas" syncs))) ]
expect "invariants of the counters" sh -c '! grep -q "is not\|is more than" "$1"' sh "$scratch/out"

check compare 0 '^' '' compare short.ptx --grid 1 --block 32 --arg 'buf:u32[32]' --mech pdom,volta --lower ptxas

echo "$count checks of --lower, $failed failed"
[ $failed -eq 0 ]
