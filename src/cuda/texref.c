/*
 * Texture and surface references: variables of a module (.texref, .surfref) to which the program binds memory, as
 * programs of CUDA 11 and earlier do.
 *
 * A kernel names a texture reference by the address of its variable. So a bound reference is a texture
 * (device/launch.h) whose handle is that address, and what texture objects cannot do (texture.c) references cannot do
 * either. In the same way a bound surface reference is a surface.
 */
#include "cuda/array.h"
#include "cuda/surface.h"
#include "cuda/texture.h"

#include "base/arena.h"

struct texture_reference {
    struct object object;
    uint64_t variable; /* address of the variable; 0: the program made the reference, and no kernel knows it */
    bool is_bound;
    CUarray_format format;
    unsigned channels;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
};

struct surface_reference {
    struct object object;
    uint64_t variable;
    CUarray array; /* NULL: not bound */
};

static struct texture_reference *find(struct driver *d, CUtexref reference)
{
    return object_find(d, OBJECT_TEXTURE_REFERENCE, handle_of(reference));
}

static struct texture_reference *create(struct driver_entry *e, uint64_t variable)
{
    struct texture_reference *t = xcalloc(1, sizeof *t);
    t->variable = variable;
    t->format = CU_AD_FORMAT_FLOAT;
    t->channels = 1;
    for (int i = 0; i < 3; i++)
        t->sampling.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    object_add(e->driver, &t->object, OBJECT_TEXTURE_REFERENCE, handle_of(t), e->context);
    return t;
}

void texture_reference_finish(struct driver *d, struct object *object)
{
    texture_remove(d, ((struct texture_reference *)object)->variable);
}

void surface_reference_finish(struct driver *d, struct object *object)
{
    surface_remove(d, ((struct surface_reference *)object)->variable);
}

/* Gives kernels what the reference says now. If that is something textures cannot do, kernels see nothing. */
static CUresult refresh(struct driver *d, struct texture_reference *t)
{
    texture_remove(d, t->variable);
    if (!t->is_bound)
        return CUDA_SUCCESS;
    struct texture texture = {0};
    CUresult result = texture_describe(d, "binding a texture reference", &t->resource, &t->sampling, NULL, &texture);
    if (result || !t->variable)
        return result;
    texture.handle = t->variable;
    texture_put(d, &texture);
    return CUDA_SUCCESS;
}

/* The address of a module's variable of a type; 0: it has none of that name. */
static uint64_t find_variable(struct module *m, const char *name, enum type type)
{
    const struct ptx_variable *v = ptx_find_variable(m->ptx, name);
    return v && v->type == type ? image_address(m->image, v) : 0;
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name)
{
    ENTER(e, NEED_CONTEXT);
    if (!reference || !name)
        return CUDA_ERROR_INVALID_VALUE;
    struct module *m = object_find(e.driver, OBJECT_MODULE, handle_of(module));
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    uint64_t variable = find_variable(m, name, TYPE_TEXREF);
    if (!variable)
        return CUDA_ERROR_NOT_FOUND;
    for (struct object *o = e.driver->objects; o; o = o->hh.next)
        if (o->kind == OBJECT_TEXTURE_REFERENCE && ((struct texture_reference *)o)->variable == variable) {
            *reference = (CUtexref)o;
            return CUDA_SUCCESS;
        }
    *reference = (CUtexref)create(&e, variable);
    return CUDA_SUCCESS;
}

CUresult cuTexRefCreate(CUtexref *reference)
{
    ENTER(e, NEED_CONTEXT);
    if (!reference)
        return CUDA_ERROR_INVALID_VALUE;
    *reference = (CUtexref)create(&e, 0);
    return CUDA_SUCCESS;
}

CUresult cuTexRefDestroy(CUtexref reference)
{
    ENTER(e, NEED_CONTEXT);
    struct texture_reference *t = find(e.driver, reference);
    if (!t || t->variable)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(e.driver, &t->object);
    return CUDA_SUCCESS;
}

/* Enters the driver and finds the reference `t` of an API function, or returns an error. */
#define FIND(e, t)                                           \
    ENTER(e, NEED_CONTEXT);                                  \
    struct texture_reference *t = find(e.driver, reference); \
    if (!t)                                                  \
    return CUDA_ERROR_INVALID_VALUE

CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags)
{
    FIND(e, t);
    const struct array *a = array_find(e.driver, array);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags != CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    t->format = a->descriptor.Format;
    t->channels = a->descriptor.NumChannels;
    t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY};
    t->resource.res.array.hArray = array;
    t->is_bound = true;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetMipmappedArray(CUtexref reference, CUmipmappedArray array, unsigned int flags)
{
    FIND(e, t);
    const struct array *a = array_level(e.driver, array, 0);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags != CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    t->format = a->descriptor.Format;
    t->channels = a->descriptor.NumChannels;
    t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    t->resource.res.mipmap.hMipmappedArray = array;
    t->is_bound = true;
    return refresh(e.driver, t);
}

/* The byte offset, by which a device makes up for a start that is not aligned, is always 0 here. */
CUresult cuTexRefSetAddress(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes)
{
    FIND(e, t);
    if (offset)
        *offset = 0;
    t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR};
    t->resource.res.linear.devPtr = address;
    t->resource.res.linear.format = t->format;
    t->resource.res.linear.numChannels = t->channels;
    t->resource.res.linear.sizeInBytes = bytes;
    t->is_bound = address && bytes; /* an address of 0 unbinds */
    return refresh(e.driver, t);
}

CUresult cuTexRefSetAddress2D(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
                              size_t pitch)
{
    FIND(e, t);
    if (!descriptor)
        return CUDA_ERROR_INVALID_VALUE;
    t->format = descriptor->Format;
    t->channels = descriptor->NumChannels;
    t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D};
    t->resource.res.pitch2D.devPtr = address;
    t->resource.res.pitch2D.format = t->format;
    t->resource.res.pitch2D.numChannels = t->channels;
    t->resource.res.pitch2D.width = descriptor->Width;
    t->resource.res.pitch2D.height = descriptor->Height;
    t->resource.res.pitch2D.pitchInBytes = pitch;
    t->is_bound = address != 0;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels)
{
    FIND(e, t);
    if (channels <= 0 || !texel_bytes(format, (unsigned)channels))
        return CUDA_ERROR_INVALID_VALUE;
    t->format = format;
    t->channels = (unsigned)channels;
    if (t->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
        t->resource.res.linear.format = format;
        t->resource.res.linear.numChannels = t->channels;
    }
    return refresh(e.driver, t);
}

CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode)
{
    FIND(e, t);
    if (dimension < 0 || dimension > 2 || (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER)
        return CUDA_ERROR_INVALID_VALUE;
    t->sampling.addressMode[dimension] = mode;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode)
{
    FIND(e, t);
    if ((unsigned)mode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    t->sampling.filterMode = mode;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetFlags(CUtexref reference, unsigned int flags)
{
    FIND(e, t);
    t->sampling.flags = flags;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetBorderColor(CUtexref reference, float *color)
{
    FIND(e, t);
    if (!color)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < 4; i++)
        t->sampling.borderColor[i] = color[i];
    return refresh(e.driver, t);
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref reference, CUfilter_mode mode)
{
    FIND(e, t);
    if ((unsigned)mode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    t->sampling.mipmapFilterMode = mode;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref reference, float bias)
{
    FIND(e, t);
    t->sampling.mipmapLevelBias = bias;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref reference, float least, float most)
{
    FIND(e, t);
    t->sampling.minMipmapLevelClamp = least;
    t->sampling.maxMipmapLevelClamp = most;
    return refresh(e.driver, t);
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned int most)
{
    FIND(e, t);
    t->sampling.maxAnisotropy = most;
    return refresh(e.driver, t);
}

CUresult cuTexRefGetAddress(CUdeviceptr *address, CUtexref reference)
{
    FIND(e, t);
    if (!address || !t->is_bound || t->resource.resType == CU_RESOURCE_TYPE_ARRAY ||
        t->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *address =
        t->resource.resType == CU_RESOURCE_TYPE_LINEAR ? t->resource.res.linear.devPtr : t->resource.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref reference)
{
    FIND(e, t);
    if (!array || !t->is_bound || t->resource.resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *array = t->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref reference)
{
    FIND(e, t);
    if (!array || !t->is_bound || t->resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *array = t->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dimension)
{
    FIND(e, t);
    if (!mode || dimension < 0 || dimension > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = t->sampling.addressMode[dimension];
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference)
{
    FIND(e, t);
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = t->sampling.filterMode;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref reference)
{
    FIND(e, t);
    if (!format || !channels)
        return CUDA_ERROR_INVALID_VALUE;
    *format = t->format;
    *channels = (int)t->channels;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref reference)
{
    FIND(e, t);
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = t->sampling.flags;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetBorderColor(float *color, CUtexref reference)
{
    FIND(e, t);
    if (!color)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < 4; i++)
        color[i] = t->sampling.borderColor[i];
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref reference)
{
    FIND(e, t);
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = t->sampling.mipmapFilterMode;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref reference)
{
    FIND(e, t);
    if (!bias)
        return CUDA_ERROR_INVALID_VALUE;
    *bias = t->sampling.mipmapLevelBias;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref reference)
{
    FIND(e, t);
    if (!least || !most)
        return CUDA_ERROR_INVALID_VALUE;
    *least = t->sampling.minMipmapLevelClamp;
    *most = t->sampling.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref reference)
{
    FIND(e, t);
    if (!most)
        return CUDA_ERROR_INVALID_VALUE;
    *most = (int)t->sampling.maxAnisotropy;
    return CUDA_SUCCESS;
}

/* A reference is bound for all kernels of its module, so there is nothing to do for one of them. */
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference)
{
    FIND(e, t);
    if (!object_find(e.driver, OBJECT_FUNCTION, handle_of(function)))
        return CUDA_ERROR_INVALID_HANDLE;
    return unit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name)
{
    ENTER(e, NEED_CONTEXT);
    if (!reference || !name)
        return CUDA_ERROR_INVALID_VALUE;
    struct module *m = object_find(e.driver, OBJECT_MODULE, handle_of(module));
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    uint64_t variable = find_variable(m, name, TYPE_SURFREF);
    if (!variable)
        return CUDA_ERROR_NOT_FOUND;
    for (struct object *o = e.driver->objects; o; o = o->hh.next)
        if (o->kind == OBJECT_SURFACE_REFERENCE && ((struct surface_reference *)o)->variable == variable) {
            *reference = (CUsurfref)o;
            return CUDA_SUCCESS;
        }
    struct surface_reference *s = xcalloc(1, sizeof *s);
    s->variable = variable;
    object_add(e.driver, &s->object, OBJECT_SURFACE_REFERENCE, handle_of(s), e.context);
    *reference = (CUsurfref)s;
    return CUDA_SUCCESS;
}

CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct surface_reference *s = object_find(e.driver, OBJECT_SURFACE_REFERENCE, handle_of(reference));
    const struct array *a = array_find(e.driver, array);
    if (!s || !a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags || !(a->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        return CUDA_ERROR_INVALID_VALUE;
    s->array = array;
    surface_remove(e.driver, s->variable);
    surface_put(e.driver, s->variable, a);
    return CUDA_SUCCESS;
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref reference)
{
    ENTER(e, NEED_CONTEXT);
    const struct surface_reference *s = object_find(e.driver, OBJECT_SURFACE_REFERENCE, handle_of(reference));
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!array || !s->array)
        return CUDA_ERROR_INVALID_VALUE;
    *array = s->array;
    return CUDA_SUCCESS;
}
