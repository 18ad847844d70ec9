/*
 * Surface objects: arrays that kernels read and write by surface instructions (exec/surface.c).
 */
#include "cuda/surface.h"

#include "cuda/array.h"

#include "base/arena.h"

struct surface_object {
    struct object object;
    CUDA_RESOURCE_DESC resource;
};

void surface_put(struct driver *d, uint64_t handle, const struct array *a)
{
    const CUDA_ARRAY3D_DESCRIPTOR *from = &a->descriptor;
    struct surface s = {.handle = handle,
                        .level = {.address = a->address,
                                  .row_bytes = a->row_bytes,
                                  .slice_bytes = a->row_bytes * a->rows,
                                  .width = (uint32_t)from->Width,
                                  .height = (uint32_t)from->Height,
                                  .depth = (uint32_t)from->Depth},
                        .is_layered = from->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP),
                        .channels = (uint8_t)from->NumChannels,
                        .texel_type = (uint8_t)format_type(from->Format)};
    d->surfaces = xrealloc(d->surfaces, sizeof s * (size_t)(d->surface_count + 1));
    d->surfaces[d->surface_count++] = s;
}

void surface_remove(struct driver *d, uint64_t handle)
{
    for (int i = 0; i < d->surface_count; i++)
        if (d->surfaces[i].handle == handle) {
            d->surfaces[i] = d->surfaces[--d->surface_count];
            return;
        }
}

void surface_finish(struct driver *d, struct object *object)
{
    surface_remove(d, object->handle);
}

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
    surface_put(e.driver, s->object.handle, a);
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
