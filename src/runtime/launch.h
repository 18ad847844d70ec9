/* What calls that launch kernels share, and the entry points of launch.c that nvcc's host code calls. */
#ifndef HEDDLE_RUNTIME_LAUNCH_H
#define HEDDLE_RUNTIME_LAUNCH_H

#include "cuda.h"
#include "cuda_runtime_api.h"

/* What a version of CUDA calls a shape that no device can run, and an address that is no kernel's. */
cudaError_t launch_shape_error(void);
cudaError_t launch_symbol_error(void);
/* The driver's form of a launch's description. The attributes stay those of `from`. */
void launch_translate(const cudaLaunchConfig_t *from, CUlaunchConfig *to);
/* cudaLaunchKernelExC(), in this stream in place of the one in the description. */
cudaError_t launch_with_config(const cudaLaunchConfig_t *config, const void *function, void **arguments,
                               cudaStream_t stream);

#pragma GCC visibility push(default)
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream);
#pragma GCC visibility pop

#endif
