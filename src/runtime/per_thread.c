/*
 * Calls of programs that were compiled with `-default-stream per-thread`. Each is the call without the suffix, with the
 * NULL stream taken for the host thread's own stream. Calls without a stream (`_ptds`) wait for that stream; since
 * every call here has done its work when it returns, they are the same.
 */
#include "runtime/per_thread.h"

#include "runtime/launch.h"
#include "runtime/runtime.h"

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                    cudaStream_t stream)
{
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, runtime_per_thread(stream));
}

cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                  cudaStream_t stream)
{
    return cudaLaunchKernel(function, grid, block, arguments, shared_bytes, runtime_per_thread(stream));
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    return config ? launch_with_config(config, function, arguments, runtime_per_thread(config->stream))
                  : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                             size_t shared_bytes, cudaStream_t stream)
{
    return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared_bytes, runtime_per_thread(stream));
}

cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return cudaLaunchHostFunc(runtime_per_thread(stream), function, data);
}

cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int *priority)
{
    return cudaStreamGetPriority(runtime_per_thread(stream), priority);
}

cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned int *flags)
{
    return cudaStreamGetFlags(runtime_per_thread(stream), flags);
}

cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long *id)
{
    return cudaStreamGetId(runtime_per_thread(stream), id);
}

cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int *device)
{
    return cudaStreamGetDevice(runtime_per_thread(stream), device);
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    return cudaStreamWaitEvent(runtime_per_thread(stream), event, flags);
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream)
{
    return cudaStreamSynchronize(runtime_per_thread(stream));
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream)
{
    return cudaStreamQuery(runtime_per_thread(stream));
}

cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                       unsigned int flags)
{
    return cudaStreamAddCallback(runtime_per_thread(stream), callback, data, flags);
}

cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *memory, size_t bytes, unsigned int flags)
{
    return cudaStreamAttachMemAsync(runtime_per_thread(stream), memory, bytes, flags);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecord(event, runtime_per_thread(stream));
}

cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return cudaEventRecordWithFlags(event, runtime_per_thread(stream), flags);
}

cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                        cudaLaunchAttributeValue *value)
{
    return cudaStreamGetAttribute(runtime_per_thread(stream), attribute, value);
}

cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                        const cudaLaunchAttributeValue *value)
{
    return cudaStreamSetAttribute(runtime_per_thread(stream), attribute, value);
}

cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from)
{
    return cudaStreamCopyAttributes(runtime_per_thread(to), runtime_per_thread(from));
}
