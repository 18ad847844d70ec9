/*
 * Texture objects: linear memory, pitched 2D memory, arrays of every shape and mipmapped arrays, and views of them.
 *
 * Views of block-compressed formats are refused, with the reason on stderr. Anisotropic filtering can be asked for; how
 * far kernels see it is exec/texture.c's matter.
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
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view;
};

/* The format of what a texture object reads, and the end of its memory. */
struct texture_source {
    CUarray_format format;
    unsigned channels;
    uint64_t bytes; /* from the address of the first level */
};

static CUresult read_linear(const CUDA_RESOURCE_DESC *r, struct texture *t, struct texture_source *from)
{
    struct texture_level *l = &t->level[0];
    *from = (struct texture_source){r->res.linear.format, r->res.linear.numChannels, r->res.linear.sizeInBytes};
    uint64_t texel = texel_bytes(from->format, from->channels), width = texel ? from->bytes / texel : 0;
    if (!width || width > DEVICE_LINEAR_TEXELS)
        return CUDA_ERROR_INVALID_VALUE;
    t->is_linear = true;
    l->address = r->res.linear.devPtr;
    l->width = (uint32_t)width;
    return CUDA_SUCCESS;
}

static CUresult read_pitched(const CUDA_RESOURCE_DESC *r, struct texture *t, struct texture_source *from)
{
    struct texture_level *l = &t->level[0];
    uint64_t width = r->res.pitch2D.width, height = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
    *from = (struct texture_source){.format = r->res.pitch2D.format, .channels = r->res.pitch2D.numChannels};
    uint64_t texel = texel_bytes(from->format, from->channels);
    if (!width || !height || height > DEVICE_TEXTURE_2D_HEIGHT || width > DEVICE_TEXTURE_2D_WIDTH ||
        pitch % DEVICE_TEXTURE_PITCH_ALIGN || pitch > 1u << 30 || pitch < width * texel)
        return CUDA_ERROR_INVALID_VALUE;
    l->address = r->res.pitch2D.devPtr;
    l->width = (uint32_t)width;
    l->height = (uint32_t)height;
    l->row_bytes = pitch;
    from->bytes = (height - 1) * pitch + width * texel;
    return CUDA_SUCCESS;
}

static struct texture_level level_of(const struct array *a)
{
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->descriptor;
    return (struct texture_level){.address = a->address,
                                  .row_bytes = a->row_bytes,
                                  .slice_bytes = a->row_bytes * a->rows,
                                  .width = (uint32_t)d->Width,
                                  .height = (uint32_t)d->Height,
                                  .depth = (uint32_t)d->Depth};
}

static void read_array(const struct array *a, struct texture *t, struct texture_source *from)
{
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->descriptor;
    *from = (struct texture_source){d->Format, d->NumChannels, a->row_bytes * a->rows * a->slices};
    t->is_cube = d->Flags & CUDA_ARRAY3D_CUBEMAP;
    if (d->Flags & CUDA_ARRAY3D_LAYERED)
        t->layers = (uint32_t)(t->is_cube ? d->Depth / TEXTURE_FACES : d->Depth);
    t->level[0] = level_of(a);
}

/* Fills in address, shape and format of what a texture object reads. */
static CUresult read_resource(struct driver *d, const CUDA_RESOURCE_DESC *r, struct texture *t,
                              struct texture_source *from)
{
    const struct array *a;
    CUresult result = CUDA_SUCCESS;
    t->level_count = 1;
    switch ((int)r->resType) {
    case CU_RESOURCE_TYPE_LINEAR:
        result = read_linear(r, t, from);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        result = read_pitched(r, t, from);
        break;
    case CU_RESOURCE_TYPE_ARRAY:
        a = array_find(d, r->res.array.hArray);
        if (!a)
            return CUDA_ERROR_INVALID_HANDLE;
        read_array(a, t, from);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        a = array_level(d, r->res.mipmap.hMipmappedArray, 0);
        if (!a)
            return CUDA_ERROR_INVALID_HANDLE;
        read_array(a, t, from);
        for (; t->level_count < TEXTURE_MAX_LEVELS; t->level_count++) {
            a = array_level(d, r->res.mipmap.hMipmappedArray, t->level_count);
            if (!a)
                break;
            t->level[t->level_count] = level_of(a);
        }
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (result)
        return result;
    if (!texel_bytes(from->format, from->channels) || t->level[0].address % format_bytes(from->format) ||
        !memory_host(d->memory, t->level[0].address, from->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Formats of views: for each type of channel one, two and four channels, in the order of CUresourceViewFormat. */
static const CUarray_format view_formats[] = {
    CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

/* Narrows a texture to the levels and layers of a view, in the view's format. */
static CUresult apply_view(struct driver *d, const char *call, const CUDA_RESOURCE_VIEW_DESC *view, struct texture *t,
                           struct texture_source *from)
{
    unsigned format = (unsigned)view->format, index = format - CU_RES_VIEW_FORMAT_UINT_1X8;
    if (format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
        return driver_refuse(d, call, "views of compressed formats");
    if (format != CU_RES_VIEW_FORMAT_NONE) {
        uint64_t texel = texel_bytes(from->format, from->channels);
        from->format = view_formats[index / 3];
        from->channels = 1u << index % 3;
        if (texel_bytes(from->format, from->channels) != texel)
            return CUDA_ERROR_INVALID_VALUE;
    }
    unsigned levels = view->lastMipmapLevel - view->firstMipmapLevel + 1;
    if (view->firstMipmapLevel > view->lastMipmapLevel || view->lastMipmapLevel >= t->level_count)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < levels; i++)
        t->level[i] = t->level[i + view->firstMipmapLevel];
    t->level_count = (uint8_t)levels;
    if (!t->layers)
        return CUDA_SUCCESS;
    if (view->firstLayer > view->lastLayer || view->lastLayer >= t->layers)
        return CUDA_ERROR_INVALID_VALUE;
    t->layers = view->lastLayer - view->firstLayer + 1;
    for (unsigned i = 0; i < levels; i++)
        t->level[i].address += t->level[i].slice_bytes * view->firstLayer * (t->is_cube ? TEXTURE_FACES : 1);
    return CUDA_SUCCESS;
}

static CUresult read_sampling(const CUDA_TEXTURE_DESC *s, struct texture *t)
{
    for (int i = 0; i < 3; i++) {
        if ((unsigned)s->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t->address_mode[i] = (uint8_t)s->addressMode[i]; /* enum texture_address has the order of CUaddress_mode */
    }
    if ((unsigned)s->filterMode > CU_TR_FILTER_MODE_LINEAR || (unsigned)s->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    const struct type_info *type = &type_table[t->texel_type];
    for (int i = 0; i < 4; i++)
        t->border[i] = s->borderColor[i];
    t->read_normalized = !(s->flags & CU_TRSF_READ_AS_INTEGER) && type->kind != KIND_FLOAT && type->bits < 32;
    t->filters = s->filterMode == CU_TR_FILTER_MODE_LINEAR && (type->kind == KIND_FLOAT || t->read_normalized);
    t->is_srgb = s->flags & CU_TRSF_SRGB && t->texel_type == TYPE_U8 && t->read_normalized;
    t->is_seamless = s->flags & CU_TRSF_SEAMLESS_CUBEMAP;
    t->normalized_coordinates = s->flags & CU_TRSF_NORMALIZED_COORDINATES;
    t->filters_levels = s->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    t->max_anisotropy = (uint8_t)(s->maxAnisotropy < 16 ? s->maxAnisotropy : 16);
    t->level_bias = s->mipmapLevelBias;
    t->least_level = s->minMipmapLevelClamp;
    t->most_level = s->maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult texture_describe(struct driver *d, const char *call, const CUDA_RESOURCE_DESC *resource,
                          const CUDA_TEXTURE_DESC *sampling, const CUDA_RESOURCE_VIEW_DESC *view,
                          struct texture *texture)
{
    struct texture_source from = {0};
    CUresult result = read_resource(d, resource, texture, &from);
    if (!result && view)
        result = apply_view(d, call, view, texture, &from);
    if (result)
        return result;
    texture->channels = (uint8_t)from.channels;
    texture->texel_type = (uint8_t)format_type(from.format);
    return read_sampling(sampling, texture);
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
    struct driver *d = e.driver;
    struct texture t = {0};
    CUresult result = texture_describe(d, "cuTexObjectCreate", resource, texture, view, &t);
    if (result)
        return result;
    struct texture_object *o = xcalloc(1, sizeof *o);
    o->resource = *resource;
    o->description = *texture;
    o->has_view = view;
    if (view)
        o->view = *view;
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

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    ENTER(e, NEED_CONTEXT);
    const struct texture_object *o = object_find(e.driver, OBJECT_TEXTURE, object);
    if (!o || !view || !o->has_view)
        return CUDA_ERROR_INVALID_VALUE;
    *view = o->view;
    return CUDA_SUCCESS;
}
