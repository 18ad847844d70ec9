/* Batches of copies in the forms that cuda_runtime_api.h does not declare. */
#ifndef HEDDLE_RUNTIME_VERSIONED_BATCH_H
#define HEDDLE_RUNTIME_VERSIONED_BATCH_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
/* CUDA 13. */
cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                      struct cudaMemcpyAttributes *attributes, size_t *attribute_indices,
                                      size_t attribute_count, cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t count, struct cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                                        cudaStream_t stream);
/* CUDA 12: the names are those of CUDA 13, the arguments are not. */
cudaError_t batch_copy(void **to, void **from, size_t *bytes, size_t count, struct cudaMemcpyAttributes *attributes,
                       size_t *attribute_indices, size_t attribute_count, size_t *failed,
                       cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");
cudaError_t batch_copy_ptsz(void **to, void **from, size_t *bytes, size_t count,
                            struct cudaMemcpyAttributes *attributes, size_t *attribute_indices, size_t attribute_count,
                            size_t *failed, cudaStream_t stream) __asm__("cudaMemcpyBatchAsync_ptsz");
cudaError_t batch_copy_3d(size_t count, struct cudaMemcpy3DBatchOp *operations, size_t *failed,
                          unsigned long long flags, cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync");
cudaError_t batch_copy_3d_ptsz(size_t count, struct cudaMemcpy3DBatchOp *operations, size_t *failed,
                               unsigned long long flags, cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync_ptsz");
#pragma GCC visibility pop

#endif
