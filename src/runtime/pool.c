/*
 * Memory pools, and allocation in the order of a stream.
 *
 * Structures, attributes and flags of the two APIs have the same members and numbers. An allocation of no bytes gives
 * NULL, which may be freed; the driver would refuse both.
 */
#include "runtime/runtime.h"

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUdeviceptr address = 0;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = bytes ? runtime_end(driver.cuMemAllocAsync(&address, bytes, stream)) : cudaSuccess;
    *memory = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUdeviceptr address = 0;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error =
        bytes ? runtime_end(driver.cuMemAllocFromPoolAsync(&address, bytes, (CUmemoryPool)pool, stream)) : cudaSuccess;
    *memory = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return memory ? runtime_end(driver.cuMemFreeAsync(address_of(memory), stream)) : cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceGetDefaultMemPool((CUmemoryPool *)pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceGetMemPool((CUmemoryPool *)pool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceSetMemPool(device, (CUmemoryPool)pool));
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuMemGetDefaultMemPool((CUmemoryPool *)pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuMemGetMemPool((CUmemoryPool *)pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuMemSetMemPool((CUmemLocation *)location, (CUmemAllocationType)type, (CUmemoryPool)pool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPoolCreate((CUmemoryPool *)pool, (const CUmemPoolProps *)properties));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPoolDestroy((CUmemoryPool)pool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPoolTrimTo((CUmemoryPool)pool, bytes_to_keep));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPoolGetAttribute((CUmemoryPool)pool, (CUmemPool_attribute)attribute, value));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPoolSetAttribute((CUmemoryPool)pool, (CUmemPool_attribute)attribute, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemPoolSetAccess((CUmemoryPool)pool, (const CUmemAccessDesc *)access, count));
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuMemPoolGetAccess((CUmemAccess_flags *)flags, (CUmemoryPool)pool, (CUmemLocation *)location));
}
