/* Managed memory, which host and kernels reach at one address. Advice and prefetching are in versioned/managed.c. */
#include "runtime/runtime.h"

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags)
{
    ENTER_RUNTIME();
    CUdeviceptr address = 0;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = bytes ? runtime_end(driver.cuMemAllocManaged(&address, bytes, flags)) : cudaSuccess;
    *memory = (void *)(uintptr_t)address;
    return error;
}

/* Attributes of a range have the same numbers and sizes in both APIs. */
cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
                                     const void *memory, size_t bytes)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuMemRangeGetAttribute(data, data_bytes, (CUmem_range_attribute)attribute, address_of(memory), bytes));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_bytes, enum cudaMemRangeAttribute *attributes,
                                      size_t count, const void *memory, size_t bytes)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemRangeGetAttributes(data, data_bytes, (CUmem_range_attribute *)attributes, count,
                                                      address_of(memory), bytes));
}
