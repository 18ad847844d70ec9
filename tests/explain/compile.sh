#!/bin/sh
# Compiles the kernels of this folder anew. Needs nvcc.
set -eu
cd "$(dirname "$0")"
for file in *.cu; do
    nvcc -O3 -arch=sm_90 -lineinfo -ptx "$file" -o "${file%.cu}.ptx"
done
