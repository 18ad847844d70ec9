/* Calls of CUDA 11 and 12 that CUDA 13 no longer has. */
#ifndef HEDDLE_RUNTIME_VERSIONED_REMOVED_H
#define HEDDLE_RUNTIME_VERSIONED_REMOVED_H

#include "cuda_runtime_api.h"

/* One launch of several at once, each on a device of its own. */
struct cudaLaunchParams {
    void *func;
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};

#pragma GCC visibility push(default)
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaSetDoubleForDevice(double *value);
cudaError_t cudaSetDoubleForHost(double *value);
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launches, unsigned int count,
                                                   unsigned int flags);
#pragma GCC visibility pop

#endif
