# shellcheck shell=sh
# Compiles the program `replay` against the CUDA driver of the machine; to be read by a script (`.`) in the root of the
# sources. Sets $replay, and the environment in which it finds the driver. What it leaves is removed when the script ends.
# CC, CUDA_HOME and LIBCUDA_DIR (where the driver's libcuda.so.1 is) may be set where they are not found.
cc=${CC:-gcc}
cuda=${CUDA_HOME:-/usr/local/cuda}
replay_folder=$(mktemp -d)
trap 'rm -rf "$replay_folder"' EXIT
replay=$replay_folder/replay

# The toolkit's stub satisfies the linker; the driver's own library is found when the program starts.
for stubs in "$cuda/lib64/stubs" "$cuda/lib/stubs" "$cuda"/targets/*/lib/stubs; do
    [ -e "$stubs/libcuda.so" ] && break
done
driver=${LIBCUDA_DIR:-}
if [ -z "$driver" ]; then
    for place in /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 \
                 /usr/local/nvidia/lib; do
        [ -e "$place/libcuda.so.1" ] && driver=$place && break
    done
fi

zstd=
if echo '#include <zstd.h>' | "$cc" -E -x c - >/dev/null 2>&1; then
    zstd="-DHAVE_ZSTD -lzstd"
fi
# shellcheck disable=SC2086,SC2046,SC2010
"$cc" -std=gnu17 -O2 -ffp-contract=off -fno-strict-aliasing -Isrc -I"$cuda/include" -o "$replay" \
    tests/silicon/*.c $(ls tests/random/*.c tests/manual/*.c | grep -v /main.c) src/ptx/ops.c src/ptx/fragment.c $(ls src/base/*.c | grep -v -e /json.c -e /pack.c) \
    -L"$stubs" $zstd -lcuda -lm || exit 1

# Compiled modules are used once: keeping them on disk only costs time.
export CUDA_CACHE_DISABLE=1
if ! "$replay" device 2>/dev/null && [ -n "$driver" ]; then
    export LD_LIBRARY_PATH="$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "$replay" device || exit 1
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
