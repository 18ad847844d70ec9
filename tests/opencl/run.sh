#!/bin/sh
# Compiles the kernels of this folder with clang, OpenCL C with libclc and those in hip/ as CUDA, and runs each on both
# executors: run.sh HEDDLE. Every file says in comments how it is run and what is expected in which argument; `...`
# stands for any number of values. Without clang or libclc the test is skipped. LIBCLC names libclc's file for nvptx64.
set -eu
heddle=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"
clang=${CLANG:-clang}
library=${LIBCLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}
command -v "$clang" >/dev/null || { echo "skipped: there is no $clang"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
fail() { echo "FAIL $*"; failed=$((failed + 1)); }

opencl() { # FILE OUT
    "$clang" -target nvptx64--nvidiacl -Xclang -target-cpu -Xclang sm_70 -Xclang -finclude-default-header \
        -Xclang -mlink-builtin-bitcode -Xclang "$library" -cl-std=CL1.2 -O2 -S -x cl "$1" -o "$2"
}
hip() { # FILE OUT
    "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -Wno-unknown-cuda-version \
        -Xclang -target-feature -Xclang +ptx70 -O2 -S \
        "$1" -o "$2"
}

check() { # FILE EXECUTOR: the values of the buffer against those expected, word by word
    options=$(sed -n 's|^// run: ||p' "$1") expected=$(sed -n 's|^// expect: [0-9]*: ||p' "$1")
    argument=$(sed -n 's|^// expect: \([0-9]*\): .*|\1|p' "$1")
    # shellcheck disable=SC2086
    "$heddle" run "$work/kernel.ptx" --executor "$2" $options --print "$argument" >"$work/out" 2>&1 ||
        { fail "$1 ($2)"; cat "$work/out"; return; }
    got=$(sed -n 's/^ *[0-9]*: //p' "$work/out" | tr -s ' \n' ' ' | sed 's/^ //')
    case $expected in
    *...*) case $got in "${expected%%...*}"*"${expected##*... } ") got="$expected " ;; esac ;;
    esac
    if [ "$got" = "$expected " ]; then passed=$((passed + 1)); else fail "$1 ($2): expected $expected, got $got"; fi
}

for file in *.cl hip/*.hip; do
    case $file in *.cl) [ -e "$library" ] || { echo "skipped $file: there is no $library"; continue; } ;; esac
    case $file in *.cl) compile=opencl ;; *) compile=hip ;; esac
    $compile "$file" "$work/kernel.ptx" >"$work/log" 2>&1 || { fail "$file does not compile"; cat "$work/log"; continue; }
    check "$file" engine
    check "$file" oracle
done
echo "opencl: $passed passed, $failed failed"
[ $failed -eq 0 ]
