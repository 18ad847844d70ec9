/* The device: a case run through the CUDA driver API, on a GPU or on heddle's own libcuda.so.1. */
#include "device.h"

#include "base/arena.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool succeeded(CUresult result, const char *call, char *message)
{
    if (result == CUDA_SUCCESS)
        return true;
    const char *name = NULL;
    if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        name = "unknown error";
    snprintf(message, DEVICE_MESSAGE_BYTES, "%.*s: %s (%d)", (int)strcspn(call, "("), call, name, (int)result);
    return false;
}

#define TRY(call) succeeded((call), #call, message)

/* Recursion hides from the compiler how deep the stack gets, and the driver's default is 1 KiB. */
enum { STACK_BYTES = 8192 };

bool device_open(char message[DEVICE_MESSAGE_BYTES])
{
    CUdevice device;
    CUcontext context;
    return TRY(cuInit(0)) && TRY(cuDeviceGet(&device, 0)) && TRY(cuDevicePrimaryCtxRetain(&context, device)) &&
           TRY(cuCtxSetCurrent(context)) && TRY(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, STACK_BYTES));
}

bool device_print(void)
{
    char message[DEVICE_MESSAGE_BYTES], name[256] = "";
    int version = 0, major = 0, minor = 0;
    CUdevice device;
    if (!TRY(cuInit(0)) || !TRY(cuDeviceGet(&device, 0)) || !TRY(cuDeviceGetName(name, sizeof name, device)) ||
        !TRY(cuDriverGetVersion(&version)) ||
        !TRY(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)) ||
        !TRY(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))) {
        fprintf(stderr, "%s\n", message);
        return false;
    }
    printf("%s, compute capability %d.%d, CUDA %d.%d\n", name, major, minor, version / 1000, version % 1000 / 10);
    return true;
}

/* What one run holds on the device. */
struct launch {
    CUmodule module;
    CUdeviceptr buffer[CASE_MAX_ARGS];
    struct bound_texture {
        unsigned long long handle; /* of a texture or surface */
        bool is_texture, is_surface;
        CUarray array;
        CUmipmappedArray mipmap;
    } texture[CASE_MAX_TEXTURES];
    void *param[CASE_MAX_ARGS];
};

static bool load_module(struct launch *l, const struct test_case *c, int optimisation, char *message)
{
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, (void *)(uintptr_t)optimisation};
    const CUresult result = cuModuleLoadDataEx(&l->module, c->ptx, optimisation < 0 ? 2 : 3, options, values);
    log[sizeof log - 1] = 0;
    if (succeeded(result, "cuModuleLoadDataEx", message))
        return true;
    l->module = NULL;
    const size_t used = strlen(message);
    for (char *p = log; *p; p++)
        if (*p == '\n')
            *p = ' ';
    snprintf(message + used, DEVICE_MESSAGE_BYTES - used, " %s", log);
    return false;
}

static bool make_buffers(struct launch *l, const struct test_case *c, char *message)
{
    for (int i = 0; i < c->arg_count; i++) {
        const struct case_arg *arg = &c->arg[i];
        l->param[i] = arg->is_buffer ? (void *)&l->buffer[i] : arg->data;
        if (!arg->is_buffer)
            continue;
        if (!TRY(cuMemAlloc(&l->buffer[i], arg->bytes ? arg->bytes : 1)))
            return false;
        if (arg->bytes && !TRY(cuMemcpyHtoD(l->buffer[i], arg->data, arg->bytes)))
            return false;
    }
    return true;
}

static CUarray_format format_of(enum type type)
{
    static const CUarray_format formats[TYPE_COUNT] = {
        [TYPE_U8] = CU_AD_FORMAT_UNSIGNED_INT8,   [TYPE_S8] = CU_AD_FORMAT_SIGNED_INT8,
        [TYPE_U16] = CU_AD_FORMAT_UNSIGNED_INT16, [TYPE_S16] = CU_AD_FORMAT_SIGNED_INT16,
        [TYPE_U32] = CU_AD_FORMAT_UNSIGNED_INT32, [TYPE_S32] = CU_AD_FORMAT_SIGNED_INT32,
        [TYPE_F16] = CU_AD_FORMAT_HALF,           [TYPE_F32] = CU_AD_FORMAT_FLOAT};
    return formats[type];
}

/* The extents of a level of an array, and the copy of its texels to or from the host. */
static CUDA_MEMCPY3D copy_of_level(const struct op_texture *x, unsigned level, uint8_t *host, CUarray array, bool back)
{
    const bool is_solid = !x->is_layered && !x->is_cube;
    const unsigned w = x->width >> level, h = x->height >> level, d = is_solid ? x->depth >> level : x->depth;
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = (size_t)(w ? w : 1) * x->channels * type_bytes(x->format);
    c.Height = h ? h : 1;
    c.Depth = d ? d : 1;
    c.srcMemoryType = back ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    c.dstMemoryType = back ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    c.srcArray = c.dstArray = array;
    c.srcHost = c.dstHost = host;
    c.srcPitch = c.dstPitch = c.WidthInBytes;
    c.srcHeight = c.dstHeight = c.Height;
    return c;
}

static bool make_array(struct bound_texture *t, const struct op_texture *x, uint8_t *texels,
                       CUDA_RESOURCE_DESC *resource, char *message)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    d.Width = x->width;
    d.Height = x->height;
    d.Depth = x->depth;
    d.Format = format_of(x->format);
    d.NumChannels = x->channels;
    d.Flags = (x->is_layered ? CUDA_ARRAY3D_LAYERED : 0) | (x->is_cube ? CUDA_ARRAY3D_CUBEMAP : 0) |
              (x->kind == OP_SURFACE ? CUDA_ARRAY3D_SURFACE_LDST : 0);
    if (x->levels <= 1) {
        if (!TRY(cuArray3DCreate(&t->array, &d)))
            return false;
        CUDA_MEMCPY3D c = copy_of_level(x, 0, texels, t->array, false);
        resource->resType = CU_RESOURCE_TYPE_ARRAY;
        resource->res.array.hArray = t->array;
        return TRY(cuMemcpy3D(&c));
    }
    if (!TRY(cuMipmappedArrayCreate(&t->mipmap, &d, x->levels)))
        return false;
    for (unsigned level = 0; level < x->levels; level++) {
        CUarray array;
        if (!TRY(cuMipmappedArrayGetLevel(&array, t->mipmap, level)))
            return false;
        CUDA_MEMCPY3D c = copy_of_level(x, level, texels, array, false);
        if (!TRY(cuMemcpy3D(&c)))
            return false;
        texels += c.WidthInBytes * c.Height * c.Depth;
    }
    resource->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource->res.mipmap.hMipmappedArray = t->mipmap;
    return true;
}

static bool make_resource(struct launch *l, struct bound_texture *t, const struct test_case *c,
                          const struct op_texture *x, CUDA_RESOURCE_DESC *resource, char *message)
{
    const size_t row = (size_t)x->width * x->channels * type_bytes(x->format);
    memset(resource, 0, sizeof *resource);
    if (x->kind == OP_LINEAR_TEXTURE) {
        resource->resType = CU_RESOURCE_TYPE_LINEAR;
        resource->res.linear.devPtr = l->buffer[x->texel_arg];
        resource->res.linear.format = format_of(x->format);
        resource->res.linear.numChannels = x->channels;
        resource->res.linear.sizeInBytes = row;
        return true;
    }
    if (x->kind == OP_PITCHED_TEXTURE) {
        resource->resType = CU_RESOURCE_TYPE_PITCH2D;
        resource->res.pitch2D.devPtr = l->buffer[x->texel_arg];
        resource->res.pitch2D.format = format_of(x->format);
        resource->res.pitch2D.numChannels = x->channels;
        resource->res.pitch2D.width = x->width;
        resource->res.pitch2D.height = x->height;
        resource->res.pitch2D.pitchInBytes = row;
        return true;
    }
    return make_array(t, x, c->arg[x->texel_arg].data, resource, message);
}

static bool make_texture(struct launch *l, struct bound_texture *t, const struct test_case *c,
                         const struct op_texture *x, char *message)
{
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    if (!make_resource(l, t, c, x, &resource, message))
        return false;
    l->param[x->handle_arg] = &t->handle;
    if (x->kind == OP_SURFACE) {
        t->is_surface = TRY(cuSurfObjectCreate(&t->handle, &resource));
        return t->is_surface;
    }
    memset(&sampling, 0, sizeof sampling);
    for (int d = 0; d < 3; d++)
        sampling.addressMode[d] = (CUaddress_mode)x->address_mode;
    sampling.filterMode = x->filters ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    sampling.mipmapFilterMode = x->filters_levels ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    sampling.maxMipmapLevelClamp = 100;
    sampling.flags =
        (x->reads_integers ? CU_TRSF_READ_AS_INTEGER : 0u) | (x->is_normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u);
    memcpy(sampling.borderColor, x->border, sizeof x->border);
    t->is_texture = TRY(cuTexObjectCreate(&t->handle, &resource, &sampling, NULL));
    return t->is_texture;
}

static bool make_textures(struct launch *l, const struct test_case *c, char *message)
{
    for (int i = 0; i < c->texture_count; i++)
        if (!make_texture(l, &l->texture[i], c, &c->texture[i], message))
            return false;
    return true;
}

static bool launch_kernel(struct launch *l, const struct test_case *c, char *message)
{
    CUfunction function;
    if (!TRY(cuModuleGetFunction(&function, l->module, c->kernel)))
        return false;
    return TRY(cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                              c->shared_bytes, NULL, l->param, NULL)) &&
           TRY(cuCtxSynchronize());
}

/* What the kernel left in surfaces. */
static bool fetch_surfaces(struct launch *l, const struct test_case *c, void *outputs[CASE_MAX_ARGS], char *message)
{
    for (int i = 0; i < c->texture_count; i++) {
        const struct op_texture *x = &c->texture[i];
        if (x->kind != OP_SURFACE || !outputs[x->texel_arg])
            continue;
        CUDA_MEMCPY3D copy = copy_of_level(x, 0, outputs[x->texel_arg], l->texture[i].array, true);
        if (!TRY(cuMemcpy3D(&copy)))
            return false;
    }
    return true;
}

static bool fetch_outputs(struct launch *l, const struct test_case *c, void *outputs[CASE_MAX_ARGS], char *message)
{
    for (int i = 0; i < c->arg_count; i++) {
        const struct case_arg *arg = &c->arg[i];
        if (!arg->is_output)
            continue;
        outputs[i] = xcalloc(1, arg->bytes + 1);
        if (arg->bytes && !TRY(cuMemcpyDtoH(outputs[i], l->buffer[i], arg->bytes)))
            return false;
    }
    return true;
}

static bool clean_up(struct launch *l, char *message)
{
    bool good = true;
    for (const struct bound_texture *t = l->texture; t < l->texture + CASE_MAX_TEXTURES; t++) {
        if (t->is_texture)
            good = TRY(cuTexObjectDestroy(t->handle)) && good;
        if (t->is_surface)
            good = TRY(cuSurfObjectDestroy(t->handle)) && good;
        if (t->array)
            good = TRY(cuArrayDestroy(t->array)) && good;
        if (t->mipmap)
            good = TRY(cuMipmappedArrayDestroy(t->mipmap)) && good;
    }
    for (int i = 0; i < CASE_MAX_ARGS; i++)
        if (l->buffer[i])
            good = TRY(cuMemFree(l->buffer[i])) && good;
    if (l->module)
        good = TRY(cuModuleUnload(l->module)) && good;
    return good;
}

enum device_status device_run(const struct test_case *c, int optimisation, void *outputs[CASE_MAX_ARGS],
                              char message[DEVICE_MESSAGE_BYTES])
{
    struct launch l = {0};
    memset(outputs, 0, CASE_MAX_ARGS * sizeof *outputs);
    if (!load_module(&l, c, optimisation, message))
        return DEVICE_REFUSED;
    const bool done = make_buffers(&l, c, message) && make_textures(&l, c, message) && launch_kernel(&l, c, message) &&
                      fetch_outputs(&l, c, outputs, message) && fetch_surfaces(&l, c, outputs, message);
    char ignored[DEVICE_MESSAGE_BYTES];
    if (clean_up(&l, done ? message : ignored) && done)
        return DEVICE_DONE;
    for (int i = 0; i < CASE_MAX_ARGS; i++) {
        free(outputs[i]);
        outputs[i] = NULL;
    }
    return DEVICE_FAULT;
}
