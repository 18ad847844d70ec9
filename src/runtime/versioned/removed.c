/* See removed.h. The calls on a "thread" are from a time when each host thread had a context of its own. */
#include "runtime/versioned/removed.h"

#include "runtime/refuse.h"
#include "runtime/runtime.h"

#if RUNTIME_MAJOR < 13

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

/* Devices without double precision are gone: a double is the same on both sides. */
cudaError_t cudaSetDoubleForDevice(double *value)
{
    return value ? cudaSuccess : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaSetDoubleForHost(double *value)
{
    return value ? cudaSuccess : runtime_fail(cudaErrorInvalidValue);
}

/* With one device, a launch on each of several devices is a launch. */
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launches, unsigned int count,
                                                   unsigned int flags)
{
    (void)flags; /* about waiting for other devices */
    if (!launches || count != 1)
        return runtime_fail(cudaErrorInvalidValue);
    return cudaLaunchCooperativeKernel(launches->func, launches->gridDim, launches->blockDim, launches->args,
                                       launches->sharedMem, launches->stream);
}

#pragma GCC visibility push(default)
#define UNSUPPORTED(call)                                    \
    cudaError_t call(void);                                  \
    cudaError_t call(void)                                   \
    {                                                        \
        static atomic_bool is_said;                          \
        return (cudaError_t)runtime_refuse(#call, &is_said); \
    }
UNSUPPORTED(cudaProfilerInitialize)
UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2)
UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2_ptsz)
UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2)
UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2_ptsz)
#pragma GCC visibility pop

#endif
