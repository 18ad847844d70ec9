#!/bin/sh
# Rewritten random programs on a GPU: they must leave there what heddle says that the originals leave.
#
# usage: tests/rewrite/silicon.sh prepare FOLDER [COUNT]   (where heddle is built, from the root of the sources)
#        tests/rewrite/silicon.sh check FOLDER             (on a machine with a GPU and the CUDA toolkit)
#
# `prepare` writes about COUNT (300) programs, each rewritten by one pass or by all of them, and what heddle's driver says
# that the originals leave. `check` compiles the program `replay` against the driver of the machine, runs the rewritten ones
# there, and says how many left the same: first as they stand (unoptimised, as random programs are), which must be all of them,
# then as the driver's compiler optimises them, which it does not always do rightly (docs/rewriting.md).
set -u
usage() { sed -n '4,5s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -ge 2 ] || usage
action=$1 folder=$2 count=${3:-300}

prepare() {
    build=${BUILD:-build}
    rm -rf "$folder/original" "$folder/rewritten"
    # Each program of `tasks` is changed by most passes, one of `random` and `manual` by few.
    HEDDLE_TEST_JOBS=1 "$build/tests/rewritten" --write "$folder" tasks 50001 $((count / 6 + 1)) || exit 1
    HEDDLE_TEST_JOBS=1 "$build/tests/rewritten" --may-be-idle --write "$folder" random 50001 $((count / 12 + 1)) || exit 1
    HEDDLE_TEST_JOBS=1 "$build/tests/rewritten" --may-be-idle --write "$folder" manual 50001 $((count / 12 + 1)) || exit 1
    "$build/tests/replay" corpus --corpus "$folder/original" --record "$folder/expected.golden" >"$folder/prepare.log" || {
        cat "$folder/prepare.log"
        exit 1
    }
    echo "$(find "$folder/rewritten" -name "*.case" | wc -l) rewritten programs in $folder"
}

case $action in
prepare) prepare ;;
check)
    # shellcheck source=tests/silicon/build_replay.sh
    . tests/silicon/build_replay.sh
    "$replay" corpus --corpus "$folder/rewritten" --check "$folder/expected.golden" --optimisation 0 || exit 1
    echo "as the driver's compiler optimises them:"
    "$replay" corpus --corpus "$folder/rewritten" --check "$folder/expected.golden" || true
    ;;
*) usage ;;
esac
