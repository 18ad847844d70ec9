/* Calls on memory for the per-thread default stream, which no public header declares. */
#ifndef HEDDLE_RUNTIME_PER_THREAD_MEMORY_H
#define HEDDLE_RUNTIME_PER_THREAD_MEMORY_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                              size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                          size_t from_x_bytes, size_t from_y, size_t width_bytes, size_t height,
                                          enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                       size_t width_bytes, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                     size_t width_bytes, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *parameters);
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                        size_t from_x_bytes, size_t from_y, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray_ptds(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind);
cudaError_t cudaMemset_ptds(void *memory, int value, size_t bytes);
cudaError_t cudaMemset2D_ptds(void *memory, size_t pitch, int value, size_t width_bytes, size_t height);
cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr memory, int value, struct cudaExtent extent);
cudaError_t cudaFreeAsync_ptsz(void *memory, cudaStream_t stream);
cudaError_t cudaMallocAsync_ptsz(void **memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync_ptsz(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                                   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                            size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream);
cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                          size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream);
cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream);
cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream);
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
                                          enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t bytes,
                                        enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemset2DAsync_ptsz(void *memory, size_t pitch, int value, size_t width_bytes, size_t height,
                                   cudaStream_t stream);
cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                                   cudaStream_t stream);
cudaError_t cudaMemsetAsync_ptsz(void *memory, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemPrefetchBatchAsync_ptsz(void **memory, size_t *bytes, size_t count,
                                           struct cudaMemLocation *locations, size_t *location_indices,
                                           size_t location_count, unsigned long long flags, cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync_ptsz(void **memory, size_t *bytes, size_t count, unsigned long long flags,
                                          cudaStream_t stream);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(void **memory, size_t *bytes, size_t count,
                                                     struct cudaMemLocation *locations, size_t *location_indices,
                                                     size_t location_count, unsigned long long flags,
                                                     cudaStream_t stream);
#pragma GCC visibility pop

#endif
