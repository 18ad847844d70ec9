# What the recordings share; read by them. Finds the toolkit ($cuda, $stubs), the driver's library and the profiler
# ($ncu, $counters), and makes a folder $work that goes with the script.
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The toolkit's stub satisfies the linker; the driver's own library is found when the program starts.
for stubs in "$cuda/lib64/stubs" "$cuda/lib/stubs" "$cuda"/targets/*/lib/stubs; do
    [ -e "$stubs/libcuda.so" ] && break
done
driver=${LIBCUDA_DIR:-}
for folder in /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 \
              /usr/local/nvidia/lib; do
    [ -z "$driver" ] && [ -e "$folder/libcuda.so.1" ] && driver=$folder
done
[ -n "$driver" ] && export LD_LIBRARY_PATH="$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Compiled modules are used once: keeping them on disk only costs time.
export CUDA_CACHE_DISABLE=1

ncu=$(command -v ncu || echo "$cuda/bin/ncu")
counters=smsp__inst_executed.sum,smsp__thread_inst_executed.sum,smsp__thread_inst_executed_pred_on.sum
