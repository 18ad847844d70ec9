#!/bin/sh
# Compiles the kernels of this folder anew. Needs nvcc.
set -eu
cd "$(dirname "$0")"
for file in *.cu; do
    nvcc -O3 -arch=sm_90 -lineinfo -ptx "$file" -o /dev/stdout | sed "s|\"$PWD/|\"|" >"${file%.cu}.ptx"
done
