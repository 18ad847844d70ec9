#!/bin/sh
# Compiles the kernels here to the PTX that is committed beside them. NVCC names the compiler. Names of files lose their
# folders.
set -eu
cd "$(dirname "$0")"
"${NVCC:-nvcc}" -ptx -arch=sm_75 -lineinfo -Wno-deprecated-gpu-targets persistent.cu -o persistent.new
sed '/^[[:space:]]*\.file/s|"[^"]*/\([^"/]*\)"|"\1"|' persistent.new >persistent.ptx
rm persistent.new
