/* Filling device memory with a byte, in one, two and three dimensions. */
#include "runtime/runtime.h"

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemsetD8(address_of(memory), (unsigned char)value, bytes));
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemsetD8Async(address_of(memory), (unsigned char)value, bytes, stream));
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width_bytes, size_t height)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemsetD2D8(address_of(memory), pitch, (unsigned char)value, width_bytes, height));
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width_bytes, size_t height,
                              cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuMemsetD2D8Async(address_of(memory), pitch, (unsigned char)value, width_bytes, height, stream));
}

/* The planes of a box, one after the other; as one plane, if the box takes all rows of each. */
static cudaError_t fill_box(struct cudaPitchedPtr memory, int value, struct cudaExtent extent, cudaStream_t stream)
{
    size_t plane_bytes, last, rows;
    CUdeviceptr address = address_of(memory.ptr);
    if (!extent.width || !extent.height || !extent.depth)
        return runtime_end(driver.cuMemsetD8Async(address, (unsigned char)value, 0, stream));
    if (extent.height > memory.ysize || __builtin_mul_overflow(memory.pitch, memory.ysize, &plane_bytes) ||
        __builtin_mul_overflow(plane_bytes, extent.depth - 1, &last) || address + last < address ||
        __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return runtime_fail(cudaErrorInvalidValue);
    if (extent.height == memory.ysize) {
        extent.height = rows;
        extent.depth = 1;
    }
    for (size_t z = 0; z < extent.depth; z++) {
        CUresult result = driver.cuMemsetD2D8Async(address + z * plane_bytes, memory.pitch, (unsigned char)value,
                                                   extent.width, extent.height, stream);
        if (result)
            return runtime_end(result);
    }
    return cudaSuccess;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent)
{
    ENTER_RUNTIME();
    return fill_box(memory, value, extent, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return fill_box(memory, value, extent, stream);
}
