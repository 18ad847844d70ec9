/* CUDA arrays: allocation and description. */
#include "runtime/channel.h"
#include "runtime/runtime.h"

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels,
                              struct cudaExtent extent, unsigned int flags)
{
    ENTER_RUNTIME();
    if (!array || !channels)
        return runtime_fail(cudaErrorInvalidValue);
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    cudaError_t error = channel_find_format(channels, &descriptor.Format, &descriptor.NumChannels);
    if (error)
        return runtime_fail(error);
    return runtime_end(driver.cuArray3DCreate((CUarray *)array, &descriptor));
}

/* The flags that give an array a third dimension are for cudaMalloc3DArray(). */
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels, size_t width,
                            size_t height, unsigned int flags)
{
    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return runtime_fail(cudaErrorInvalidValue);
    return cudaMalloc3DArray(array, channels, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    ENTER_RUNTIME();
    return array ? runtime_end(driver.cuArrayDestroy((CUarray)array)) : cudaSuccess;
}

/* Each of channels, extent and flags may be NULL. */
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *channels, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    ENTER_RUNTIME();
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    cudaError_t error = runtime_end(driver.cuArray3DGetDescriptor(&descriptor, (CUarray)array));
    if (error)
        return error;
    if (channels)
        *channels = channel_describe(descriptor.Format, descriptor.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){descriptor.Width, descriptor.Height, descriptor.Depth};
    if (flags)
        *flags = descriptor.Flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channels, cudaArray_const_t array)
{
    if (!channels)
        return runtime_fail(cudaErrorInvalidValue);
    return cudaArrayGetInfo(channels, NULL, NULL, (cudaArray_t)array);
}
