/* Executable graphs: making one from a graph, and launching it. See graph.h. */
#include "cuda/capture.h"
#include "cuda/graph.h"
#include "cuda/legacy.h"
#include "cuda/queue.h"

#include <stdlib.h>
#include <string.h>

/* Visits the nodes in the order in which they were made, and before each those that it depends on. A node's mark is 0
 * before the visit, 1 during it, and 2 once the node is in the order. */
bool cuda_graph_sort(const struct cuda_graph *g, struct graph_nodes *order, struct graph_node **cycle)
{
    struct graph_nodes stack = {0};
    bool is_acyclic = true;
    for (int i = 0; i < g->nodes.count; i++)
        g->nodes.data[i]->mark = 0;
    for (int i = 0; is_acyclic && i < g->nodes.count; i++) {
        vec_push(&stack, g->nodes.data[i]);
        while (stack.count && is_acyclic) {
            struct graph_node *n = stack.data[stack.count - 1];
            if (n->mark) {
                stack.count--;
                if (n->mark == 1)
                    vec_push(order, n);
                n->mark = 2;
                continue;
            }
            n->mark = 1;
            for (int k = n->in.count - 1; k >= 0 && is_acyclic; k--) {
                struct graph_node *before = n->in.data[k].node;
                if (!before->mark)
                    vec_push(&stack, before);
                else if (before->mark == 1) {
                    is_acyclic = false;
                    *cycle = before;
                }
            }
        }
    }
    vec_free(&stack);
    return is_acyclic;
}

static CUresult run_nodes(struct driver_entry *e, const struct cuda_graph *g, const struct graph_nodes *order)
{
    CUresult result = CUDA_SUCCESS;
    graph_conditions_assign(e->driver, g);
    /* After a kernel's fault nothing more is done, and the context has failed. */
    for (int i = 0; !result && i < order->count && !e->context->sticky; i++)
        if (!order->data[i]->is_disabled)
            result = op_run(e, &order->data[i]->op);
    return result;
}

CUresult cuda_graph_run(struct driver_entry *e, const struct cuda_graph *g)
{
    struct graph_nodes order = {0};
    struct graph_node *cycle;
    CUresult result = cuda_graph_sort(g, &order, &cycle) ? run_nodes(e, g, &order) : CUDA_ERROR_INVALID_VALUE;
    vec_free(&order);
    return result;
}

void graph_exec_index(struct graph_exec *x, const struct cuda_graph *g)
{
    for (int i = 0; i < g->nodes.count; i++) {
        struct graph_node *n = g->nodes.data[i];
        HASH_ADD(hh_by_origin, x->by_origin, origin, sizeof n->origin, n);
        for (unsigned k = 0; k < n->op.child_count; k++)
            graph_exec_index(x, n->op.children[k]);
    }
}

void graph_exec_finish(struct driver *d, struct object *object)
{
    struct graph_exec *x = (struct graph_exec *)object;
    HASH_CLEAR(hh_by_origin, x->by_origin);
    vec_free(&x->order);
    cuda_graph_destroy(d, x->graph);
}

/* Whether all child graphs can be put into an order, too. */
static bool children_are_acyclic(const struct cuda_graph *g, struct graph_node **cycle)
{
    for (int i = 0; i < g->nodes.count; i++)
        for (unsigned k = 0; k < g->nodes.data[i]->op.child_count; k++) {
            const struct cuda_graph *child = g->nodes.data[i]->op.children[k];
            struct graph_nodes order = {0};
            bool ok = cuda_graph_sort(child, &order, cycle) && children_are_acyclic(child, cycle);
            vec_free(&order);
            if (!ok)
                return false;
        }
    return true;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters)
{
    ENTER(e, NEED_CONTEXT);
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    parameters->hErrNode_out = NULL;
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    uint64_t known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                     CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    if (!exec || !g || parameters->flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
        driver_complain("cuGraphInstantiate: graphs that kernels launch are not supported");
        parameters->result_out = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    bool allocates =
        cuda_graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_ALLOC) || cuda_graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_FREE);
    const struct graph_exec *other = object_find(e.driver, OBJECT_GRAPH_EXEC, g->exec_handle);
    if (allocates && other && other->object.id == g->exec_id) {
        driver_complain("cuGraphInstantiate: a graph with memory allocation nodes has one executable graph at a time");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!graph_conditions_are_used(g)) {
        parameters->result_out = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct graph_nodes order = {0};
    struct graph_node *cycle = NULL;
    if (!cuda_graph_sort(g, &order, &cycle) || !children_are_acyclic(g, &cycle)) {
        vec_free(&order);
        parameters->hErrNode_out = (CUgraphNode)cycle;
        parameters->result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
        return CUDA_ERROR_INVALID_VALUE;
    }
    vec_free(&order);
    struct graph_exec *x = xcalloc(1, sizeof *x);
    x->flags = parameters->flags;
    x->graph = cuda_graph_copy(e.driver, g, true);
    cuda_graph_sort(x->graph, &x->order, &cycle);
    graph_exec_index(x, x->graph);
    object_add(e.driver, &x->object, OBJECT_GRAPH_EXEC, handle_of(x), e.context);
    g->exec_handle = x->object.handle;
    g->exec_id = x->object.id;
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    *exec = (CUgraphExec)x;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {.flags = flags};
    return cuGraphInstantiateWithParams(exec, graph, &parameters);
}

/* The first two forms, which could tell in words what is wrong with a graph. */
static CUresult instantiate_with_log(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {0};
    CUresult result = cuGraphInstantiateWithParams(exec, graph, &parameters);
    bool is_cycle = parameters.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    if (error_node)
        *error_node = parameters.hErrNode_out;
    const char *text = is_cycle ? "the graph has a cycle" : "";
    if (log && size) {
        size_t length = strlen(text) < size ? strlen(text) : size - 1;
        memcpy(log, text, length);
        log[length] = '\0';
    }
    return result;
}

CUresult legacy_cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size)
{
    return instantiate_with_log(exec, graph, error_node, log, size);
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size)
{
    return instantiate_with_log(exec, graph, error_node, log, size);
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    ENTER(e, NEED_INIT);
    struct graph_exec *x = object_find(e.driver, OBJECT_GRAPH_EXEC, handle_of(exec));
    if (!x)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(e.driver, &x->object);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    ENTER(e, NEED_INIT);
    const struct graph_exec *x = object_find(e.driver, OBJECT_GRAPH_EXEC, handle_of(exec));
    if (!x || !flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = x->flags & ~(uint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    return CUDA_SUCCESS;
}

/* Nothing has to be brought to a device. */
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    if (!object_find(e.driver, OBJECT_GRAPH_EXEC, handle_of(exec)))
        return CUDA_ERROR_INVALID_VALUE;
    return stream_settle(&e, stream);
}

/* Memory that the last launch of the graph, or of a graph inside, left allocated: frees it if the flags say so. */
static CUresult check_memory(struct driver *d, const struct cuda_graph *g, uint64_t flags)
{
    CUresult result = CUDA_SUCCESS;
    for (int i = 0; i < g->nodes.count && !result; i++) {
        const struct operation *op = &g->nodes.data[i]->op;
        bool is_left = op->memory && op->memory->is_live;
        if (is_left && !(flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
            return CUDA_ERROR_INVALID_VALUE;
        if (is_left)
            graph_memory_free(d, op->memory);
        for (unsigned k = 0; k < op->child_count && !result; k++)
            result = check_memory(d, op->children[k], flags);
    }
    return result;
}

/* In a capture, and where the launch has to wait, the whole graph is one operation. */
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    if (!exec)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph_exec *x = object_find(e.driver, OBJECT_GRAPH_EXEC, handle_of(exec));
    struct stream *s = stream_find(&e, stream);
    if (!x || !s)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = s->capture ? CUDA_SUCCESS : check_memory(e.driver, x->graph, x->flags);
    if (result)
        return result;
    struct operation op = {.parameters.type = CU_GRAPH_NODE_TYPE_GRAPH, .children = &x->graph, .child_count = 1};
    if (!s->capture && !queue_is_busy(e.driver, s) && !op_needs_worker(e.driver, &op)) {
        result = capture_check_stream(&e, s);
        struct driver_entry in_stream = {.driver = e.driver, .context = s->object.context};
        return result ? result : run_nodes(&in_stream, x->graph, &x->order);
    }
    if (s->capture && cuda_graph_has_type(x->graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC))
        return driver_refuse(e.driver, "cuGraphLaunch", "the capture of a graph with memory allocation nodes");
    struct operation own;
    op_copy(e.driver, &own, &op, !s->capture);
    return stream_submit(&e, stream, &own);
}
