#!/bin/sh
# clang-tidy finds nothing in src/, by the checks of .clang-tidy: lint.sh BUILD, which has the files that the build
# generates. Without clang-tidy on the host nothing is tested, and that is said.
set -eu
generated=${1:?usage: lint.sh BUILD}/generated
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy is not installed: the sources are not linted"; exit 0; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Plug-ins include headers that a host may not have.
sources() { find src -name '*.c' -not -path 'src/farm/plug/*'; }
count=$(sources | wc -l)
# shellcheck disable=SC2016 -- the inner shell's arguments
if sources | LC_ALL=C sort | xargs -P "${HEDDLE_TEST_JOBS:-1}" -n 40 sh -c \
    'generated=$1; shift; clang-tidy --quiet "$@" -- -std=gnu17 -Isrc -Iinclude -I"$generated" -DHEDDLE_VERSION=\"\" \
    -DRUNTIME_MAJOR=13' \
    clang-tidy "$generated" >"$log" 2>&1; then
    echo "$count files are clean"
else
    grep -v 'warnings treated as errors\|warnings generated\|^Suppressed' "$log"
    exit 1
fi
