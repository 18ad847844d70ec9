/*
 * Allocation of device memory: linear and pitched, and what is left of it.
 *
 * An allocation of no bytes succeeds and gives NULL, and one that fails gives NULL too, as in NVIDIA's runtime. The
 * driver would refuse the first and leave the pointer alone in the second case.
 */
#include "runtime/runtime.h"

enum { PITCH_ELEMENT_BYTES = 4 }; /* the pitch suits elements up to 16 bytes, whichever size the driver is told */

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    ENTER_RUNTIME();
    CUdeviceptr address = 0;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = bytes ? runtime_end(driver.cuMemAlloc(&address, bytes)) : cudaSuccess;
    *memory = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaFree(void *memory)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemFree(address_of(memory)));
}

static cudaError_t allocate_rows(void **memory, size_t *pitch, size_t width_bytes, size_t rows)
{
    CUdeviceptr address = 0;
    CUresult result = CUDA_SUCCESS;
    *pitch = 0;
    if (width_bytes && rows)
        result = driver.cuMemAllocPitch(&address, pitch, width_bytes, rows, PITCH_ELEMENT_BYTES);
    *memory = (void *)(uintptr_t)address;
    return runtime_end(result);
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width_bytes, size_t height)
{
    ENTER_RUNTIME();
    if (!memory || !pitch)
        return runtime_fail(cudaErrorInvalidValue);
    return allocate_rows(memory, pitch, width_bytes, height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
    ENTER_RUNTIME();
    struct cudaPitchedPtr result = {.xsize = extent.width, .ysize = extent.height};
    size_t rows;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return runtime_fail(cudaErrorMemoryAllocation);
    cudaError_t error = allocate_rows(&result.ptr, &result.pitch, extent.width, rows);
    if (!error)
        *memory = result;
    return error;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemGetInfo(free_bytes, total_bytes));
}
