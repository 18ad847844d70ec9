/*
 * Texture objects: linear memory, pitched 2D memory, and 1D and 2D arrays, with point filtering.
 *
 * Layers, cube maps, three dimensions, mipmaps, linear filtering, border colours and views are refused, with the reason
 * on stderr.
 */
#include "cuda/texture.h"
#include "cuda/array.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct texture_object {
    struct object object;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC description;
};

/* Fills in address, shape and format of what a texture object reads. */
static CUresult read_resource(struct driver *d, const char *call, const CUDA_RESOURCE_DESC *r, struct texture *t)
{
    CUarray_format format;
    unsigned channels;
    uint64_t width, height = 0, bytes;
    const struct array *a;
    switch ((int)r->resType) {
    case CU_RESOURCE_TYPE_LINEAR:
        format = r->res.linear.format;
        channels = r->res.linear.numChannels;
        t->address = r->res.linear.devPtr;
        bytes = r->res.linear.sizeInBytes;
        width = texel_bytes(format, channels) ? bytes / texel_bytes(format, channels) : 0;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        format = r->res.pitch2D.format;
        channels = r->res.pitch2D.numChannels;
        t->address = r->res.pitch2D.devPtr;
        t->pitch_bytes = r->res.pitch2D.pitchInBytes;
        width = r->res.pitch2D.width;
        height = r->res.pitch2D.height;
        if (!height || height > DEVICE_TEXTURE_2D_HEIGHT || width > DEVICE_TEXTURE_2D_WIDTH ||
            t->pitch_bytes % DEVICE_TEXTURE_PITCH_ALIGN || t->pitch_bytes > 1u << 30 ||
            t->pitch_bytes < width * texel_bytes(format, channels))
            return CUDA_ERROR_INVALID_VALUE;
        bytes = (height - 1) * t->pitch_bytes + width * texel_bytes(format, channels);
        break;
    case CU_RESOURCE_TYPE_ARRAY:
        a = array_find(d, r->res.array.hArray);
        if (!a)
            return CUDA_ERROR_INVALID_HANDLE;
        if (a->descriptor.Depth)
            return driver_refuse(d, call, "textures of three dimensions, layers and cube maps");
        format = a->descriptor.Format;
        channels = a->descriptor.NumChannels;
        t->address = a->address;
        t->pitch_bytes = a->row_bytes;
        width = a->descriptor.Width;
        height = a->descriptor.Height;
        bytes = a->row_bytes * (height ? height : 1);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return driver_refuse(d, call, "textures of mipmapped arrays");
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!texel_bytes(format, channels) || !width || width > DEVICE_LINEAR_TEXELS || t->address % format_bytes(format) ||
        !memory_host(d->memory, t->address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    t->channels = (uint8_t)channels;
    t->texel_type = (uint8_t)format_type(format);
    return CUDA_SUCCESS;
}

static CUresult read_sampling(struct driver *d, const char *call, const CUDA_TEXTURE_DESC *s, struct texture *t)
{
    for (int i = 0; i < 2; i++) {
        if ((unsigned)s->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t->address_mode[i] = (uint8_t)s->addressMode[i]; /* enum texture_address has the order of CUaddress_mode */
    }
    if (s->filterMode != CU_TR_FILTER_MODE_POINT)
        return driver_refuse(d, call, "textures with linear filtering");
    for (int i = 0; i < 4; i++)
        if (s->borderColor[i] != 0)
            return driver_refuse(d, call, "textures with a border colour other than zeros");
    if (s->flags & CU_TRSF_SRGB)
        return driver_refuse(d, call, "sRGB textures");
    const struct type_info *type = &type_table[t->texel_type];
    t->read_normalized = !(s->flags & CU_TRSF_READ_AS_INTEGER) && type->kind != KIND_FLOAT && type->bits < 32;
    t->normalized_coordinates = s->flags & CU_TRSF_NORMALIZED_COORDINATES;
    return CUDA_SUCCESS;
}

CUresult texture_describe(struct driver *d, const char *call, const CUDA_RESOURCE_DESC *resource,
                          const CUDA_TEXTURE_DESC *sampling, struct texture *texture)
{
    CUresult result = read_resource(d, call, resource, texture);
    return result ? result : read_sampling(d, call, sampling, texture);
}

void texture_put(struct driver *d, const struct texture *texture)
{
    d->textures = xrealloc(d->textures, sizeof *texture * (size_t)(d->texture_count + 1));
    d->textures[d->texture_count++] = *texture;
}

void texture_remove(struct driver *d, uint64_t handle)
{
    for (int i = 0; i < d->texture_count; i++)
        if (d->textures[i].handle == handle) {
            d->textures[i] = d->textures[--d->texture_count];
            return;
        }
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    ENTER(e, NEED_CONTEXT);
    if (!object || !resource || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    if (view)
        return driver_refuse(e.driver, "cuTexObjectCreate", "views of textures");
    struct driver *d = e.driver;
    struct texture t = {0};
    CUresult result = texture_describe(d, "cuTexObjectCreate", resource, texture, &t);
    if (result)
        return result;
    struct texture_object *o = xcalloc(1, sizeof *o);
    o->resource = *resource;
    o->description = *texture;
    t.handle = handle_of(o);
    object_add(d, &o->object, OBJECT_TEXTURE, t.handle, e.context);
    texture_put(d, &t);
    *object = t.handle;
    return CUDA_SUCCESS;
}

void texture_finish(struct driver *d, struct object *object)
{
    texture_remove(d, object->handle);
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    ENTER(e, NEED_CONTEXT);
    struct texture_object *o = object_find(e.driver, OBJECT_TEXTURE, object);
    if (!o)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(e.driver, &o->object);
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    ENTER(e, NEED_CONTEXT);
    const struct texture_object *o = object_find(e.driver, OBJECT_TEXTURE, object);
    if (!o || !resource)
        return CUDA_ERROR_INVALID_VALUE;
    *resource = o->resource;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    ENTER(e, NEED_CONTEXT);
    const struct texture_object *o = object_find(e.driver, OBJECT_TEXTURE, object);
    if (!o || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    *texture = o->description;
    return CUDA_SUCCESS;
}

/* Fails: no texture object of heddle has a view. */
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    ENTER(e, NEED_CONTEXT);
    (void)view, (void)object;
    return CUDA_ERROR_INVALID_VALUE;
}
