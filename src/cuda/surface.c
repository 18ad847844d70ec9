/*
 * Surface objects: arrays that kernels would read and write by surface instructions. They can be made and described;
 * the engine has no surface instructions, so a kernel that uses one cannot be launched.
 */
#include "cuda/array.h"

#include "base/arena.h"

struct surface_object {
    struct object object;
    CUDA_RESOURCE_DESC resource;
};

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    ENTER(e, NEED_CONTEXT);
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY || resource->flags)
        return CUDA_ERROR_INVALID_VALUE;
    const struct array *a = array_find(e.driver, resource->res.array.hArray);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!(a->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        return CUDA_ERROR_INVALID_VALUE;
    struct surface_object *s = xcalloc(1, sizeof *s);
    s->resource = *resource;
    object_add(e.driver, &s->object, OBJECT_SURFACE, handle_of(s), e.context);
    *object = s->object.handle;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    ENTER(e, NEED_CONTEXT);
    struct surface_object *s = object_find(e.driver, OBJECT_SURFACE, object);
    if (!s)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(e.driver, &s->object);
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    ENTER(e, NEED_CONTEXT);
    const struct surface_object *s = object_find(e.driver, OBJECT_SURFACE, object);
    if (!s || !resource)
        return CUDA_ERROR_INVALID_VALUE;
    *resource = s->resource;
    return CUDA_SUCCESS;
}
