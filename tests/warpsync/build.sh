#!/bin/sh
# Compiles the kernels here to the PTX that is committed beside them. NVCC names the compiler. Names of files lose their
# folders.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
    name=${source%.cu}
    "${NVCC:-nvcc}" -ptx -arch=sm_75 -lineinfo -Wno-deprecated-gpu-targets "$source" -o "$name.new"
    sed '/^[[:space:]]*\.file/s|"[^"]*/\([^"/]*\)"|"\1"|' "$name.new" >"$name.ptx"
    rm "$name.new"
done
