/*
 * Batches of copies, which came with CUDA 12.8. Until CUDA 13 they have an argument for the number of the copy that
 * failed. The copies before that one have been made then; the driver's new form does not say how many.
 */
#include "runtime/versioned/batch.h"

#include "runtime/runtime.h"

#if RUNTIME_MAJOR >= 12
static cudaError_t copy_lines(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                              struct cudaMemcpyAttributes *attributes, size_t *attribute_indices,
                              size_t attribute_count, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemcpyBatchAsync((CUdeviceptr *)to, (CUdeviceptr *)from, (size_t *)bytes, count,
                                                 (CUmemcpyAttributes *)attributes, attribute_indices, attribute_count,
                                                 stream));
}

static cudaError_t copy_boxes(size_t count, struct cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                              cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemcpy3DBatchAsync(count, (CUDA_MEMCPY3D_BATCH_OP *)operations, flags, stream));
}
#endif

#if RUNTIME_MAJOR >= 13
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *attribute_indices,
                                 size_t attribute_count, cudaStream_t stream)
{
    return copy_lines(to, from, bytes, count, attributes, attribute_indices, attribute_count, stream);
}

cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                      struct cudaMemcpyAttributes *attributes, size_t *attribute_indices,
                                      size_t attribute_count, cudaStream_t stream)
{
    return copy_lines(to, from, bytes, count, attributes, attribute_indices, attribute_count,
                      runtime_per_thread(stream));
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                                   cudaStream_t stream)
{
    return copy_boxes(count, operations, flags, stream);
}

cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t count, struct cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                                        cudaStream_t stream)
{
    return copy_boxes(count, operations, flags, runtime_per_thread(stream));
}
#endif

#if RUNTIME_MAJOR == 12
static cudaError_t set_failed(cudaError_t error, size_t *failed)
{
    if (error && failed)
        *failed = SIZE_MAX; /* as NVIDIA's runtime does where no copy of its own is to blame */
    return error;
}

cudaError_t batch_copy(void **to, void **from, size_t *bytes, size_t count, struct cudaMemcpyAttributes *attributes,
                       size_t *attribute_indices, size_t attribute_count, size_t *failed, cudaStream_t stream)
{
    const void *const *sources = (const void *const *)from;
    return set_failed(copy_lines(to, sources, bytes, count, attributes, attribute_indices, attribute_count, stream),
                      failed);
}

cudaError_t batch_copy_ptsz(void **to, void **from, size_t *bytes, size_t count,
                            struct cudaMemcpyAttributes *attributes, size_t *attribute_indices, size_t attribute_count,
                            size_t *failed, cudaStream_t stream)
{
    return batch_copy(to, from, bytes, count, attributes, attribute_indices, attribute_count, failed,
                      runtime_per_thread(stream));
}

cudaError_t batch_copy_3d(size_t count, struct cudaMemcpy3DBatchOp *operations, size_t *failed,
                          unsigned long long flags, cudaStream_t stream)
{
    return set_failed(copy_boxes(count, operations, flags, stream), failed);
}

cudaError_t batch_copy_3d_ptsz(size_t count, struct cudaMemcpy3DBatchOp *operations, size_t *failed,
                               unsigned long long flags, cudaStream_t stream)
{
    return batch_copy_3d(count, operations, failed, flags, runtime_per_thread(stream));
}
#endif
