/* Streams: mere labels. Work is done when the call that asks for it returns, so every stream is always idle. */
#include "cuda/driver.h"

#include "base/arena.h"

struct stream {
    struct object object;
    unsigned flags;
    int priority;
};

static bool is_named(CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

static struct stream *find_stream(struct driver *d, CUstream stream)
{
    return object_find(d, OBJECT_STREAM, handle_of(stream));
}

bool stream_is_valid(struct driver *d, CUstream stream)
{
    return is_named(stream) || find_stream(d, stream);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    ENTER(e, NEED_CONTEXT);
    if (!stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    int least, greatest;
    cuCtxGetStreamPriorityRange(&least, &greatest);
    struct stream *s = xcalloc(1, sizeof *s);
    s->flags = flags;
    s->priority = priority > least ? least : priority < greatest ? greatest : priority;
    object_add(e.driver, &s->object, OBJECT_STREAM, handle_of(s), e.context);
    *stream = (CUstream)s;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    ENTER(e, NEED_CONTEXT);
    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = find_stream(e.driver, stream);
    if (!s && !is_named(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *priority = s ? s->priority : 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    ENTER(e, NEED_CONTEXT);
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = find_stream(e.driver, stream);
    if (!s && !is_named(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *flags = s ? s->flags : CU_STREAM_DEFAULT;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    ENTER(e, NEED_CONTEXT);
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = find_stream(e.driver, stream);
    if (!s && !is_named(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *id = s ? s->object.id : handle_of(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    ENTER(e, NEED_CONTEXT);
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = find_stream(e.driver, stream);
    if (!s && !is_named(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *context = (CUcontext)(s ? s->object.context : e.context);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    ENTER(e, NEED_CONTEXT);
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (!stream_is_valid(e.driver, stream) || !object_find(e.driver, OBJECT_EVENT, handle_of(event)))
        return CUDA_ERROR_INVALID_HANDLE;
    return flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    driver_flush(e.driver);
    callback(stream, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    ENTER(e, NEED_CONTEXT);
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    driver_flush(e.driver);
    function(data);
    return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (!stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    const struct cuda_allocation *b = object_find(e.driver, OBJECT_ALLOCATION, address);
    if (!b || b->allocation_kind != ALLOCATION_MANAGED || (bytes && bytes != b->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    ENTER(e, NEED_CONTEXT);
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    if (!stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return stream_is_valid(e.driver, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(e, NEED_ANY_CONTEXT);
    driver_flush(e.driver);
    if (e.context->sticky)
        return e.context->sticky;
    return stream_is_valid(e.driver, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamDestroy(CUstream stream)
{
    ENTER(e, NEED_ANY_CONTEXT);
    struct stream *s = find_stream(e.driver, stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &s->object);
    return e.context->sticky;
}
