/* Calls for the per-thread default stream that no public header declares. */
#ifndef HEDDLE_RUNTIME_PER_THREAD_H
#define HEDDLE_RUNTIME_PER_THREAD_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                    cudaStream_t stream);
cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                  cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **arguments);
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                             size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int *device);
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream);
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                       unsigned int flags);
cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *memory, size_t bytes, unsigned int flags);
cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                        cudaLaunchAttributeValue *value);
cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                        const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from);
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned int flags);
#pragma GCC visibility pop

#endif
