/*
 * Mipmapped arrays, and what arrays need of memory.
 *
 * heddle has neither sparse arrays nor planes, so the calls on these fail in the driver.
 */
#include "runtime/channel.h"
#include "runtime/runtime.h"

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *channels,
                                     struct cudaExtent extent, unsigned int level_count, unsigned int flags)
{
    ENTER_RUNTIME();
    if (!array || !channels)
        return runtime_fail(cudaErrorInvalidValue);
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    cudaError_t error = channel_find_format(channels, &descriptor.Format, &descriptor.NumChannels);
    if (error)
        return runtime_fail(error);
    return runtime_end(driver.cuMipmappedArrayCreate((CUmipmappedArray *)array, &descriptor, level_count));
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    ENTER_RUNTIME();
    return array ? runtime_end(driver.cuMipmappedArrayDestroy((CUmipmappedArray)array)) : cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level_array, cudaMipmappedArray_const_t array, unsigned int level)
{
    ENTER_RUNTIME();
    CUmipmappedArray levels = (CUmipmappedArray)(cudaMipmappedArray_t)array;
    return runtime_end(driver.cuMipmappedArrayGetLevel((CUarray *)level_array, levels, level));
}

cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned int index)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuArrayGetPlane((CUarray *)plane, (CUarray)array, index));
}

static void describe_requirements(const CUDA_ARRAY_MEMORY_REQUIREMENTS *from, struct cudaArrayMemoryRequirements *to)
{
    *to = (struct cudaArrayMemoryRequirements){.size = from->size, .alignment = from->alignment};
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements, cudaArray_t array,
                                           int device)
{
    ENTER_RUNTIME();
    CUDA_ARRAY_MEMORY_REQUIREMENTS found;
    if (!requirements)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = runtime_end(driver.cuArrayGetMemoryRequirements(&found, (CUarray)array, device));
    if (!error)
        describe_requirements(&found, requirements);
    return error;
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                                    cudaMipmappedArray_t array, int device)
{
    ENTER_RUNTIME();
    CUDA_ARRAY_MEMORY_REQUIREMENTS found;
    if (!requirements)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error =
        runtime_end(driver.cuMipmappedArrayGetMemoryRequirements(&found, (CUmipmappedArray)array, device));
    if (!error)
        describe_requirements(&found, requirements);
    return error;
}

/* The structures of the two APIs have the same members. */
cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties, cudaArray_t array)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuArrayGetSparseProperties((CUDA_ARRAY_SPARSE_PROPERTIES *)properties, (CUarray)array));
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                                  cudaMipmappedArray_t array)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMipmappedArrayGetSparseProperties((CUDA_ARRAY_SPARSE_PROPERTIES *)properties,
                                                                  (CUmipmappedArray)array));
}
