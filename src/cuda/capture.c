/* Captures: their rules, and the calls that begin, end and describe them. See capture.h. */
#include "cuda/capture.h"
#include "cuda/graph.h"
#include "cuda/legacy.h"
#include "cuda/queue.h"

#include <stdlib.h>
#include <string.h>

/* By the API's definition each thread has a mode of its own, and begins with the strictest. */
static _Thread_local CUstreamCaptureMode thread_mode;

static bool is_active(const struct capture *c)
{
    return c && !c->is_invalid;
}

static CUresult invalidate(struct capture *c, CUresult error)
{
    c->is_invalid = true;
    return error;
}

CUresult capture_refuse(const struct stream *s)
{
    if (!s->capture)
        return CUDA_SUCCESS;
    return s->capture->is_invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                  : invalidate(s->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

/* A capture with a blocking stream of the context in it, so that the legacy stream would have to wait for it. */
static struct capture *find_blocking(struct driver *d, const struct context *context)
{
    for (struct stream *s = d->streams.all; s; s = s->next)
        if (is_active(s->capture) && s->object.context == context && stream_is_blocking(s))
            return s->capture;
    return NULL;
}

CUresult capture_check_stream(struct driver_entry *e, const struct stream *s)
{
    if (!e->driver->streams.captures)
        return CUDA_SUCCESS;
    if (s->capture)
        return s->capture->is_invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    if (s->role != STREAM_IS_LEGACY)
        return CUDA_SUCCESS;
    CUresult result = CUDA_SUCCESS;
    for (struct capture *c; (c = find_blocking(e->driver, s->object.context));)
        result = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    return result;
}

CUresult capture_check_unsafe(struct driver_entry *e)
{
    CUresult result = CUDA_SUCCESS;
    if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return result;
    for (struct capture *c = e->driver->streams.captures; c; c = c->next) {
        bool forbids = c->thread == driver_thread()
                           ? c->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                           : c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (forbids && !c->is_invalid)
            result = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return result;
}

CUresult capture_check_context(struct driver_entry *e)
{
    CUresult result = CUDA_SUCCESS;
    for (struct capture *c = e->driver->streams.captures; c; c = c->next)
        if (c->context == e->context && !c->is_invalid)
            result = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    return result;
}

static struct graph_node *find_referenced(struct driver *d, const struct node_reference *r)
{
    struct graph_node *n = object_find(d, OBJECT_GRAPH_NODE, r->handle);
    return n && n->object.id == r->id ? n : NULL;
}

static void add_reference(struct node_references *set, struct node_reference r)
{
    for (int i = 0; i < set->count; i++)
        if (set->data[i].id == r.id)
            return;
    vec_push(set, r);
}

static struct node_reference reference_to(const struct graph_node *n)
{
    return (struct node_reference){.handle = n->object.handle, .id = n->object.id};
}

CUresult capture_add(struct driver_entry *e, struct stream *s, struct operation *op)
{
    struct graph_node *n = cuda_graph_add(e->driver, s->capture->graph, op);
    for (int i = 0; i < s->leaves.count; i++) {
        struct graph_node *from = find_referenced(e->driver, &s->leaves.data[i]);
        if (from)
            cuda_graph_connect(from, n, &s->leaves.data[i].edge);
    }
    s->leaves.count = 0;
    vec_push(&s->leaves, reference_to(n));
    return CUDA_SUCCESS;
}

CUresult capture_alloc(struct driver_entry *e, struct stream *s, size_t bytes, CUdeviceptr *address)
{
    if (s->capture->is_invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    struct operation op;
    CUgraphNodeParams parameters = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                                    .alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                            .location.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                              .bytesize = bytes}};
    CUresult result = op_set(e, &op, &parameters, NULL);
    if (result)
        return result;
    *address = op.memory->address;
    return capture_add(e, s, &op);
}

void capture_record(struct stream *s, struct event_order *order)
{
    order->capture_id = s->capture->id;
    order->nodes.count = 0;
    for (int i = 0; i < s->leaves.count; i++)
        vec_push(&order->nodes, s->leaves.data[i]);
}

static struct capture *find_capture(struct driver *d, uint64_t id)
{
    for (struct capture *c = d->streams.captures; c; c = c->next)
        if (c->id == id)
            return c;
    return NULL;
}

CUresult capture_wait(struct driver_entry *e, struct stream *s, const struct event_order *order, bool *taken)
{
    struct capture *c = order->capture_id ? find_capture(e->driver, order->capture_id) : NULL;
    *taken = true;
    if (s->capture && s->capture->is_invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!c) {
        *taken = s->capture || order->capture_id;
        if (s->capture)
            return invalidate(s->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        return order->capture_id ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
    }
    if (c->is_invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (s->role == STREAM_IS_LEGACY)
        return invalidate(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (s->capture && s->capture != c) {
        invalidate(s->capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
        return invalidate(c, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    s->capture = c;
    for (int i = 0; i < order->nodes.count; i++)
        add_reference(&s->leaves, order->nodes.data[i]);
    return CUDA_SUCCESS;
}

static void forget(struct stream *s)
{
    s->capture = NULL;
    vec_free(&s->leaves);
    free(s->told_nodes);
    free(s->told_edges);
    s->told_nodes = NULL;
    s->told_edges = NULL;
}

/* Ends a capture in all its streams. */
static void end(struct driver *d, struct capture *c, bool keeps_graph)
{
    for (struct stream *s = d->streams.all; s; s = s->next)
        if (s->capture == c)
            forget(s);
    for (struct capture **at = &d->streams.captures; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    c->graph->capture = NULL;
    if (c->owns_graph && !keeps_graph)
        cuda_graph_destroy(d, c->graph);
    vec_free(&c->left);
    free(c);
}

void capture_end_with_graph(struct driver *d, struct capture *c)
{
    end(d, c, true);
}

void capture_leave(struct driver *d, struct stream *s)
{
    struct capture *c = s->capture;
    if (!c)
        return;
    if (c->origin == s->object.id)
        end(d, c, false);
    else
        for (int i = 0; i < s->leaves.count; i++)
            add_reference(&c->left, s->leaves.data[i]);
    forget(s);
}

static bool mode_is_valid(CUstreamCaptureMode mode)
{
    return mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
           mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}

/* Begins a capture in a stream, into a graph or, if that is NULL, into a new one. */
static CUresult begin(struct driver_entry *e, CUstream stream, struct cuda_graph *g, CUstreamCaptureMode mode,
                      struct stream **began)
{
    if (!mode_is_valid(mode))
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = stream_find(e, stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    if (s->role == STREAM_IS_LEGACY)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (s->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    struct capture *c = xcalloc(1, sizeof *c);
    c->id = ++e->driver->next_id;
    c->owns_graph = !g;
    c->graph = g ? g : cuda_graph_create(e->driver, s->object.context, false);
    c->graph->capture = c;
    c->mode = mode;
    c->thread = driver_thread();
    c->context = s->object.context;
    c->origin = s->object.id;
    c->next = e->driver->streams.captures;
    e->driver->streams.captures = c;
    s->capture = c;
    *began = s;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    ENTER(e, NEED_CONTEXT);
    struct stream *s;
    return begin(&e, stream, NULL, mode, &s);
}

CUresult legacy_cuStreamBeginCapture(CUstream stream)
{
    return cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || g->capture)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph_edges found = {0};
    CUresult result = cuda_graph_find_dependencies(e.driver, g, dependencies, edges, count, &found);
    struct stream *s;
    if (!result)
        result = begin(&e, stream, g, mode, &s);
    for (int i = 0; !result && i < found.count; i++) {
        struct node_reference r = reference_to(found.data[i].node);
        r.edge = found.data[i].data;
        add_reference(&s->leaves, r);
    }
    vec_free(&found);
    return result;
}

static void mark_ancestors(struct graph_node *n)
{
    struct graph_nodes stack = {0};
    vec_push(&stack, n);
    while (stack.count) {
        struct graph_node *top = stack.data[--stack.count];
        if (top->mark)
            continue;
        top->mark = 1;
        for (int i = 0; i < top->in.count; i++)
            vec_push(&stack, top->in.data[i].node);
    }
    vec_free(&stack);
}

static bool all_marked(struct driver *d, const struct node_references *nodes)
{
    for (int i = 0; i < nodes->count; i++) {
        const struct graph_node *n = find_referenced(d, &nodes->data[i]);
        if (n && !n->mark)
            return false;
    }
    return true;
}

/* Whether all that other streams captured is before the end of the first stream. */
static bool is_joined(struct driver *d, const struct stream *origin)
{
    const struct capture *c = origin->capture;
    for (int i = 0; i < c->graph->nodes.count; i++)
        c->graph->nodes.data[i]->mark = 0;
    for (int i = 0; i < origin->leaves.count; i++) {
        struct graph_node *n = find_referenced(d, &origin->leaves.data[i]);
        if (n)
            mark_ancestors(n);
    }
    for (const struct stream *s = d->streams.all; s; s = s->next)
        if (s->capture == c && !all_marked(d, &s->leaves))
            return false;
    return all_marked(d, &c->left);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    ENTER(e, NEED_CONTEXT);
    struct stream *s = stream_find(&e, stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    if (graph)
        *graph = NULL;
    struct capture *c = s->capture;
    if (!c || !graph)
        return c ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_STATE;
    if (c->origin != s->object.id)
        return invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != driver_thread())
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    CUresult result = c->is_invalid             ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                      : !is_joined(e.driver, s) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                : CUDA_SUCCESS;
    if (!result)
        *graph = (CUgraph)c->graph;
    end(e.driver, c, !result);
    return result;
}

/* A stream as the calls about captures see it: the legacy stream cannot be asked while a blocking stream captures. */
static CUresult find_for_query(struct driver_entry *e, CUstream stream, struct stream **s)
{
    *s = stream_find(e, stream);
    if (!*s)
        return CUDA_ERROR_INVALID_HANDLE;
    return (*s)->role == STREAM_IS_LEGACY && find_blocking(e->driver, (*s)->object.context)
               ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
               : CUDA_SUCCESS;
}

static CUstreamCaptureStatus status_of(const struct stream *s)
{
    return !s->capture              ? CU_STREAM_CAPTURE_STATUS_NONE
           : s->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    ENTER(e, NEED_CONTEXT);
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s;
    CUresult result = find_for_query(&e, stream, &s);
    if (!result)
        *status = status_of(s);
    return result;
}

static void tell_leaves(struct driver *d, struct stream *s, size_t *count)
{
    *count = 0;
    s->told_nodes = xrealloc(s->told_nodes, ((size_t)s->leaves.count + 1) * sizeof *s->told_nodes);
    s->told_edges = xrealloc(s->told_edges, ((size_t)s->leaves.count + 1) * sizeof *s->told_edges);
    for (int i = 0; i < s->leaves.count; i++) {
        struct graph_node *n = find_referenced(d, &s->leaves.data[i]);
        if (!n)
            continue;
        s->told_nodes[*count] = (CUgraphNode)n;
        s->told_edges[(*count)++] = s->leaves.data[i].edge;
    }
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count)
{
    ENTER(e, NEED_CONTEXT);
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s;
    CUresult result = find_for_query(&e, stream, &s);
    if (result)
        return result;
    *status = status_of(s);
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    size_t found;
    tell_leaves(e.driver, s, &found);
    if (id)
        *id = s->capture->id;
    if (graph)
        *graph = (CUgraph)s->capture->graph;
    if (dependencies)
        *dependencies = s->told_nodes;
    if (edges)
        *edges = s->told_edges;
    if (count)
        *count = found;
    return CUDA_SUCCESS;
}

CUresult legacy_cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
    return cuStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies, size_t *count)
{
    return cuStreamGetCaptureInfo(stream, status, id, graph, dependencies, NULL, count);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                           size_t count, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (flags != CU_STREAM_ADD_CAPTURE_DEPENDENCIES && flags != CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *s = stream_find(&e, stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!s->capture || s->capture->is_invalid)
        return s->capture ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_ILLEGAL_STATE;
    struct graph_edges found = {0};
    CUresult result = cuda_graph_find_dependencies(e.driver, s->capture->graph, dependencies, edges, count, &found);
    if (!result && flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        s->leaves.count = 0;
    for (int i = 0; !result && i < found.count; i++) {
        struct node_reference r = reference_to(found.data[i].node);
        r.edge = found.data[i].data;
        add_reference(&s->leaves, r);
    }
    vec_free(&found);
    return result;
}

CUresult legacy_cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, size_t count,
                                                  unsigned int flags)
{
    return cuStreamUpdateCaptureDependencies(stream, dependencies, NULL, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    ENTER(e, NEED_INIT);
    if (!mode || !mode_is_valid(*mode))
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
