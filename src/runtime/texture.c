/*
 * Texture objects: the runtime's descriptions in the driver's words, and back.
 *
 * Which resources and which sampling work is the driver's to say. The calls whose structures grew from one version of
 * CUDA to the next are in versioned/texture.c.
 */
#include "runtime/texture.h"

#include "runtime/channel.h"
#include "runtime/runtime.h"

#include <string.h>

cudaError_t texture_translate_resource(const struct cudaResourceDesc *resource, CUDA_RESOURCE_DESC *translated)
{
    *translated = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)resource->resType};
    switch ((int)resource->resType) {
    case cudaResourceTypeArray:
        translated->res.array.hArray = (CUarray)resource->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        translated->res.mipmap.hMipmappedArray = (CUmipmappedArray)resource->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        translated->res.linear.devPtr = address_of(resource->res.linear.devPtr);
        translated->res.linear.sizeInBytes = resource->res.linear.sizeInBytes;
        return channel_find_format(&resource->res.linear.desc, &translated->res.linear.format,
                                   &translated->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        translated->res.pitch2D.devPtr = address_of(resource->res.pitch2D.devPtr);
        translated->res.pitch2D.width = resource->res.pitch2D.width;
        translated->res.pitch2D.height = resource->res.pitch2D.height;
        translated->res.pitch2D.pitchInBytes = resource->res.pitch2D.pitchInBytes;
        return channel_find_format(&resource->res.pitch2D.desc, &translated->res.pitch2D.format,
                                   &translated->res.pitch2D.numChannels);
    default:
        return cudaErrorInvalidValue;
    }
}

void texture_describe_resource(const CUDA_RESOURCE_DESC *translated, struct cudaResourceDesc *resource)
{
    resource->resType = (enum cudaResourceType)translated->resType;
    switch ((int)translated->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        resource->res.array.array = (cudaArray_t)translated->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        resource->res.mipmap.mipmap = (cudaMipmappedArray_t)translated->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        resource->res.linear.devPtr = (void *)(uintptr_t)translated->res.linear.devPtr;
        resource->res.linear.desc = channel_describe(translated->res.linear.format, translated->res.linear.numChannels);
        resource->res.linear.sizeInBytes = translated->res.linear.sizeInBytes;
        break;
    default:
        resource->res.pitch2D.devPtr = (void *)(uintptr_t)translated->res.pitch2D.devPtr;
        resource->res.pitch2D.desc =
            channel_describe(translated->res.pitch2D.format, translated->res.pitch2D.numChannels);
        resource->res.pitch2D.width = translated->res.pitch2D.width;
        resource->res.pitch2D.height = translated->res.pitch2D.height;
        resource->res.pitch2D.pitchInBytes = translated->res.pitch2D.pitchInBytes;
    }
}

/* Flags of the driver, each for a member of the runtime's description. */
enum { TRILINEAR_OFF = 0x20, SEAMLESS_CUBE = 0x40 };

static unsigned sampling_flags(const struct cudaTextureDesc *s, bool has_seamless)
{
    unsigned flags = 0;
    if (s->readMode == cudaReadModeElementType)
        flags |= CU_TRSF_READ_AS_INTEGER;
    if (s->normalizedCoords)
        flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (s->sRGB)
        flags |= CU_TRSF_SRGB;
    if (s->disableTrilinearOptimization)
        flags |= TRILINEAR_OFF;
    if (has_seamless && s->seamlessCubemap)
        flags |= SEAMLESS_CUBE;
    return flags;
}

static CUDA_TEXTURE_DESC translate_sampling(const struct cudaTextureDesc *s, bool has_seamless)
{
    CUDA_TEXTURE_DESC translated = {
        .filterMode = (CUfilter_mode)s->filterMode,
        .flags = sampling_flags(s, has_seamless),
        .maxAnisotropy = s->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)s->mipmapFilterMode,
        .mipmapLevelBias = s->mipmapLevelBias,
        .minMipmapLevelClamp = s->minMipmapLevelClamp,
        .maxMipmapLevelClamp = s->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        translated.addressMode[i] = (CUaddress_mode)s->addressMode[i];
    memcpy(translated.borderColor, s->borderColor, sizeof s->borderColor);
    return translated;
}

/* The runtime's view and the driver's have the same members, and the numbers of formats are equal. */
static CUDA_RESOURCE_VIEW_DESC translate_view(const struct cudaResourceViewDesc *view)
{
    return (CUDA_RESOURCE_VIEW_DESC){
        .format = (CUresourceViewFormat)view->format,
        .width = view->width,
        .height = view->height,
        .depth = view->depth,
        .firstMipmapLevel = view->firstMipmapLevel,
        .lastMipmapLevel = view->lastMipmapLevel,
        .firstLayer = view->firstLayer,
        .lastLayer = view->lastLayer,
    };
}

cudaError_t texture_create(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                           const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view,
                           bool has_seamless)
{
    ENTER_RUNTIME();
    CUDA_RESOURCE_DESC driver_resource;
    CUDA_RESOURCE_VIEW_DESC driver_view;
    if (!object || !resource || !sampling)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = texture_translate_resource(resource, &driver_resource);
    if (error)
        return runtime_fail(error);
    if (view)
        driver_view = translate_view(view);
    CUDA_TEXTURE_DESC driver_sampling = translate_sampling(sampling, has_seamless);
    return runtime_end(
        driver.cuTexObjectCreate(object, &driver_resource, &driver_sampling, view ? &driver_view : NULL));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuTexObjectDestroy(object));
}

cudaError_t texture_get_sampling(struct cudaTextureDesc *sampling, cudaTextureObject_t object, bool has_seamless)
{
    ENTER_RUNTIME();
    CUDA_TEXTURE_DESC translated;
    if (!sampling)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = runtime_end(driver.cuTexObjectGetTextureDesc(&translated, object));
    if (error)
        return error;
    for (int i = 0; i < 3; i++)
        sampling->addressMode[i] = (enum cudaTextureAddressMode)translated.addressMode[i];
    sampling->filterMode = (enum cudaTextureFilterMode)translated.filterMode;
    sampling->readMode =
        translated.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    sampling->sRGB = !!(translated.flags & CU_TRSF_SRGB);
    memcpy(sampling->borderColor, translated.borderColor, sizeof sampling->borderColor);
    sampling->normalizedCoords = !!(translated.flags & CU_TRSF_NORMALIZED_COORDINATES);
    sampling->maxAnisotropy = translated.maxAnisotropy;
    sampling->mipmapFilterMode = (enum cudaTextureFilterMode)translated.mipmapFilterMode;
    sampling->mipmapLevelBias = translated.mipmapLevelBias;
    sampling->minMipmapLevelClamp = translated.minMipmapLevelClamp;
    sampling->maxMipmapLevelClamp = translated.maxMipmapLevelClamp;
    sampling->disableTrilinearOptimization = !!(translated.flags & TRILINEAR_OFF);
    if (has_seamless)
        sampling->seamlessCubemap = !!(translated.flags & SEAMLESS_CUBE);
    return cudaSuccess;
}

/* Members that CUDA 11 does not know stay as they are. */
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view, cudaTextureObject_t object)
{
    ENTER_RUNTIME();
    CUDA_RESOURCE_VIEW_DESC translated;
    if (!view)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = runtime_end(driver.cuTexObjectGetResourceViewDesc(&translated, object));
    if (error)
        return error;
    view->format = (enum cudaResourceViewFormat)translated.format;
    view->width = translated.width;
    view->height = translated.height;
    view->depth = translated.depth;
    view->firstMipmapLevel = translated.firstMipmapLevel;
    view->lastMipmapLevel = translated.lastMipmapLevel;
    view->firstLayer = translated.firstLayer;
    view->lastLayer = translated.lastLayer;
    return cudaSuccess;
}
