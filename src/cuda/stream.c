/* Streams: their properties, and the calls that work on a stream as a whole. What streams do is in queue.h and op.h. */
#include "cuda/stream.h"
#include "cuda/capture.h"
#include "cuda/queue.h"

#include "base/arena.h"

#include <utlist.h>

static struct stream *create_stream(struct driver *d, struct context *c, enum stream_role role, unsigned flags)
{
    struct stream *s = xcalloc(1, sizeof *s);
    s->role = role;
    s->flags = flags;
    s->sync_policy = CU_SYNC_POLICY_AUTO;
    s->domain_map.remote = 1;
    object_add(d, &s->object, OBJECT_STREAM, handle_of(s), c);
    DL_APPEND(d->streams.all, s);
    return s;
}

void stream_finish(struct driver *d, struct object *object)
{
    struct stream *s = (struct stream *)object;
    capture_leave(d, s);
    queue_drop(d, s);
    DL_DELETE(d->streams.all, s);
    if (s->object.context->legacy_stream == s)
        s->object.context->legacy_stream = NULL;
}

/* The calling thread's default stream in the current context. The last one found is remembered: looking through all
 * streams for each launch would take long in programs with many. */
static struct stream *find_per_thread(struct driver_entry *e)
{
    static _Thread_local uint64_t last_handle, last_id;
    struct stream *s = last_id ? object_find(e->driver, OBJECT_STREAM, last_handle) : NULL;
    if (!s || s->object.id != last_id || s->object.context != e->context) {
        for (s = e->driver->streams.all; s; s = s->next)
            if (s->role == STREAM_IS_PER_THREAD && s->thread == driver_thread() && s->object.context == e->context)
                break;
        if (!s) {
            s = create_stream(e->driver, e->context, STREAM_IS_PER_THREAD, CU_STREAM_DEFAULT);
            s->thread = driver_thread();
        }
        last_handle = s->object.handle;
        last_id = s->object.id;
    }
    return s;
}

struct stream *stream_find(struct driver_entry *e, CUstream stream)
{
    struct stream *s;
    if (stream == CU_STREAM_PER_THREAD)
        return find_per_thread(e);
    if (!stream || stream == CU_STREAM_LEGACY) {
        if (!e->context->legacy_stream)
            e->context->legacy_stream = create_stream(e->driver, e->context, STREAM_IS_LEGACY, CU_STREAM_DEFAULT);
        return e->context->legacy_stream;
    }
    /* The structures of default streams are no handles of the API. */
    s = object_find(e->driver, OBJECT_STREAM, handle_of(stream));
    return s && s->role == STREAM_CREATED ? s : NULL;
}

/* A stream that is about to be used: its capture, if any, is valid. */
static CUresult find_usable(struct driver_entry *e, CUstream stream, struct stream **s)
{
    *s = stream_find(e, stream);
    return *s ? capture_check_stream(e, *s) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult stream_settle(struct driver_entry *e, CUstream stream)
{
    struct stream *s;
    CUresult result = find_usable(e, stream, &s);
    if (!result)
        result = capture_refuse(s);
    if (!result && queue_is_busy(e->driver, s))
        result = queue_wait_stream(e, stream);
    return result;
}

/* A copy to or from memory that CUDA does not know waits for the stream, as the API allows: the program may use the
 * memory again when the call returns. */
static bool copies_at_once(struct driver *d, const struct operation *op)
{
    return op->parameters.type == CU_GRAPH_NODE_TYPE_MEMCPY && copy_is_pageable(d, &op->parameters.memcpy.copyParams);
}

CUresult stream_submit(struct driver_entry *e, CUstream stream, struct operation *op)
{
    struct driver *d = e->driver;
    struct stream *s;
    CUresult result = find_usable(e, stream, &s);
    if (!result && !s->capture && queue_is_busy(d, s) && copies_at_once(d, op)) {
        result = queue_wait_stream(e, stream);
        s = result ? NULL : stream_find(e, stream);
        if (!s && !result)
            result = CUDA_ERROR_INVALID_HANDLE;
    }
    bool is_queued = !result && !s->capture && (queue_is_busy(d, s) || op_needs_worker(d, op));
    if (!result && (s->capture || is_queued))
        result = op_check(d, op);
    if (!result && s->capture)
        return capture_add(e, s, op);
    if (!result && is_queued)
        return queue_add(e, s, op);
    if (!result) {
        struct driver_entry in_stream = {.driver = d, .context = s->object.context};
        result = op_run(&in_stream, op);
    }
    op_clear(d, op);
    return result;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    ENTER(e, NEED_CONTEXT);
    if (!stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    int least, greatest;
    cuCtxGetStreamPriorityRange(&least, &greatest);
    struct stream *s = create_stream(e.driver, e.context, STREAM_CREATED, flags);
    s->priority = priority > least ? least : priority < greatest ? greatest : priority;
    *stream = (CUstream)s;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

/* The first lines of a call that stores something about a stream. */
#define ENTER_STREAM(e, s, stream, out)         \
    ENTER(e, NEED_CONTEXT);                     \
    if (!(out))                                 \
        return CUDA_ERROR_INVALID_VALUE;        \
    struct stream *s = stream_find(&e, stream); \
    if (!s)                                     \
    return CUDA_ERROR_INVALID_HANDLE

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    ENTER_STREAM(e, s, stream, priority);
    *priority = s->priority;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    ENTER_STREAM(e, s, stream, flags);
    *flags = s->flags;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    ENTER_STREAM(e, s, stream, id);
    *id = s->object.id;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    ENTER_STREAM(e, s, stream, context);
    *context = (CUcontext)s->object.context;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
    ENTER_STREAM(e, s, stream, context);
    *context = (CUcontext)s->object.context;
    if (green)
        *green = NULL;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    ENTER_STREAM(e, s, stream, device);
    *device = 0;
    return CUDA_SUCCESS;
}

/* Attributes are kept and given back; they steer speed, which a stream does not model. */
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
    ENTER_STREAM(e, s, stream, value);
    switch ((int)attribute) {
    case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value->accessPolicyWindow = s->window;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value->syncPolicy = s->sync_policy;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_PRIORITY:
        value->priority = s->priority;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value->memSyncDomainMap = s->domain_map;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value->memSyncDomain = s->domain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
    ENTER_STREAM(e, s, stream, value);
    switch ((int)attribute) {
    case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        if (value->accessPolicyWindow.hitRatio < 0 || value->accessPolicyWindow.hitRatio > 1)
            return CUDA_ERROR_INVALID_VALUE;
        s->window = value->accessPolicyWindow;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        if (value->syncPolicy < CU_SYNC_POLICY_AUTO || value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC)
            return CUDA_ERROR_INVALID_VALUE;
        s->sync_policy = value->syncPolicy;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_PRIORITY:
        s->priority = value->priority;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        s->domain_map = value->memSyncDomainMap;
        return CUDA_SUCCESS;
    case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
        if (value->memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT &&
            value->memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
            return CUDA_ERROR_INVALID_VALUE;
        s->domain = value->memSyncDomain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    ENTER(e, NEED_CONTEXT);
    struct stream *t = stream_find(&e, to), *f = stream_find(&e, from);
    if (!t || !f)
        return CUDA_ERROR_INVALID_HANDLE;
    t->window = f->window;
    t->sync_policy = f->sync_policy;
    t->domain_map = f->domain_map;
    t->domain = f->domain;
    return CUDA_SUCCESS;
}

/* An event that nobody has recorded is not waited for. */
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct stream *s = stream_find(&e, stream);
    const struct event_order *order = event_order(e.driver, event);
    if (!s || !order)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    struct operation wait = {.parameters = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait.event = event}};
    if (flags & CU_EVENT_WAIT_EXTERNAL)
        return s->capture ? stream_submit(&e, stream, &wait) : CUDA_ERROR_INVALID_VALUE;
    bool taken = false;
    CUresult result = s->capture || order->capture_id ? capture_wait(&e, s, order, &taken) : CUDA_SUCCESS;
    return taken ? result : stream_submit(&e, stream, &wait);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = stream_find(&e, stream);
    CUresult result = s ? capture_refuse(s) : CUDA_ERROR_INVALID_HANDLE;
    if (result)
        return result;
    struct operation op = {.parameters = {.type = (CUgraphNodeType)OP_CALLBACK, .host.userData = data},
                           .callback = callback,
                           .stream = stream};
    return stream_submit(&e, stream, &op);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    ENTER(e, NEED_CONTEXT);
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    struct operation op = {.parameters = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {function, data}}};
    return stream_submit(&e, stream, &op);
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct stream *s = stream_find(&e, stream);
    CUresult result = s ? capture_refuse(s) : CUDA_ERROR_INVALID_HANDLE;
    if (result)
        return result;
    const struct cuda_allocation *b = object_find(e.driver, OBJECT_ALLOCATION, address);
    if (!b || b->allocation_kind != ALLOCATION_MANAGED || (bytes && bytes != b->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Whether the stream may be waited for or asked now. */
static CUresult check_wait(struct driver_entry *e, CUstream stream, struct stream **s)
{
    CUresult result = find_usable(e, stream, s);
    if (!result)
        result = capture_refuse(*s);
    return result ? result : capture_check_unsafe(e);
}

CUresult cuStreamQuery(CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    struct stream *s;
    CUresult result = check_wait(&e, stream, &s);
    return !result && queue_is_busy(e.driver, s) ? CUDA_ERROR_NOT_READY : result;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(e, NEED_ANY_CONTEXT);
    struct stream *s;
    CUresult result = e.context->sticky ? e.context->sticky : check_wait(&e, stream, &s);
    if (!result)
        result = queue_wait_stream(&e, stream);
    driver_flush(e.driver);
    return result;
}

/* Work that is left in the stream is done first. */
CUresult cuStreamDestroy(CUstream stream)
{
    ENTER(e, NEED_ANY_CONTEXT);
    struct stream *s = stream_find(&e, stream);
    if (!s || s->role != STREAM_CREATED)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = queue_wait_stream(&e, stream);
    s = object_find(e.driver, OBJECT_STREAM, handle_of(stream));
    if (s)
        object_destroy(e.driver, &s->object);
    return result;
}
