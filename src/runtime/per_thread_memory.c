/* Calls on memory of programs that were compiled with `-default-stream per-thread`: see per_thread.c. */
#include "runtime/per_thread_memory.h"

#include "runtime/runtime.h"

cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                              size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width_bytes, height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                          size_t from_x_bytes, size_t from_y, size_t width_bytes, size_t height,
                                          enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DArrayToArray(to, to_x_bytes, to_y, from, from_x_bytes, from_y, width_bytes, height, kind);
}

cudaError_t cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                       size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArray(to, pitch, from, x_bytes, y, width_bytes, height, kind);
}

cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                     size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArray(to, x_bytes, y, from, pitch, width_bytes, height, kind);
}

cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *parameters)
{
    return cudaMemcpy3D(parameters);
}

cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *parameters)
{
    return cudaMemcpy3DPeer(parameters);
}

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                        size_t from_x_bytes, size_t from_y, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyArrayToArray(to, to_x_bytes, to_y, from, from_x_bytes, from_y, bytes, kind);
}

cudaError_t cudaMemcpyFromArray_ptds(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArray(to, from, x_bytes, y, bytes, kind);
}

cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArray(to, x_bytes, y, from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

cudaError_t cudaMemset_ptds(void *memory, int value, size_t bytes)
{
    return cudaMemset(memory, value, bytes);
}

cudaError_t cudaMemset2D_ptds(void *memory, size_t pitch, int value, size_t width_bytes, size_t height)
{
    return cudaMemset2D(memory, pitch, value, width_bytes, height);
}

cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr memory, int value, struct cudaExtent extent)
{
    return cudaMemset3D(memory, value, extent);
}

cudaError_t cudaFreeAsync_ptsz(void *memory, cudaStream_t stream)
{
    return cudaFreeAsync(memory, runtime_per_thread(stream));
}

cudaError_t cudaMallocAsync_ptsz(void **memory, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(memory, bytes, runtime_per_thread(stream));
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(memory, bytes, pool, runtime_per_thread(stream));
}

cudaError_t cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                                   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width_bytes, height, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                            size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x_bytes, y, width_bytes, height, kind,
                                      runtime_per_thread(stream));
}

cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                          size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return cudaMemcpy2DToArrayAsync(to, x_bytes, y, from, pitch, width_bytes, height, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    return cudaMemcpy3DAsync(parameters, runtime_per_thread(stream));
}

cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
    return cudaMemcpy3DPeerAsync(parameters, runtime_per_thread(stream));
}

cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, bytes, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
                                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyFromArrayAsync(to, from, x_bytes, y, bytes, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t bytes,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyToArrayAsync(to, x_bytes, y, from, bytes, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t bytes, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, runtime_per_thread(stream));
}

cudaError_t cudaMemset2DAsync_ptsz(void *memory, size_t pitch, int value, size_t width_bytes, size_t height,
                                   cudaStream_t stream)
{
    return cudaMemset2DAsync(memory, pitch, value, width_bytes, height, runtime_per_thread(stream));
}

cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                                   cudaStream_t stream)
{
    return cudaMemset3DAsync(memory, value, extent, runtime_per_thread(stream));
}

cudaError_t cudaMemsetAsync_ptsz(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemsetAsync(memory, value, bytes, runtime_per_thread(stream));
}

cudaError_t cudaMemPrefetchBatchAsync_ptsz(void **memory, size_t *bytes, size_t count,
                                           struct cudaMemLocation *locations, size_t *location_indices,
                                           size_t location_count, unsigned long long flags, cudaStream_t stream)
{
    return cudaMemPrefetchBatchAsync(memory, bytes, count, locations, location_indices, location_count, flags,
                                     runtime_per_thread(stream));
}

cudaError_t cudaMemDiscardBatchAsync_ptsz(void **memory, size_t *bytes, size_t count, unsigned long long flags,
                                          cudaStream_t stream)
{
    return cudaMemDiscardBatchAsync(memory, bytes, count, flags, runtime_per_thread(stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(void **memory, size_t *bytes, size_t count,
                                                     struct cudaMemLocation *locations, size_t *location_indices,
                                                     size_t location_count, unsigned long long flags,
                                                     cudaStream_t stream)
{
    return cudaMemDiscardAndPrefetchBatchAsync(memory, bytes, count, locations, location_indices, location_count, flags,
                                               runtime_per_thread(stream));
}
