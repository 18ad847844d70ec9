#!/bin/sh
# Builds the program micro and compiles its kernels to PTX. Needs nvcc.
#
# usage: tests/validate/micro/build.sh FOLDER INCLUDE_FOLDER LIBCUDA_FOLDER     (from the root of the sources)
#
# Leaves FOLDER/micro and FOLDER/micro.ptx. The PTX is not kept: chains of hundreds of instructions make it large.
set -eu
[ $# -eq 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
${CC:-gcc} -std=gnu17 -O2 -Wall -Wextra -Wshadow -I"$2" -o "$1/micro" tests/validate/micro/host.c -L"$3" -lcuda
"${NVCC:-nvcc}" -ptx -arch=compute_90 -o "$1/micro.ptx" tests/validate/micro/kernels.cu
