/* Calls on managed memory that cuda_runtime_api.h does not declare, or declares in the form of CUDA 13. */
#ifndef HEDDLE_RUNTIME_VERSIONED_MANAGED_H
#define HEDDLE_RUNTIME_VERSIONED_MANAGED_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
/* CUDA 13. */
cudaError_t cudaMemPrefetchAsync_ptsz(const void *memory, size_t bytes, struct cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream);
/* CUDA 11 and 12: the names are those of CUDA 13, the arguments are not. */
cudaError_t managed_advise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                           int device) __asm__("cudaMemAdvise");
cudaError_t managed_prefetch(const void *memory, size_t bytes, int device,
                             cudaStream_t stream) __asm__("cudaMemPrefetchAsync");
cudaError_t managed_prefetch_ptsz(const void *memory, size_t bytes, int device,
                                  cudaStream_t stream) __asm__("cudaMemPrefetchAsync_ptsz");
/* CUDA 12. */
cudaError_t cudaMemAdvise_v2(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync_v2(const void *memory, size_t bytes, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *memory, size_t bytes, struct cudaMemLocation location,
                                         unsigned int flags, cudaStream_t stream);
#pragma GCC visibility pop

#endif
