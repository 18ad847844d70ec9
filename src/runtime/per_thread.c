/*
 * Calls of programs that were compiled with `-default-stream per-thread`. Each is the call without the suffix, with the
 * NULL stream taken for the host thread's own stream. Calls without a stream (`_ptds`) wait for that stream; since every
 * call here has done its work when it returns, they are the same.
 */
#include "runtime/launch.h"
#include "runtime/runtime.h"

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                    cudaStream_t stream)
{
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, runtime_per_thread(stream));
}
