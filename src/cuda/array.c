/*
 * Arrays: 1D, 2D and 3D, layered, cube maps, and mipmapped arrays.
 *
 * An array is an ordinary allocation: rows without gaps, slices (layers, faces of a cube map, planes of a 3D array)
 * without gaps. A level of a mipmapped array is an array of its own. Sparse arrays, arrays whose memory is mapped
 * later, and formats of compressed, packed or video texels are refused by name. Which arrays kernels can read is
 * texture.c's matter.
 */
#include "cuda/array.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct mipmapped_array {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    unsigned level_count;
    struct array *level[]; /* owned */
};

enum { CUBE_FACES = 6 };

static const struct {
    CUarray_format format;
    enum type type;
} format_table[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, TYPE_U8},   {CU_AD_FORMAT_UNSIGNED_INT16, TYPE_U16},
    {CU_AD_FORMAT_UNSIGNED_INT32, TYPE_U32}, {CU_AD_FORMAT_SIGNED_INT8, TYPE_S8},
    {CU_AD_FORMAT_SIGNED_INT16, TYPE_S16},   {CU_AD_FORMAT_SIGNED_INT32, TYPE_S32},
    {CU_AD_FORMAT_HALF, TYPE_F16},           {CU_AD_FORMAT_FLOAT, TYPE_F32},
};

enum type format_type(CUarray_format format)
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

uint64_t texel_bytes(CUarray_format format, unsigned channels)
{
    return channels == 1 || channels == 2 || channels == 4 ? (uint64_t)format_bytes(format) * channels : 0;
}

struct array *array_find(struct driver *d, CUarray array)
{
    return object_find(d, OBJECT_ARRAY, handle_of(array));
}

static struct mipmapped_array *find_mipmapped(struct driver *d, CUmipmappedArray array)
{
    return object_find(d, OBJECT_MIPMAPPED_ARRAY, handle_of(array));
}

struct array *array_level(struct driver *d, CUmipmappedArray array, unsigned level)
{
    const struct mipmapped_array *m = find_mipmapped(d, array);
    return m && level < m->level_count ? m->level[level] : NULL;
}

void array_finish(struct driver *d, struct object *object)
{
    memory_free(d->memory, ((struct array *)object)->address);
}

void mipmapped_array_finish(struct driver *d, struct object *object)
{
    struct mipmapped_array *m = (struct mipmapped_array *)object;
    for (unsigned i = 0; i < m->level_count; i++)
        object_destroy(d, &m->level[i]->object);
}

/* Whether width, height and depth fit together, and are within the limits of their kind of array. */
static bool shape_is_valid(const CUDA_ARRAY3D_DESCRIPTOR *a)
{
    bool is_layered = a->Flags & CUDA_ARRAY3D_LAYERED, is_cube = a->Flags & CUDA_ARRAY3D_CUBEMAP;
    if (!a->Width)
        return false;
    if (a->Flags & CUDA_ARRAY3D_TEXTURE_GATHER)
        if (!a->Height || a->Depth || is_layered || is_cube || a->Width > SIDE_LAYERED || a->Height > SIDE_LAYERED)
            return false;
    if (is_cube)
        return a->Width == a->Height && a->Width <= SIDE_LAYERED && a->Depth && a->Depth % CUBE_FACES == 0 &&
               a->Depth <= (is_layered ? (unsigned)CUBE_LAYERS : (unsigned)CUBE_FACES);
    if (is_layered)
        return a->Width <= SIDE_LAYERED && a->Height <= SIDE_LAYERED && a->Depth && a->Depth <= LAYERS;
    if (a->Depth)
        return a->Height && a->Width <= SIDE_3D && a->Height <= SIDE_3D && a->Depth <= SIDE_3D;
    return a->Width <= DEVICE_TEXTURE_2D_WIDTH && a->Height <= DEVICE_TEXTURE_2D_HEIGHT;
}

static CUresult check(struct driver *d, const CUDA_ARRAY3D_DESCRIPTOR *a, const char *call)
{
    /* As on an H200, CUDA makes no depth textures: they come from graphics. */
    unsigned known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
                     CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT;
    unsigned refused = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
    if (a->Flags & ~(known | refused))
        return CUDA_ERROR_INVALID_VALUE;
    if (a->Flags & refused)
        return driver_refuse(d, call, "arrays that are sparse, mapped later, or for video");
    if (a->NumChannels != 1 && a->NumChannels != 2 && a->NumChannels != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (!format_bytes(a->Format)) {
        char why[80];
        snprintf(why, sizeof why, "arrays of format 0x%02x", (unsigned)a->Format);
        bool exists = a->Format >= CU_AD_FORMAT_UNORM_INT_101010_2 && a->Format <= CU_AD_FORMAT_SNORM_INT16X4;
        return exists ? driver_refuse(d, call, why) : CUDA_ERROR_INVALID_VALUE;
    }
    return shape_is_valid(a) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Makes an array whose descriptor is checked; NULL: there is not enough memory. */
static struct array *create(struct driver_entry *e, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    struct array a = {.descriptor = *descriptor,
                      .row_bytes = texel_bytes(descriptor->Format, descriptor->NumChannels) * descriptor->Width,
                      .rows = descriptor->Height ? descriptor->Height : 1,
                      .slices = descriptor->Depth ? descriptor->Depth : 1};
    /* The limits keep this product below 2^46. */
    a.address = memory_alloc(e->driver->memory, a.row_bytes * a.rows * a.slices, "an array");
    if (!a.address)
        return NULL;
    struct array *copy = memcpy(xmalloc(sizeof a), &a, sizeof a);
    object_add(e->driver, &copy->object, OBJECT_ARRAY, handle_of(copy), e->context);
    return copy;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    ENTER(e, NEED_CONTEXT);
    if (!array || !descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check(e.driver, descriptor, "cuArray3DCreate");
    if (result)
        return result;
    struct array *a = create(&e, descriptor);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
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
    const struct array *a = array_find(e.driver, array);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    *descriptor = a->descriptor;
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR full;
    CUresult result = cuArray3DGetDescriptor(&full, array);
    if (!result && !descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *descriptor = (CUDA_ARRAY_DESCRIPTOR){
            .Width = full.Width, .Height = full.Height, .Format = full.Format, .NumChannels = full.NumChannels};
    return result;
}

CUresult cuArrayDestroy(CUarray array)
{
    ENTER(e, NEED_CONTEXT);
    struct array *a = array_find(e.driver, array);
    if (!a || a->object.is_owned) /* a level goes with its mipmapped array */
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &a->object);
    return CUDA_SUCCESS;
}

/* Only arrays of several planes (video formats) have planes; heddle has none. */
CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned int index)
{
    ENTER(e, NEED_CONTEXT);
    (void)index;
    if (!plane)
        return CUDA_ERROR_INVALID_VALUE;
    return array_find(e.driver, array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

/* As on a real device, only a sparse array has such properties. */
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array)
{
    ENTER(e, NEED_CONTEXT);
    if (!properties)
        return CUDA_ERROR_INVALID_VALUE;
    return array_find(e.driver, array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

/* As on a real device, only an array whose memory is mapped later has requirements. */
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array, CUdevice device)
{
    ENTER(e, NEED_CONTEXT);
    if (!requirements)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return array_find(e.driver, array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

static size_t shrink(size_t side, unsigned level)
{
    return side >> level ? side >> level : side != 0;
}

/* The number of levels down to one element. */
static unsigned levels_of(const CUDA_ARRAY3D_DESCRIPTOR *a)
{
    size_t depth = a->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) ? 0 : a->Depth;
    size_t largest = a->Width > a->Height ? a->Width : a->Height;
    unsigned count = 0;
    for (largest = largest > depth ? largest : depth; largest; largest >>= 1)
        count++;
    return count;
}

/* As on a real device, a number of levels that is too large or 0 is brought into range. */
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned int level_count)
{
    ENTER(e, NEED_CONTEXT);
    if (!array || !descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check(e.driver, descriptor, "cuMipmappedArrayCreate");
    if (result)
        return result;
    unsigned most = levels_of(descriptor), count = level_count > most ? most : level_count ? level_count : 1;
    struct mipmapped_array *m = xcalloc(1, sizeof *m + count * sizeof m->level[0]);
    m->descriptor = *descriptor;
    object_add(e.driver, &m->object, OBJECT_MIPMAPPED_ARRAY, handle_of(m), e.context);
    bool has_layers = descriptor->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    for (; m->level_count < count; m->level_count++) {
        CUDA_ARRAY3D_DESCRIPTOR level = *descriptor;
        level.Width = shrink(level.Width, m->level_count);
        level.Height = shrink(level.Height, m->level_count);
        level.Depth = has_layers ? level.Depth : shrink(level.Depth, m->level_count);
        struct array *a = create(&e, &level);
        if (!a) {
            object_destroy(e.driver, &m->object);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        a->object.is_owned = true;
        m->level[m->level_count] = a;
    }
    *array = (CUmipmappedArray)m;
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *level_array, CUmipmappedArray array, unsigned int level)
{
    ENTER(e, NEED_CONTEXT);
    const struct mipmapped_array *m = find_mipmapped(e.driver, array);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!level_array || level >= m->level_count)
        return CUDA_ERROR_INVALID_VALUE;
    *level_array = (CUarray)m->level[level];
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
    ENTER(e, NEED_CONTEXT);
    struct mipmapped_array *m = find_mipmapped(e.driver, array);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &m->object);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray array)
{
    ENTER(e, NEED_CONTEXT);
    if (!properties)
        return CUDA_ERROR_INVALID_VALUE;
    return find_mipmapped(e.driver, array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray array,
                                               CUdevice device)
{
    ENTER(e, NEED_CONTEXT);
    if (!requirements)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return find_mipmapped(e.driver, array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}
