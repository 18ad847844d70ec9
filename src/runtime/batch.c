/*
 * Batches of prefetches and discards of managed memory. There is one memory, so the driver only checks them. Batches of
 * copies are in versioned/batch.c.
 */
#include "runtime/runtime.h"

cudaError_t cudaMemPrefetchBatchAsync(void **memory, size_t *bytes, size_t count, struct cudaMemLocation *locations,
                                      size_t *location_indices, size_t location_count, unsigned long long flags,
                                      cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPrefetchBatchAsync((CUdeviceptr *)memory, bytes, count, (CUmemLocation *)locations,
                                                      location_indices, location_count, flags, stream));
}

cudaError_t cudaMemDiscardBatchAsync(void **memory, size_t *bytes, size_t count, unsigned long long flags,
                                     cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemDiscardBatchAsync((CUdeviceptr *)memory, bytes, count, flags, stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **memory, size_t *bytes, size_t count,
                                                struct cudaMemLocation *locations, size_t *location_indices,
                                                size_t location_count, unsigned long long flags, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemDiscardAndPrefetchBatchAsync((CUdeviceptr *)memory, bytes, count,
                                                                (CUmemLocation *)locations, location_indices,
                                                                location_count, flags, stream));
}
