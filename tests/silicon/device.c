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
    CUtexObject texture;
    bool has_texture;
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
    return type == TYPE_F32   ? CU_AD_FORMAT_FLOAT
           : type == TYPE_S32 ? CU_AD_FORMAT_SIGNED_INT32
                              : CU_AD_FORMAT_UNSIGNED_INT32;
}

/* Four channels, nearest texel, coordinates counted in texels and clamped, values as they are. */
static bool make_texture(struct launch *l, const struct op_texture *x, char *message)
{
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    const size_t row = (size_t)x->width * 16;
    memset(&resource, 0, sizeof resource);
    memset(&sampling, 0, sizeof sampling);
    if (x->dimensions == 1) {
        resource.resType = CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear.devPtr = l->buffer[x->texel_arg];
        resource.res.linear.format = format_of(x->format);
        resource.res.linear.numChannels = 4;
        resource.res.linear.sizeInBytes = row;
    } else {
        resource.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D.devPtr = l->buffer[x->texel_arg];
        resource.res.pitch2D.format = format_of(x->format);
        resource.res.pitch2D.numChannels = 4;
        resource.res.pitch2D.width = x->width;
        resource.res.pitch2D.height = x->height;
        resource.res.pitch2D.pitchInBytes = row;
    }
    for (int d = 0; d < 3; d++)
        sampling.addressMode[d] = CU_TR_ADDRESS_MODE_CLAMP;
    sampling.filterMode = CU_TR_FILTER_MODE_POINT;
    sampling.flags = x->format == TYPE_F32 ? 0 : CU_TRSF_READ_AS_INTEGER;
    if (!TRY(cuTexObjectCreate(&l->texture, &resource, &sampling, NULL)))
        return false;
    l->has_texture = true;
    l->param[x->handle_arg] = &l->texture;
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
    if (l->has_texture)
        good = TRY(cuTexObjectDestroy(l->texture)) && good;
    for (int i = 0; i < CASE_MAX_ARGS; i++)
        if (l->buffer[i])
            good = TRY(cuMemFree(l->buffer[i])) && good;
    if (l->module)
        good = TRY(cuModuleUnload(l->module)) && good;
    return good;
}

enum device_status device_run(const struct test_case *c, const struct op_texture *texture, int optimisation,
                              void *outputs[CASE_MAX_ARGS], char message[DEVICE_MESSAGE_BYTES])
{
    struct launch l = {0};
    memset(outputs, 0, CASE_MAX_ARGS * sizeof *outputs);
    if (!load_module(&l, c, optimisation, message))
        return DEVICE_REFUSED;
    const bool textured = texture && texture->dimensions;
    const bool done = make_buffers(&l, c, message) && (!textured || make_texture(&l, texture, message)) &&
                      launch_kernel(&l, c, message) && fetch_outputs(&l, c, outputs, message);
    char ignored[DEVICE_MESSAGE_BYTES];
    if (clean_up(&l, done ? message : ignored) && done)
        return DEVICE_DONE;
    for (int i = 0; i < CASE_MAX_ARGS; i++) {
        free(outputs[i]);
        outputs[i] = NULL;
    }
    return DEVICE_FAULT;
}
