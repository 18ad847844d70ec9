#!/bin/sh
# Builds the program vote with its PTX inside, with nothing but a C compiler, a cuda.h and a libcuda. The compiler is
# $CC, with $CFLAGS.
#
# usage: tests/validate/vote/build.sh PROGRAM INCLUDE_FOLDER LIBCUDA_FOLDER     (from the root of the sources)
set -eu
# shellcheck disable=SC2086
${CC:-gcc} -std=gnu17 ${CFLAGS:--O2} -Wall -Wextra -Wshadow -ffp-contract=off -I"$2" \
    -DWORK_PTX='"tests/validate/vote/kernels.ptx"' -o "$1" tests/validate/vote/host.c workloads/common/ptx.S -L"$3" \
    -lcuda -lm
