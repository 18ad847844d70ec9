#!/bin/sh
# Builds launch.c, with nothing but a C compiler, a cuda.h and a libcuda.
#
# usage: tests/validate/build.sh PROGRAM INCLUDE_FOLDER LIBCUDA_FOLDER     (from the root of the sources)
#
# base/json.c is left out: it alone needs cJSON, and launch.c does not use it. CFLAGS is taken from the environment, so
# that the program can load a libcuda with a sanitizer.
set -eu
# shellcheck disable=SC2086 -- words
${CC:-gcc} ${CFLAGS:-} -std=gnu17 -O2 -Wall -Wextra -Wshadow -ffp-contract=off -Isrc -I"$2" -o "$1" \
    tests/validate/launch.c tests/silicon/device.c tests/silicon/corpus_case.c tests/silicon/case.c src/base/arena.c \
    src/base/diag.c src/base/text.c src/ptx/ops.c -L"$3" -lcuda -lm
