#!/bin/sh
# heddle built by clang, which must find nothing to warn of, says the same as the build under test: clang.sh BUILD
# Without clang on the host there is nothing to test, and that is said.
set -eu
build=$1
heddle=$build/heddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! command -v clang >/dev/null; then
    echo "clang is not installed: not built with it"
    exit 0
fi
unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that runs this script, whose jobs are not shared
make --no-print-directory -j"$(nproc)" CC=clang CFLAGS="-O0 -Werror" BUILD="$build/clang" "$build/clang/heddle" \
    >"$scratch/log" 2>&1 || { grep -E 'error|warning|undefined|multiple' "$scratch/log" || tail "$scratch/log"; exit 1; }

# Every cycle, count and word of the result.
compare() {
    "$heddle" run "$@" --print 0:512 >"$scratch/expected" 2>&1 || { cat "$scratch/expected"; exit 1; }
    "$build/clang/heddle" run "$@" --print 0:512 >"$scratch/got" 2>&1 || { cat "$scratch/got"; exit 1; }
    diff "$scratch/expected" "$scratch/got" >"$scratch/diff" || {
        echo "FAILED built by clang: heddle run $*"
        cat "$scratch/diff"
        exit 1
    }
}

run="bench/divergent.ptx --grid 4 --block 128 --arg buf:u32[512] --arg 20"
# shellcheck disable=SC2086
for how in "--quiet" "--gpu fermi --mech pdom --stats cycles,memory" "--gpu fermi --mech tbc --stats cycles,memory" \
    "--gpu vws --mech dwf --stats cycles,memory"; do
    compare $run $how
done
echo "built without a warning, 4 runs agree"
