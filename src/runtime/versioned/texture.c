/*
 * Calls on texture and surface objects whose structures grew.
 *
 * CUDA 12 added a last member to the description of sampling, CUDA 13 flags to that of a resource. CUDA 11.8 has the
 * longer description of sampling in calls of their own, whose names end in _v2.
 */
#include "runtime/texture.h"
#include "runtime/runtime.h"

enum { HAS_SEAMLESS = RUNTIME_MAJOR >= 12 };

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view)
{
    return texture_create(object, resource, sampling, view, HAS_SEAMLESS);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *sampling, cudaTextureObject_t object)
{
    return texture_get_sampling(sampling, object, HAS_SEAMLESS);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
    ENTER_RUNTIME();
    CUDA_RESOURCE_DESC translated;
    if (!resource)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = runtime_end(driver.cuTexObjectGetResourceDesc(&translated, object));
    if (error)
        return error;
    texture_describe_resource(&translated, resource);
    if (RUNTIME_MAJOR >= 13)
        resource->flags = translated.flags;
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
    ENTER_RUNTIME();
    CUDA_RESOURCE_DESC translated;
    if (!resource)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = runtime_end(driver.cuSurfObjectGetResourceDesc(&translated, object));
    if (error)
        return error;
    texture_describe_resource(&translated, resource);
    if (RUNTIME_MAJOR >= 13)
        resource->flags = translated.flags;
    return cudaSuccess;
}

#if RUNTIME_MAJOR == 11
#pragma GCC visibility push(default)
cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                       const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view);
cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *sampling, cudaTextureObject_t object);
#pragma GCC visibility pop

cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                       const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view)
{
    return texture_create(object, resource, sampling, view, true);
}

cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *sampling, cudaTextureObject_t object)
{
    return texture_get_sampling(sampling, object, true);
}
#endif
