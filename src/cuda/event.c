/*
 * Events: times of the driver's clock, which is simulated time with --gpu (clock.h). Execution is synchronous, so an
 * event has happened once it is recorded, unless its stream is busy (queue.h).
 */
#include "cuda/capture.h"
#include "cuda/clock.h"
#include "cuda/queue.h"

#include "base/arena.h"

struct cuda_event {
    struct object object;
    unsigned flags;
    struct event_order order;
    struct timespec time; /* of the last record that is done */
};

static struct cuda_event *find_event(struct driver *d, CUevent event)
{
    return object_find(d, OBJECT_EVENT, handle_of(event));
}

void event_finish(struct driver *d, struct object *object)
{
    (void)d;
    vec_free(&((struct cuda_event *)object)->order.nodes);
}

struct event_order *event_order(struct driver *d, CUevent event)
{
    struct cuda_event *v = find_event(d, event);
    return v ? &v->order : NULL;
}

bool event_is_done(const struct event_order *order)
{
    return order->done_turn >= order->recorded_turn;
}

void event_record_now(struct driver *d, CUevent event, uint64_t turn)
{
    struct cuda_event *v = find_event(d, event);
    if (!v || (turn && turn < v->order.recorded_turn))
        return;
    if (!turn)
        turn = v->order.recorded_turn = ++d->streams.next_turn;
    if (v->order.done_turn == turn)
        return;
    v->order.done_turn = turn;
    v->order.capture_id = 0;
    clock_read(d, &v->time);
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!event || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_INTERPROCESS)
        return driver_refuse(e.driver, "cuEventCreate", "events that processes share");
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
    struct stream *s = stream_find(&e, stream);
    if (!v || !s)
        return CUDA_ERROR_INVALID_HANDLE;
    bool is_external = flags & CU_EVENT_RECORD_EXTERNAL;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL || (is_external && !s->capture))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = capture_check_stream(&e, s);
    if (result)
        return result;
    if (s->capture && !is_external) {
        capture_record(s, &v->order);
        return CUDA_SUCCESS;
    }
    if (!s->capture)
        v->order.capture_id = 0;
    struct operation op = {.parameters = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord.event = event}};
    return stream_submit(&e, stream, &op);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

/* Whether the event may be asked or waited for now. */
static CUresult check_wait(struct driver_entry *e, const struct cuda_event *v)
{
    if (!v)
        return CUDA_ERROR_INVALID_HANDLE;
    return v->order.capture_id ? CUDA_ERROR_CAPTURED_EVENT : capture_check_unsafe(e);
}

CUresult cuEventQuery(CUevent event)
{
    ENTER(e, NEED_CONTEXT);
    const struct cuda_event *v = find_event(e.driver, event);
    CUresult result = check_wait(&e, v);
    return !result && !event_is_done(&v->order) ? CUDA_ERROR_NOT_READY : result;
}

CUresult cuEventSynchronize(CUevent event)
{
    ENTER(e, NEED_ANY_CONTEXT);
    CUresult result = e.context->sticky ? e.context->sticky : check_wait(&e, find_event(e.driver, event));
    if (!result)
        result = queue_wait_event(&e, event);
    driver_flush(e.driver);
    return result;
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
    if (!a || !b || !a->order.recorded_turn || !b->order.recorded_turn ||
        (a->flags | b->flags) & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_HANDLE;
    if (a->order.capture_id || b->order.capture_id)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (!event_is_done(&a->order) || !event_is_done(&b->order))
        return CUDA_ERROR_NOT_READY;
    *milliseconds =
        (float)((double)(b->time.tv_sec - a->time.tv_sec) * 1e3 + (double)(b->time.tv_nsec - a->time.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}
