/* Operations: making, copying and doing them. See op.h. */
#include "cuda/op.h"
#include "cuda/graph.h"
#include "cuda/stream.h"

#include "base/arena.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A copy of `count` elements, or NULL if there are none. */
static void *copy_of(const void *elements, size_t count, size_t bytes)
{
    if (!count || !elements)
        return NULL;
    return memcpy(xmalloc(count * bytes), elements, count * bytes);
}

static bool names_event(const CUlaunchAttribute *a)
{
    return a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT || a->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
}

/* The launch's own call records the events that attributes name. When the operation runs, later or as a node of a
 * graph, these events may be gone. */
void op_set_launch(struct operation *op, const CUlaunchConfig *config, CUfunction function, uint8_t *block,
                   size_t bytes)
{
    CUDA_KERNEL_NODE_PARAMS_v3 *k = &op->parameters.kernel;
    op->parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
    *k = (CUDA_KERNEL_NODE_PARAMS_v3){.func = function,
                                      .gridDimX = config->gridDimX,
                                      .gridDimY = config->gridDimY,
                                      .gridDimZ = config->gridDimZ,
                                      .blockDimX = config->blockDimX,
                                      .blockDimY = config->blockDimY,
                                      .blockDimZ = config->blockDimZ,
                                      .sharedMemBytes = config->sharedMemBytes};
    op->block = block;
    op->block_bytes = bytes;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (!names_event(&config->attrs[i]))
            op_set_attribute(op, &config->attrs[i]);
}

static CUlaunchConfig config_of(const struct operation *op)
{
    const CUDA_KERNEL_NODE_PARAMS_v3 *k = &op->parameters.kernel;
    return (CUlaunchConfig){.gridDimX = k->gridDimX,
                            .gridDimY = k->gridDimY,
                            .gridDimZ = k->gridDimZ,
                            .blockDimX = k->blockDimX,
                            .blockDimY = k->blockDimY,
                            .blockDimZ = k->blockDimZ,
                            .sharedMemBytes = k->sharedMemBytes,
                            .attrs = op->attributes,
                            .numAttrs = op->attribute_count};
}

static CUresult set_kernel(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *parameters)
{
    struct operation from = {.parameters = *parameters};
    CUlaunchConfig config = config_of(&from);
    CUfunction function = parameters->kernel.func ? parameters->kernel.func : (CUfunction)parameters->kernel.kern;
    uint8_t *block;
    size_t bytes;
    CUresult result =
        launch_gather(e, &config, function, parameters->kernel.kernelParams, parameters->kernel.extra, &block, &bytes);
    if (!result)
        op_set_launch(op, &config, function, block, bytes);
    return result;
}

static void set_children(struct operation *op, unsigned count)
{
    op->children = xcalloc(count, sizeof *op->children);
    op->child_count = count;
}

/* Whether a graph is another one, or is inside one of its nodes. */
static bool contains(const struct cuda_graph *g, const struct cuda_graph *inner)
{
    if (g == inner)
        return true;
    for (int i = 0; i < g->nodes.count; i++)
        for (unsigned k = 0; k < g->nodes.data[i]->op.child_count; k++)
            if (contains(g->nodes.data[i]->op.children[k], inner))
                return true;
    return false;
}

static CUresult set_child(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *parameters,
                          const struct cuda_graph *graph)
{
    struct cuda_graph *child = cuda_graph_find(e->driver, parameters->graph.graph);
    if (!child)
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
        if (child->object.is_owned || child->capture || contains(child, graph))
            return CUDA_ERROR_INVALID_VALUE;
        child->object.is_owned = true;
        set_children(op, 1);
        op->children[0] = child;
        return CUDA_SUCCESS;
    }
    if (parameters->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
        return CUDA_ERROR_INVALID_VALUE;
    /* Two copies of an allocation node would allocate the same memory. */
    if (cuda_graph_has_type(child, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
        cuda_graph_has_type(child, CU_GRAPH_NODE_TYPE_MEM_FREE)) {
        driver_complain("cuGraphAddNode: a graph with memory allocation or free nodes cannot be copied");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    set_children(op, 1);
    op->children[0] = cuda_graph_copy(e->driver, child, false);
    op->children[0]->object.is_owned = true;
    return CUDA_SUCCESS;
}

/* The bodies of a conditional node are graphs that the program fills. */
static CUresult set_condition(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *parameters)
{
    enum { MOST_BODIES = 1 << 16 };
    const CUDA_CONDITIONAL_NODE_PARAMS *p = &parameters->conditional;
    unsigned most = p->type == CU_GRAPH_COND_TYPE_IF ? 2 : p->type == CU_GRAPH_COND_TYPE_WHILE ? 1 : UINT_MAX;
    if ((unsigned)p->type > CU_GRAPH_COND_TYPE_SWITCH || !p->size || p->size > most)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->size > MOST_BODIES) {
        driver_complain("cuGraphAddNode: a conditional node of %u bodies; heddle has at most %d", p->size, MOST_BODIES);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = graph_condition_use(e->driver, p->handle);
    if (result)
        return result;
    set_children(op, p->size);
    for (unsigned i = 0; i < p->size; i++) {
        op->children[i] = cuda_graph_create(e->driver, e->context, false);
        op->children[i]->object.is_owned = true;
    }
    op->parameters.conditional.phGraph_out = (CUgraph *)op->children;
    return CUDA_SUCCESS;
}

static CUresult set_memory(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *parameters)
{
    CUDA_MEM_ALLOC_NODE_PARAMS_v2 *a = &op->parameters.alloc;
    CUresult result = graph_memory_create(e, &parameters->alloc, &op->memory);
    if (result)
        return result;
    *a = parameters->alloc;
    a->dptr = op->memory->address;
    a->accessDescs = copy_of(a->accessDescs, a->accessDescCount, sizeof *a->accessDescs);
    return CUDA_SUCCESS;
}

static CUresult set_memop(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *parameters)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = &parameters->memOp;
    CUresult result = memop_check(e->driver, m->count, m->paramArray, m->flags);
    if (!result)
        op->parameters.memOp.paramArray = copy_of(m->paramArray, m->count, sizeof *m->paramArray);
    return result;
}

static CUresult check_context(struct driver *d, CUcontext context)
{
    return !context || object_find(d, OBJECT_CONTEXT, handle_of(context)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_copy(struct driver *d, const CUgraphNodeParams *p)
{
    if (p->memcpy.flags || p->memcpy.reserved)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_context(d, p->memcpy.copyCtx);
    return result ? result : copy_3d(d, &p->memcpy.copyParams, true);
}

CUresult op_set(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *p,
                const struct cuda_graph *graph)
{
    CUresult result;
    *op = (struct operation){.parameters = *p};
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return set_kernel(e, op, p);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return set_copy(e->driver, p);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        result = check_context(e->driver, p->memset.ctx);
        return result ? result : fill_2d(e->driver, &p->memset, true);
    case CU_GRAPH_NODE_TYPE_HOST:
        return p->host.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return set_child(e, op, p, graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return event_order(e->driver, p->eventWait.event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_order(e->driver, p->eventRecord.event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return set_memory(e, op, p);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return object_find(e->driver, OBJECT_ALLOCATION, p->free.dptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return set_memop(e, op, p);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return set_condition(e, op, p);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return driver_refuse(e->driver, "cuGraphAddNode", "nodes of external semaphores");
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

void op_copy(struct driver *d, struct operation *to, const struct operation *from, bool hidden)
{
    *to = *from;
    to->pointers = NULL;
    to->block = copy_of(from->block, from->block_bytes, 1);
    to->attributes = copy_of(from->attributes, from->attribute_count, sizeof *from->attributes);
    if (from->child_count)
        set_children(to, from->child_count);
    for (unsigned i = 0; i < from->child_count; i++) {
        to->children[i] = cuda_graph_copy(d, from->children[i], hidden);
        to->children[i]->object.is_owned = true;
    }
    if (from->parameters.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        to->parameters.conditional.phGraph_out = (CUgraph *)to->children;
    if (from->memory) {
        CUDA_MEM_ALLOC_NODE_PARAMS_v2 *a = &to->parameters.alloc;
        a->accessDescs = copy_of(a->accessDescs, a->accessDescCount, sizeof *a->accessDescs);
        from->memory->references++;
    }
    if (from->parameters.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) {
        CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = &to->parameters.memOp;
        m->paramArray = copy_of(m->paramArray, m->count, sizeof *m->paramArray);
    }
}

void op_clear(struct driver *d, struct operation *op)
{
    free(op->block);
    free(op->pointers);
    free(op->attributes);
    for (unsigned i = 0; i < op->child_count; i++)
        cuda_graph_destroy(d, op->children[i]);
    free(op->children);
    if (op->memory) {
        free((void *)op->parameters.alloc.accessDescs);
        graph_memory_release(d, op->memory);
    }
    if (op->parameters.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        free(op->parameters.memOp.paramArray);
    memset(op, 0, sizeof *op);
    op->parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
}

static CUresult get_kernel(struct driver *d, struct operation *op, CUgraphNodeParams *parameters)
{
    const struct function *f = object_find(d, OBJECT_FUNCTION, handle_of(op->parameters.kernel.func));
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    int count = ptx_given_parameters(f->kernel);
    if (!op->pointers && count) {
        const struct program *p = code_program(f->code);
        op->pointers = xcalloc((size_t)count, sizeof *op->pointers);
        for (int i = 0; i < count; i++)
            op->pointers[i] = op->block + p->layout->frame[f->kernel->index].formal_offset[i];
    }
    parameters->kernel.kernelParams = op->pointers;
    parameters->kernel.extra = NULL;
    return CUDA_SUCCESS;
}

CUresult op_get(struct driver *d, struct operation *op, CUgraphNodeParams *parameters)
{
    *parameters = op->parameters;
    if (op->parameters.type == CU_GRAPH_NODE_TYPE_GRAPH)
        parameters->graph.graph = (CUgraph)op->children[0];
    return op->parameters.type == CU_GRAPH_NODE_TYPE_KERNEL ? get_kernel(d, op, parameters) : CUDA_SUCCESS;
}

CUlaunchAttribute *op_find_attribute(const struct operation *op, CUlaunchAttributeID id)
{
    for (unsigned i = 0; i < op->attribute_count; i++)
        if (op->attributes[i].id == id)
            return &op->attributes[i];
    return NULL;
}

void op_set_attribute(struct operation *op, const CUlaunchAttribute *attribute)
{
    CUlaunchAttribute *place = op_find_attribute(op, attribute->id);
    if (!place) {
        op->attributes = xrealloc(op->attributes, (op->attribute_count + 1) * sizeof *op->attributes);
        place = &op->attributes[op->attribute_count++];
    }
    *place = *attribute;
}

struct host_call {
    const struct operation *op;
    CUresult status;
};

static void call_host(void *data)
{
    const struct host_call *c = data;
    if ((int)c->op->parameters.type == OP_CALLBACK)
        c->op->callback(c->op->stream, c->status, c->op->parameters.host.userData);
    else
        c->op->parameters.host.fn(c->op->parameters.host.userData);
}

/* Calls a function of the program, during which its context may end. */
static CUresult run_host(struct driver_entry *e, const struct operation *op)
{
    struct driver *d = e->driver;
    uint64_t id = e->context->object.id;
    struct host_call call = {op, e->context->sticky};
    if (call.status && (int)op->parameters.type != OP_CALLBACK)
        return CUDA_SUCCESS;
    driver_flush(d);
    d->streams.in_host_function = true;
    driver_call_out(call_host, &call);
    d->streams.in_host_function = false;
    const struct context *c = object_find(d, OBJECT_CONTEXT, handle_of(e->context));
    if (c && c->object.id == id)
        return CUDA_SUCCESS;
    e->context = NULL;
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Waits are over when they are called from a queue; inside a graph they poll. */
static CUresult run_memops(struct driver_entry *e, const struct operation *op)
{
    struct driver *d = e->driver;
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = &op->parameters.memOp;
    uint64_t handle = handle_of(e->context), id = e->context->object.id;
    for (unsigned i = 0; i < m->count; i++) {
        while (!memop_is_ready(d, &m->paramArray[i])) {
            driver_wait(1);
            const struct context *c = object_find(d, OBJECT_CONTEXT, handle);
            if (!c || c->object.id != id) {
                e->context = NULL;
                return CUDA_ERROR_CONTEXT_IS_DESTROYED;
            }
            if (c->sticky)
                return CUDA_SUCCESS;
        }
        CUresult result = memop_run(d, &m->paramArray[i]);
        if (result)
            return result;
    }
    return CUDA_SUCCESS;
}

CUresult op_check(struct driver *d, const struct operation *op)
{
    switch ((int)op->parameters.type) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return copy_3d(d, &op->parameters.memcpy.copyParams, true);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return fill_2d(d, &op->parameters.memset, true);
    default:
        return CUDA_SUCCESS;
    }
}

/* Kernels of a body may set the condition anew, which a WHILE node looks at before each turn. */
static CUresult run_condition(struct driver_entry *e, const struct operation *op)
{
    CUgraphConditionalNodeType type = op->parameters.conditional.type;
    CUresult result = CUDA_SUCCESS;
    for (;;) {
        uint32_t value = graph_condition_value(e->driver, op->parameters.conditional.handle);
        uint32_t chosen = type == CU_GRAPH_COND_TYPE_SWITCH ? value : !value;
        if (chosen >= op->child_count || result || !e->context || e->context->sticky)
            return result;
        result = cuda_graph_run(e, op->children[chosen]);
        if (type != CU_GRAPH_COND_TYPE_WHILE)
            return result;
    }
}

CUresult op_run(struct driver_entry *e, struct operation *op)
{
    struct driver *d = e->driver;
    CUlaunchConfig config;
    d->streams.begun++;
    switch ((int)op->parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        config = config_of(op);
        return launch_now(e, &config, op->parameters.kernel.func, op->block, op->block_bytes);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return copy_3d(d, &op->parameters.memcpy.copyParams, false);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return fill_2d(d, &op->parameters.memset, false);
    case CU_GRAPH_NODE_TYPE_HOST:
    case OP_CALLBACK:
        return run_host(e, op);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuda_graph_run(e, op->children[0]);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return run_condition(e, op);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        event_record_now(d, op->parameters.eventRecord.event, op->turn);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return graph_memory_allocate(d, op->memory);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return alloc_free(e, op->parameters.free.dptr);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return run_memops(e, op);
    default: /* an empty node, or a wait for an event that has happened */
        return CUDA_SUCCESS;
    }
}

static bool any_in_children(struct driver *d, const struct operation *op,
                            bool (*test)(struct driver *, const struct operation *))
{
    for (unsigned i = 0; i < op->child_count; i++)
        for (int k = 0; k < op->children[i]->nodes.count; k++) {
            const struct graph_node *n = op->children[i]->nodes.data[k];
            if (!n->is_disabled && test(d, &n->op))
                return true;
        }
    return false;
}

bool op_needs_worker(struct driver *d, const struct operation *op)
{
    switch ((int)op->parameters.type) {
    case CU_GRAPH_NODE_TYPE_HOST:
    case OP_CALLBACK:
        return true;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        for (unsigned i = 0; i < op->parameters.memOp.count; i++)
            if (memop_is_wait(&op->parameters.memOp.paramArray[i]))
                return true;
        return false;
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return any_in_children(d, op, op_needs_worker);
    default:
        return !op_is_ready(d, op);
    }
}

static bool waits_for_event(struct driver *d, const struct operation *op)
{
    return op->parameters.type != CU_GRAPH_NODE_TYPE_BATCH_MEM_OP && !op_is_ready(d, op);
}

/* A wait for a value inside a graph does not count: an earlier node of the graph may write the value. */
bool op_is_ready(struct driver *d, const struct operation *op)
{
    const struct event_order *order;
    switch ((int)op->parameters.type) {
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        order = event_order(d, op->parameters.eventWait.event);
        return !order || (op->turn ? order->done_turn >= op->turn : event_is_done(order));
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: /* in a queue each operation stands alone */
        return !op->parameters.memOp.count || memop_is_ready(d, &op->parameters.memOp.paramArray[0]);
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return !any_in_children(d, op, waits_for_event);
    default:
        return true;
    }
}
