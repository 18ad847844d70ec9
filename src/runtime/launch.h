/* The entry points of launch.c that nvcc's host code calls. */
#ifndef HEDDLE_RUNTIME_LAUNCH_H
#define HEDDLE_RUNTIME_LAUNCH_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                    cudaStream_t stream);
#pragma GCC visibility pop

#endif
