/*
 * Events: times of the driver's clock, which is simulated time with --gpu (clock.h). Execution is synchronous, so an
 * event has happened once it is recorded.
 */
#include "cuda/clock.h"

#include "base/arena.h"

struct cuda_event {
    struct object object;
    unsigned flags;
    bool is_recorded;
    struct timespec time;
};

static struct cuda_event *find_event(struct driver *d, CUevent event)
{
    return object_find(d, OBJECT_EVENT, handle_of(event));
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!event || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_INTERPROCESS)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct cuda_event *v = xcalloc(1, sizeof *v);
    v->flags = flags;
    object_add(e.driver, &v->object, OBJECT_EVENT, handle_of(v), e.context);
    *event = (CUevent)v;
    return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_event *v = find_event(e.driver, event);
    if (!v || !stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    clock_read(e.driver, &v->time);
    v->is_recorded = true;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventQuery(CUevent event)
{
    ENTER(e, NEED_CONTEXT);
    return find_event(e.driver, event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventSynchronize(CUevent event)
{
    ENTER(e, NEED_ANY_CONTEXT);
    driver_flush(e.driver);
    if (e.context->sticky)
        return e.context->sticky;
    return find_event(e.driver, event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventDestroy(CUevent event)
{
    ENTER(e, NEED_ANY_CONTEXT);
    struct cuda_event *v = find_event(e.driver, event);
    if (!v)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &v->object);
    return e.context->sticky;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    ENTER(e, NEED_CONTEXT);
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_event *a = find_event(e.driver, start), *b = find_event(e.driver, end);
    if (!a || !b || !a->is_recorded || !b->is_recorded || (a->flags | b->flags) & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds =
        (float)((double)(b->time.tv_sec - a->time.tv_sec) * 1e3 + (double)(b->time.tv_nsec - a->time.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}
