/*
 * See texture_reference.h. A reference is one of the driver's (cuTexRef*), which is told at each binding what the
 * host's variable says then.
 */
#include "runtime/versioned/texture_reference.h"

#include "runtime/channel.h"
#include "runtime/registry.h"
#include "runtime/runtime.h"

#if RUNTIME_MAJOR < 12

/* nvcc's host code gives the name in the source (::space::line) as `name`, and the text of the name in the PTX
 * (_ZN5space4lineE) where the address of the device's variable is expected. */
void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int reads_normalized, int is_extern)
{
    (void)dimensions, (void)is_extern;
    registry_add_texture(handle, host, device ? (const char *)device : name, reads_normalized);
}

/* Tells the driver's reference how to choose levels of a mipmapped array. */
static CUresult set_levels(const struct textureReference *texture, CUtexref reference)
{
    CUresult result = driver.cuTexRefSetMipmapFilterMode(reference, (CUfilter_mode)texture->mipmapFilterMode);
    if (!result)
        result = driver.cuTexRefSetMipmapLevelBias(reference, texture->mipmapLevelBias);
    if (!result)
        result =
            driver.cuTexRefSetMipmapLevelClamp(reference, texture->minMipmapLevelClamp, texture->maxMipmapLevelClamp);
    return result ? result : driver.cuTexRefSetMaxAnisotropy(reference, texture->maxAnisotropy);
}

/* Enters the runtime, finds the driver's reference and tells it how to read; *format and *channels describe a texel. */
static cudaError_t prepare(const struct textureReference *texture, const struct cudaChannelFormatDesc *texel,
                           CUtexref *reference, CUarray_format *format, unsigned *channels)
{
    ENTER_RUNTIME();
    if (!texture || !texel)
        return runtime_fail(cudaErrorInvalidValue);
    bool reads_normalized;
    cudaError_t error = registry_find_texture(texture, reference, &reads_normalized);
    if (!error)
        error = channel_find_format(texel, format, channels);
    if (error)
        return runtime_fail(error);
    unsigned flags = (reads_normalized ? 0 : CU_TRSF_READ_AS_INTEGER) |
                     (texture->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (texture->sRGB ? CU_TRSF_SRGB : 0);
    /* Nothing is bound while the settings change one by one, so that no mixture of old and new ones is judged. */
    CUresult result = driver.cuTexRefSetAddress(NULL, *reference, 0, 0);
    for (int i = 0; i < 3 && !result; i++)
        result = driver.cuTexRefSetAddressMode(*reference, i, (CUaddress_mode)texture->addressMode[i]);
    if (!result)
        result = driver.cuTexRefSetFilterMode(*reference, (CUfilter_mode)texture->filterMode);
    if (!result)
        result = driver.cuTexRefSetFlags(*reference, flags);
    if (!result)
        result = set_levels(texture, *reference);
    if (!result)
        result = driver.cuTexRefSetFormat(*reference, *format, (int)*channels);
    return runtime_end(result);
}

/* Programs may leave the length out, which is a very large number then: the texture ends where the memory ends. */
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *memory,
                            const struct cudaChannelFormatDesc *texel, size_t bytes)
{
    CUtexref reference;
    CUarray_format format;
    unsigned channels;
    cudaError_t error = prepare(texture, texel, &reference, &format, &channels);
    if (error)
        return error;
    CUdeviceptr address = address_of(memory), base;
    size_t allocated;
    CUresult result = driver.cuMemGetAddressRange(&base, &allocated, address);
    if (result)
        return runtime_fail(cudaErrorInvalidValue);
    size_t left = allocated - (size_t)(address - base), width = channel_element_bytes(format, channels);
    if (bytes > left)
        bytes = left;
    return runtime_end(driver.cuTexRefSetAddress(offset, reference, address, bytes / width * width));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *memory,
                              const struct cudaChannelFormatDesc *texel, size_t width, size_t height, size_t pitch)
{
    CUtexref reference;
    CUarray_format format;
    unsigned channels;
    cudaError_t error = prepare(texture, texel, &reference, &format, &channels);
    if (error)
        return error;
    if (offset)
        *offset = 0;
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = width, .Height = height, .Format = format, .NumChannels = channels};
    return runtime_end(driver.cuTexRefSetAddress2D(reference, &shape, address_of(memory), pitch));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *texel)
{
    CUtexref reference;
    CUarray_format format;
    unsigned channels;
    cudaError_t error = prepare(texture, texel, &reference, &format, &channels);
    return error ? error : runtime_end(driver.cuTexRefSetArray(reference, (CUarray)array, CU_TRSA_OVERRIDE_FORMAT));
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texture, cudaMipmappedArray_const_t array,
                                            const struct cudaChannelFormatDesc *texel)
{
    CUtexref reference;
    CUarray_format format;
    unsigned channels;
    cudaError_t error = prepare(texture, texel, &reference, &format, &channels);
    if (error)
        return error;
    return runtime_end(driver.cuTexRefSetMipmappedArray(reference, (CUmipmappedArray)array, CU_TRSA_OVERRIDE_FORMAT));
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture)
{
    ENTER_RUNTIME();
    CUtexref reference;
    bool reads_normalized;
    cudaError_t error = registry_find_texture(texture, &reference, &reads_normalized);
    return error ? runtime_fail(error) : runtime_end(driver.cuTexRefSetAddress(NULL, reference, 0, 0));
}

/* Memory is bound where it starts, whatever its alignment. */
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture)
{
    ENTER_RUNTIME();
    CUtexref reference;
    bool reads_normalized;
    cudaError_t error = registry_find_texture(texture, &reference, &reads_normalized);
    if (error || !offset)
        return runtime_fail(error ? error : cudaErrorInvalidValue);
    *offset = 0;
    return cudaSuccess;
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol)
{
    ENTER_RUNTIME();
    CUtexref reference;
    bool reads_normalized;
    if (!texture)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = registry_find_texture(symbol, &reference, &reads_normalized);
    if (!error)
        *texture = symbol;
    return runtime_fail(error);
}

#endif
