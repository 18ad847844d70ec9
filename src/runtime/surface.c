/* Surface objects. The call that describes one is in versioned/texture.c. */
#include "runtime/runtime.h"
#include "runtime/texture.h"

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    ENTER_RUNTIME();
    CUDA_RESOURCE_DESC translated;
    if (!object || !resource)
        return runtime_fail(cudaErrorInvalidValue);
    if (resource->resType != cudaResourceTypeArray)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = texture_translate_resource(resource, &translated);
    return error ? runtime_fail(error) : runtime_end(driver.cuSurfObjectCreate(object, &translated));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuSurfObjectDestroy(object));
}
