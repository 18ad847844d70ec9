#!/bin/sh
# Compaction switched off for the launches of a kernel (--no-compaction): run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"

# exchange NAME STATUS STDOUT STDERR OPTIONS...
exchange() {
    n=$1 s=$2 o=$3 e=$4
    shift 4
    check "$n" "$s" "$o" "$e" run exchange.ptx --block 512 --arg 'buf:u32[512]' --gpu fermi "$@"
}

# number NAME FILE: the number of that name in the first line of JSON
number() { sed -n "1s/.*\"$1\":\\([0-9]*\\).*/\\1/p" "$scratch/$2"; }

# cycles FILE OPTIONS...
cycles() {
    file=$1
    shift
    rm -f "$scratch/json"
    "$heddle" run "$file" --block 512 --arg 'buf:u32[15360]' --arg 4 --gpu fermi --quiet --json "$scratch/json" "$@" >/dev/null 2>&1
    sed -n '1s/.*"cycles":\([0-9]*\),"drain.*/\1/p' "$scratch/json"
}

# Words 480 and 482 are right if the two threads stayed together.
right='^     480: 483 +0 481'
exchange functional 0 "$right" - --print 0 --quiet --gpu none
exchange pdom 0 "$right" - --print 0 --quiet --no-compaction exchange
for mechanism in tbc tbc-lcp tbc-dpe capri; do
    exchange "$mechanism breaks what relies on warps" 0 '^     480: 483 +0 +0' - --print 0 --quiet --mech $mechanism
    exchange "$mechanism without compaction" 0 "$right" "under $mechanism, compaction off$" --print 0 --mech $mechanism \
        --no-compaction 'other,ex*'
    exchange "$mechanism with compaction elsewhere" 0 '' "under $mechanism$" --mech $mechanism --no-compaction other
done
exchange "memory is that of the functional engine" 0 - - --mech tbc --no-compaction exchange --verify functional --quiet
exchange "lwm without compaction" 0 "$right" 'under lwm, compaction off$' --print 0 --mech lwm --no-compaction exchange
exchange "tstbc without compaction" 0 "$right" 'under tstbc, compaction off$' --print 0 --mech tstbc --no-compaction exchange
exchange "tstbc-auto without compaction" 0 "$right" 'under tstbc-auto, compaction off$' --print 0 --mech tstbc-auto \
    --no-compaction exchange

# Cycles: of tbc's block-wide stack with static warps; of pdom where warps have stacks of their own.
cd ../../../examples || exit 2
pdom=$(cycles hammock.ptx)
expect "hammock has cycles" [ "${pdom:-0}" -gt 0 ]
for mechanism in tbc tbc-lcp tbc-dpe; do
    expect "$mechanism runs as with its knob" [ "$(cycles hammock.ptx --mech $mechanism --no-compaction hammock)" -eq \
        "$(cycles hammock.ptx --mech $mechanism --set $mechanism.compaction=no)" ]
    expect "$mechanism differs from itself" [ "$(cycles hammock.ptx --mech $mechanism --no-compaction hammock)" -ne \
        "$(cycles hammock.ptx --mech $mechanism)" ]
done
expect "lwm runs as with its knob" [ "$(cycles hammock.ptx --mech lwm --no-compaction hammock)" -eq \
    "$(cycles hammock.ptx --mech lwm --set lwm.packing=no)" ]
for mechanism in capri tstbc tstbc-auto; do
    expect "$mechanism runs as pdom" [ "$(cycles hammock.ptx --mech $mechanism --no-compaction hammock)" -eq "$pdom" ]
done
expect "capri differs from pdom otherwise" [ "$(cycles hammock.ptx --mech capri)" -ne "$pdom" ]
cd "$OLDPWD" || exit 2

# JSON names it, and only where it is.
rm -f "$scratch/json"
"$heddle" run exchange.ptx --block 512 --arg 'buf:u32[512]' --gpu fermi --mech tbc --no-compaction exchange --quiet \
    --json "$scratch/json"
expect "JSON says that compaction was off" grep -q '"gpu":"fermi","compaction":false,' "$scratch/json"
expect "as many warps as before" [ "$(number warps_after json)" -eq "$(number warps_before json)" ]
rm -f "$scratch/json"
"$heddle" run exchange.ptx --block 512 --arg 'buf:u32[512]' --gpu fermi --mech tbc --quiet --json "$scratch/json"
expect "JSON says nothing if compaction was on" [ "$(grep -c '"compaction":false' "$scratch/json")" -eq 0 ]

# A comparison; what is refused.
check compare 0 'pdom ' - compare exchange.ptx --block 512 --arg 'buf:u32[512]' --mech pdom,tbc,capri --no-compaction exchange
check "compare without the switch" 3 '^! tbc ' '' compare exchange.ptx --block 512 --arg 'buf:u32[512]' --mech pdom,tbc
exchange dwf 2 - '^heddle run: --no-compaction does not work under dwf: it forms new warps' --mech dwf --no-compaction exchange
exchange "no name" 2 - "--no-compaction takes names with commas between them, not 'a,,b'" --mech tbc --no-compaction a,,b
check "no machine" 2 - '--no-compaction needs a machine' run exchange.ptx --block 512 --arg 'buf:u32[512]' --no-compaction exchange

echo "cli, compaction: $((count - failed)) passed, $failed failed"
[ $failed -eq 0 ]
