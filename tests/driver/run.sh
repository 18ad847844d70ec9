#!/bin/sh
# A driver-API program, compiled and run as the README says: run.sh BUILD. The compiler is $CC, with $CFLAGS.
set -eu
build=$1
case $build in /*) ;; *) build=$PWD/$build ;; esac
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { echo "FAILED $1"; sed 's/^/  /' "$scratch/out"; exit 1; }

# shellcheck disable=SC2086
${CC:-cc} ${CFLAGS:-} "$here/increment.c" -I"$here/../../include" -L"$build/lib" -lcuda -o "$scratch/program"
export LD_LIBRARY_PATH="$build/lib"

HEDDLE_OPTS="--json $scratch/result.json" "$scratch/program" >"$scratch/out" 2>&1 || say "the program fails"
grep -qx '64 numbers are right' "$scratch/out" || say "the program says something else"
grep -q '^{"kernel":"increment","mechanism":"functional".*"fault":null' "$scratch/result.json" || say "no result"

HEDDLE_OPTS="--gpu tiny --stats summary" "$scratch/program" 2>&1 >/dev/null | grep -q 'SIMD efficiency' || say "no figures"
HEDDLE_OPTS="--quiet --gpu tiny --stats summary" "$scratch/program" >"$scratch/out" 2>&1 || say "--quiet is refused"
[ "$(cat "$scratch/out")" = '64 numbers are right' ] || say "--quiet is not quiet"

HEDDLE_OPTS="--executor oracle" "$scratch/program" >"$scratch/out" 2>&1 || say "the program fails on the oracle"

"$scratch/program" beyond >"$scratch/out" 2>&1 && say "an access out of bounds goes unseen"
grep -q 'access out of bounds in kernel increment' "$scratch/out" || say "no report of the fault"
grep -q 'past the end of cuMemAlloc' "$scratch/out" || say "the report does not name the allocation"
grep -q 'CUDA_ERROR_ILLEGAL_ADDRESS' "$scratch/out" || say "the program does not hear of the fault"

HEDDLE_OPTS="--json /no/such/folder/x" "$scratch/program" >"$scratch/out" 2>&1 && say "an unwritable result is accepted"
grep -q 'cuInit(0): CUDA_ERROR_INVALID_VALUE' "$scratch/out" || say "cuInit does not refuse an unwritable result"

# The driver's thread outlives the library's closing.
# shellcheck disable=SC2086
${CC:-cc} ${CFLAGS:-} "$here/closed.c" -I"$here/../../include" -ldl -o "$scratch/closed"
"$scratch/closed" >"$scratch/out" 2>&1 || say "a program that closes the driver fails"
grep -qx '1 host function has run' "$scratch/out" || say "a program that closes the driver says something else"

# The device is the machine of the options: blocks that fill it are all there at a time.
# shellcheck disable=SC2086
${CC:-cc} ${CFLAGS:-} "$here/device.c" -I"$here/../../include" -L"$build/lib" -lcuda -o "$scratch/device"
device() {
    HEDDLE_OPTS="$1" "$scratch/device" >"$scratch/out" 2>&1 || say "the device of $1 fails"
    [ "$(sed -n 1p "$scratch/out")" = "$2" ] || say "the device of $1 is another"
    [ "$(sed -n 2p "$scratch/out")" = "$3" ] || say "other blocks fit on the device of $1"
}
device "" "heddle: 132 multiprocessors of 2048 threads, 65536 registers, 233472 bytes; 1000 MHz" \
    "16 blocks fit, at best 264 of 1024; 115712 bytes for one of two"
device "--gpu fermi" "heddle fermi: 15 multiprocessors of 1536 threads, 32768 registers, 49152 bytes; 1400 MHz" \
    "8 blocks fit, at best 30 of 768; 24576 bytes for one of two"
device "--gpu fermi --set gpu.sm_count=2 --set sm.max_blocks=3" \
    "heddle fermi: 2 multiprocessors of 1536 threads, 32768 registers, 49152 bytes; 1400 MHz" \
    "3 blocks fit, at best 4 of 768; 24576 bytes for one of two"

# Who asks for the inside of NVIDIA's driver is named: a closed library, or a runtime that the loader found elsewhere.
cat >"$scratch/ask.c" <<'EOF'
#include <cuda.h>
int ask(void)
{
    const void *table;
    CUuuid id = {{0}};
    return cuGetExportTable(&table, &id) + cuGetExportTable(&table, &id);
}
EOF
echo 'int ask(void); int main(void) { return ask() != 2 * 500; }' >"$scratch/main.c"
asks() {
    # shellcheck disable=SC2086
    ${CC:-cc} ${CFLAGS:-} -shared -fPIC "$scratch/ask.c" -I"$here/../../include" -L"$build/lib" -lcuda -o "$scratch/$1"
    # shellcheck disable=SC2086
    ${CC:-cc} ${CFLAGS:-} "$scratch/main.c" "$scratch/$1" -Wl,-rpath-link,"$build/lib" -o "$scratch/asks"
    "$scratch/asks" >"$scratch/out" 2>&1 || say "an export table is found"
}
named() {
    asks "$1"
    [ "$(wc -l <"$scratch/out")" = 1 ] || say "$1 is not named once"
    grep -q "^heddle: $scratch/$1 is $2" "$scratch/out" || say "$1 is not named"
}
named libcublas.so.13 "a closed library of NVIDIA's"
named libcudart.so.13 "NVIDIA's CUDA runtime"
# The compiler that programs call for PTX at run time asks, too, and works without.
asks libnvrtc.so.13
[ ! -s "$scratch/out" ] || say "a compiler that works is spoken of"

echo "a driver-API program runs as it is"
