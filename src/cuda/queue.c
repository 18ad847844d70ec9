/* Queues of streams, and the worker that empties them. See queue.h. */
#include "cuda/queue.h"
#include "cuda/capture.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { HOST_FUNCTION_MS = 1000, GIVE_UP_MS = 20000, POLL_MS = 1 };

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool has_work(const struct stream *s)
{
    return s->first || s->running_turn;
}

#define FOR_STREAMS(s, d) for (struct stream *s = (d)->streams.all; s; s = s->next)

/* Whether the order of the legacy stream and blocking streams makes one of them wait for the other. */
static bool orders(const struct stream *a, const struct stream *b)
{
    return a != b && a->object.context == b->object.context &&
           ((a->role == STREAM_IS_LEGACY && stream_is_blocking(b)) ||
            (b->role == STREAM_IS_LEGACY && stream_is_blocking(a)));
}

bool queue_is_busy(struct driver *d, const struct stream *s)
{
    if (!d->streams.queued)
        return false;
    if (has_work(s))
        return true;
    FOR_STREAMS(other, d)
    if (orders(s, other) && has_work(other))
        return true;
    return false;
}

/* Whether another stream has work from before the turn, for which the stream has to wait. */
static bool waits_for_other(struct driver *d, const struct stream *s, uint64_t turn)
{
    FOR_STREAMS(other, d)
    if (orders(s, other) &&
        ((other->first && other->first->turn < turn) || (other->running_turn && other->running_turn < turn)))
        return true;
    return false;
}

static bool first_is_ready(struct driver *d, const struct stream *s)
{
    if (!s->first || s->running_turn)
        return false;
    return s->object.context->sticky || (op_is_ready(d, &s->first->op) && !waits_for_other(d, s, s->first->turn));
}

/* Of the streams whose first operation can be done, the one with the earliest turn. */
static struct stream *choose_stream(struct driver *d)
{
    struct stream *best = NULL;
    if (!d->streams.queued)
        return NULL;
    FOR_STREAMS(s, d)
    if (first_is_ready(d, s) && (!best || s->first->turn < best->first->turn))
        best = s;
    return best;
}

/* An event whose record is not done any more counts as recorded, so that nobody waits for it. */
static void finish_operation(struct driver *d, struct pending *p)
{
    if (p->op.parameters.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
        event_record_now(d, p->op.parameters.eventRecord.event, p->turn);
    op_clear(d, &p->op);
    free(p);
    d->streams.queued--;
    driver_wake();
}

static struct pending *take_first(struct stream *s)
{
    struct pending *p = s->first;
    s->first = p->next;
    if (!s->first)
        s->last = NULL;
    return p;
}

/* Does the first operation of a queue. The lock may be given to others meanwhile, and the stream end. */
static void do_first(struct driver *d, struct stream *s)
{
    struct pending *p = take_first(s);
    uint64_t handle = s->object.handle, id = s->object.id;
    struct driver_entry e = {.driver = d, .context = s->object.context};
    bool is_callback = (int)p->op.parameters.type == OP_CALLBACK;
    s->running_turn = p->turn;
    CUresult result = e.context->sticky && !is_callback ? CUDA_SUCCESS : op_run(&e, &p->op);
    if (d->is_ended)
        return;
    if (result && e.context) {
        const char *name = "";
        cuGetErrorName(result, &name);
        driver_complain("an operation that waited in a stream failed: %s", name);
        if (!e.context->sticky)
            e.context->sticky = result;
    }
    s = object_find(d, OBJECT_STREAM, handle);
    if (s && s->object.id == id) {
        s->running_turn = 0;
        s->done_turn = p->turn;
    }
    finish_operation(d, p);
}

/* The worker never ends before the process does. */
static void *work(void *unused)
{
    struct driver_entry e __attribute__((cleanup(driver_leave))) = driver_enter(NEED_LOCK);
    struct driver *d = e.driver;
    (void)unused;
    d->streams.worker = driver_thread();
    while (!d->is_ended) {
        struct stream *s = choose_stream(d);
        if (s)
            do_first(d, s);
        else
            driver_wait(d->streams.queued ? POLL_MS : HOST_FUNCTION_MS);
    }
    return NULL;
}

/* Signals of the program are for its own threads. */
static bool start_worker(struct driver *d)
{
    if (d->streams.has_worker)
        return true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    d->streams.has_worker = !pthread_create(&thread, NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (d->streams.has_worker)
        pthread_detach(thread);
    return d->streams.has_worker;
}

static void append(struct driver *d, struct stream *s, struct operation *op)
{
    struct pending *p = xcalloc(1, sizeof *p);
    p->op = *op;
    *op = (struct operation){.parameters.type = CU_GRAPH_NODE_TYPE_EMPTY};
    p->turn = ++d->streams.next_turn;
    if (p->op.parameters.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
        p->op.turn = p->turn;
        event_order(d, p->op.parameters.eventRecord.event)->recorded_turn = p->turn;
    } else if (p->op.parameters.type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
        p->op.turn = event_order(d, p->op.parameters.eventWait.event)->recorded_turn;
    }
    if (s->last)
        s->last->next = p;
    else
        s->first = p;
    s->last = p;
    d->streams.queued++;
}

/* Each operation of a batch stands alone in the queue, so that each wait can hold up the stream. */
static void append_batch(struct driver *d, struct stream *s, struct operation *op)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = &op->parameters.memOp;
    for (unsigned i = 0; i < m->count; i++) {
        struct operation one = {.parameters = op->parameters};
        one.parameters.memOp.count = 1;
        one.parameters.memOp.paramArray = xmalloc(sizeof *m->paramArray);
        *one.parameters.memOp.paramArray = m->paramArray[i];
        append(d, s, &one);
    }
    op_clear(d, op);
}

CUresult queue_add(struct driver_entry *e, struct stream *s, struct operation *op)
{
    struct driver *d = e->driver;
    bool was_busy = queue_is_busy(d, s);
    /* A value that is missing now is rarely there within the second, and nothing is printed meanwhile. */
    bool waits = op_needs_worker(d, op) && op_is_ready(d, op) && driver_thread() != d->streams.worker;
    if (!start_worker(d)) {
        op_clear(d, op);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    if (op->parameters.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        append_batch(d, s, op);
    else
        append(d, s, op);
    driver_wake();
    uint64_t handle = s->object.handle, id = s->object.id, turn = d->streams.next_turn;
    uint64_t end = now_ms() + HOST_FUNCTION_MS;
    for (uint64_t now = now_ms(); waits && !was_busy && now < end; now = now_ms()) {
        s = object_find(d, OBJECT_STREAM, handle);
        if (!s || s->object.id != id || s->done_turn >= turn)
            break;
        driver_wait((unsigned)(end - now));
    }
    return CUDA_SUCCESS;
}

void queue_drop(struct driver *d, struct stream *s)
{
    while (s->first)
        finish_operation(d, take_first(s));
}

/* What a call waits for: one stream (and those that order it), all streams of a context, or a record of an event. */
struct goal {
    uint64_t turn; /* only operations up to this one are waited for */
    const struct stream *stream;
    uint64_t stream_id;
    CUevent event; /* NULL: no event */
    const struct context *context;
    uint64_t context_id;
};

static bool has_before(const struct stream *s, uint64_t turn)
{
    return (s->first && s->first->turn <= turn) || (s->running_turn && s->running_turn <= turn);
}

static bool is_reached(struct driver *d, const struct goal *g)
{
    if (!d->streams.queued)
        return true;
    if (g->event) {
        const struct event_order *order = event_order(d, g->event);
        return !order || order->done_turn >= g->turn;
    }
    const struct stream *wanted = g->stream ? object_find(d, OBJECT_STREAM, handle_of(g->stream)) : NULL;
    if (g->stream && (!wanted || wanted->object.id != g->stream_id))
        return true;
    FOR_STREAMS(s, d)
    if (s->object.context == g->context && has_before(s, g->turn) &&
        (!wanted || s == wanted || (wanted->role == STREAM_IS_LEGACY && orders(s, wanted))))
        return false;
    return true;
}

/* Ends waits for values that nobody has written. Their contexts have failed, and the worker drops what is left. */
static void give_up(struct driver *d)
{
    bool is_named = false;
    FOR_STREAMS(s, d)
    {
        const struct operation *op = s->first ? &s->first->op : NULL;
        if (!op || op->parameters.type != CU_GRAPH_NODE_TYPE_BATCH_MEM_OP || op_is_ready(d, op))
            continue;
        char text[160];
        memop_describe(op->parameters.memOp.paramArray, text, sizeof text);
        driver_complain("%s: nothing has happened for %d s, and the wait is given up", text, GIVE_UP_MS / 1000);
        is_named = true;
    }
    if (!is_named)
        driver_complain("a graph waits for a value: nothing has happened for %d s, and the wait is given up",
                        GIVE_UP_MS / 1000);
    FOR_STREAMS(s, d)
    if (has_work(s) && !s->object.context->sticky)
        s->object.context->sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    driver_wake();
}

static CUresult wait_for(struct driver_entry *e, const struct goal *g)
{
    struct driver *d = e->driver;
    /* A kernel in a queue may take minutes, during which the worker keeps the lock: afterwards `begun` has grown. */
    uint64_t calls = d->calls, begun = d->streams.begun, since = now_ms();
    while (!is_reached(d, g)) {
        driver_wait(100);
        if (d->calls != calls || d->streams.begun != begun || d->streams.in_host_function) {
            calls = d->calls;
            begun = d->streams.begun;
            since = now_ms();
        } else if (now_ms() - since > GIVE_UP_MS) {
            give_up(d);
            since = now_ms();
        }
    }
    const struct context *c = object_find(d, OBJECT_CONTEXT, handle_of(g->context));
    if (c && c->object.id == g->context_id)
        return c->sticky;
    e->context = NULL;
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static struct goal goal_of(struct driver_entry *e)
{
    return (struct goal){
        .turn = e->driver->streams.next_turn, .context = e->context, .context_id = e->context->object.id};
}

CUresult queue_wait_stream(struct driver_entry *e, CUstream stream)
{
    struct stream *s = stream_find(e, stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    struct goal g = goal_of(e);
    g.stream = s;
    g.stream_id = s->object.id;
    g.context = s->object.context;
    g.context_id = s->object.context->object.id;
    return wait_for(e, &g);
}

CUresult queue_wait_context(struct driver_entry *e)
{
    struct goal g = goal_of(e);
    return wait_for(e, &g);
}

CUresult queue_wait_event(struct driver_entry *e, CUevent event)
{
    const struct event_order *order = event_order(e->driver, event);
    struct goal g = goal_of(e);
    if (!order)
        return CUDA_ERROR_INVALID_HANDLE;
    g.event = event;
    g.turn = order->recorded_turn;
    return wait_for(e, &g);
}

CUresult queue_check_call(struct driver_entry *e, bool sync)
{
    CUresult result = CUDA_SUCCESS;
    if (e->driver->streams.captures) {
        struct stream *legacy = stream_find(e, CU_STREAM_LEGACY);
        result = sync ? capture_check_stream(e, legacy) : CUDA_SUCCESS;
        if (!result)
            result = capture_check_unsafe(e);
    }
    if (!result && sync && e->driver->streams.queued)
        result = queue_wait_stream(e, CU_STREAM_LEGACY);
    return result;
}
