/*
 * Launches as they were before cuLaunchKernel(): the block's shape, the size of shared memory and the parameters are
 * set for a function by calls of their own, and stay until they are set anew.
 */
#include "cuda/driver.h"

#include "base/arena.h"

#include <string.h>

enum { PARAMETER_BYTES = 4096 };

struct old_launch {
    unsigned block[3]; /* 0: not set */
    unsigned shared_bytes;
    size_t parameter_bytes;
    _Alignas(16) uint8_t parameters[PARAMETER_BYTES];
};

/* What was set for a function; NULL: there is no such function. */
static struct old_launch *find(struct driver *d, CUfunction function)
{
    struct function *f = object_find(d, OBJECT_FUNCTION, handle_of(function));
    if (f && !f->old_launch)
        f->old_launch = xcalloc(1, sizeof *f->old_launch);
    return f ? f->old_launch : NULL;
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    ENTER(e, NEED_CONTEXT);
    struct old_launch *l = find(e.driver, function);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    l->block[0] = (unsigned)x;
    l->block[1] = (unsigned)y;
    l->block[2] = (unsigned)z;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
    ENTER(e, NEED_CONTEXT);
    struct old_launch *l = find(e.driver, function);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    l->shared_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction function, unsigned int bytes)
{
    ENTER(e, NEED_CONTEXT);
    struct old_launch *l = find(e.driver, function);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (bytes > PARAMETER_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    l->parameter_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned int bytes)
{
    ENTER(e, NEED_CONTEXT);
    struct old_launch *l = find(e.driver, function);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (offset < 0 || offset > PARAMETER_BYTES || bytes > (unsigned)(PARAMETER_BYTES - offset) || !value)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(l->parameters + offset, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned int value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    struct old_launch *l = find(e.driver, function);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (width <= 0 || height <= 0 || !l->block[0])
        return CUDA_ERROR_INVALID_VALUE;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, l->parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &l->parameter_bytes,
                     CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, l->block[0], l->block[1], l->block[2],
                          l->shared_bytes, stream, NULL, extra);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGridAsync(function, 1, 1, NULL);
}
