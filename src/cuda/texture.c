/*
 * Arrays and texture objects: linear memory, pitched 2D memory, and 1D and 2D arrays, with point filtering.
 *
 * An array is an ordinary allocation whose rows have no gaps. Layers, cube maps, three dimensions, mipmaps, linear
 * filtering, border colours and views are refused, with the reason on stderr.
 */
#include "cuda/driver.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct texture_object {
    struct object object;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC description;
};

static const struct {
    CUarray_format format;
    enum type type;
} format_table[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, TYPE_U8},   {CU_AD_FORMAT_UNSIGNED_INT16, TYPE_U16},
    {CU_AD_FORMAT_UNSIGNED_INT32, TYPE_U32}, {CU_AD_FORMAT_SIGNED_INT8, TYPE_S8},
    {CU_AD_FORMAT_SIGNED_INT16, TYPE_S16},   {CU_AD_FORMAT_SIGNED_INT32, TYPE_S32},
    {CU_AD_FORMAT_HALF, TYPE_F16},           {CU_AD_FORMAT_FLOAT, TYPE_F32},
};

static enum type format_type(CUarray_format format)
{
    for (size_t i = 0; i < sizeof format_table / sizeof format_table[0]; i++)
        if (format_table[i].format == format)
            return format_table[i].type;
    return TYPE_NONE;
}

unsigned format_bytes(CUarray_format format)
{
    return type_bytes(format_type(format));
}

static uint64_t texel_bytes(CUarray_format format, unsigned channels)
{
    return channels == 1 || channels == 2 || channels == 4 ? (uint64_t)format_bytes(format) * channels : 0;
}

static struct array *find_array(struct driver *d, CUarray array)
{
    return object_find(d, OBJECT_ARRAY, handle_of(array));
}

void array_finish(struct driver *d, struct object *object)
{
    memory_free(d->memory, ((struct array *)object)->address);
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    ENTER(e, NEED_CONTEXT);
    if (!array || !descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t texel = texel_bytes(descriptor->Format, descriptor->NumChannels);
    if (!texel || !descriptor->Width || descriptor->Width > DEVICE_TEXTURE_2D_WIDTH ||
        descriptor->Height > DEVICE_TEXTURE_2D_HEIGHT)
        return CUDA_ERROR_INVALID_VALUE;
    if (descriptor->Depth || descriptor->Flags) {
        driver_complain("arrays of three dimensions, layers, cube maps and surfaces are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    uint64_t row = texel * descriptor->Width;
    uint64_t address = memory_alloc(e.driver->memory, row * (descriptor->Height ? descriptor->Height : 1), "an array");
    if (!address)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct array *a = xcalloc(1, sizeof *a);
    a->descriptor = *descriptor;
    a->address = address;
    a->row_bytes = row;
    object_add(e.driver, &a->object, OBJECT_ARRAY, handle_of(a), e.context);
    *array = (CUarray)a;
    return CUDA_SUCCESS;
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
    if (!descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR full = {.Width = descriptor->Width,
                                    .Height = descriptor->Height,
                                    .Format = descriptor->Format,
                                    .NumChannels = descriptor->NumChannels};
    return cuArray3DCreate(array, &full);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
    ENTER(e, NEED_CONTEXT);
    if (!descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    const struct array *a = find_array(e.driver, array);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    *descriptor = a->descriptor;
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR full;
    CUresult result = descriptor ? cuArray3DGetDescriptor(&full, array) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *descriptor = (CUDA_ARRAY_DESCRIPTOR){
            .Width = full.Width, .Height = full.Height, .Format = full.Format, .NumChannels = full.NumChannels};
    return result;
}

CUresult cuArrayDestroy(CUarray array)
{
    ENTER(e, NEED_CONTEXT);
    struct array *a = find_array(e.driver, array);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &a->object);
    return CUDA_SUCCESS;
}

/* Fills in address, shape and format of what a texture object reads. */
static CUresult read_resource(struct driver *d, const CUDA_RESOURCE_DESC *r, struct texture *t)
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
        a = find_array(d, r->res.array.hArray);
        if (!a)
            return CUDA_ERROR_INVALID_HANDLE;
        format = a->descriptor.Format;
        channels = a->descriptor.NumChannels;
        t->address = a->address;
        t->pitch_bytes = a->row_bytes;
        width = a->descriptor.Width;
        height = a->descriptor.Height;
        bytes = a->row_bytes * (height ? height : 1);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return CUDA_ERROR_NOT_SUPPORTED;
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

static CUresult read_sampling(const CUDA_TEXTURE_DESC *s, struct texture *t)
{
    for (int i = 0; i < 2; i++) {
        if ((unsigned)s->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t->address_mode[i] = (uint8_t)s->addressMode[i]; /* enum texture_address has the order of CUaddress_mode */
    }
    if (s->filterMode != CU_TR_FILTER_MODE_POINT) {
        driver_complain("textures with linear filtering are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    for (int i = 0; i < 4; i++)
        if (s->borderColor[i] != 0) {
            driver_complain("textures with a border colour other than zeros are not supported");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
    if (s->flags & CU_TRSF_SRGB) {
        driver_complain("sRGB textures are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const struct type_info *type = &type_table[t->texel_type];
    t->read_normalized = !(s->flags & CU_TRSF_READ_AS_INTEGER) && type->kind != KIND_FLOAT && type->bits < 32;
    t->normalized_coordinates = s->flags & CU_TRSF_NORMALIZED_COORDINATES;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    ENTER(e, NEED_CONTEXT);
    if (!object || !resource || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    if (view) {
        driver_complain("views of textures are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    struct driver *d = e.driver;
    struct texture t = {0};
    CUresult result = read_resource(d, resource, &t);
    if (!result)
        result = read_sampling(texture, &t);
    if (result)
        return result;
    struct texture_object *o = xcalloc(1, sizeof *o);
    o->resource = *resource;
    o->description = *texture;
    t.handle = handle_of(o);
    object_add(d, &o->object, OBJECT_TEXTURE, t.handle, e.context);
    d->textures = xrealloc(d->textures, sizeof t * (size_t)(d->texture_count + 1));
    d->textures[d->texture_count++] = t;
    *object = t.handle;
    return CUDA_SUCCESS;
}

void texture_finish(struct driver *d, struct object *object)
{
    for (int i = 0; i < d->texture_count; i++)
        if (d->textures[i].handle == object->handle) {
            d->textures[i] = d->textures[--d->texture_count];
            return;
        }
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
