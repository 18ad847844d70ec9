/*
 * Updates: an executable graph takes over what the nodes of another graph do, if both graphs have the same structure.
 *
 * Nodes are paired in the order in which they were made, as NVIDIA's driver pairs them for graphs that the same
 * sequence of calls has made. Everything is checked before the first node changes.
 */
#include "cuda/graph.h"
#include "cuda/legacy.h"

static bool has_same_edges(const struct graph_node *a, const struct graph_node *b)
{
    if (a->in.count != b->in.count)
        return false;
    for (int i = 0; i < a->in.count; i++) {
        bool found = false;
        for (int k = 0; k < b->in.count && !found; k++)
            found = a->in.data[i].node->mark == b->in.data[k].node->mark;
        if (!found)
            return false;
    }
    return true;
}

static void number_nodes(const struct cuda_graph *g)
{
    for (int i = 0; i < g->nodes.count; i++)
        g->nodes.data[i]->mark = i;
}

/* `info` gets the first difference that forbids the update. */
static bool can_update(const struct cuda_graph *to, const struct cuda_graph *from, CUgraphExecUpdateResultInfo *info)
{
    *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED};
    if (to->nodes.count != from->nodes.count)
        return false;
    number_nodes(to);
    number_nodes(from);
    for (int i = 0; i < to->nodes.count; i++) {
        const struct graph_node *a = to->nodes.data[i], *b = from->nodes.data[i];
        info->errorNode = (CUgraphNode)b;
        if (!has_same_edges(a, b))
            return false;
        if (a->op.parameters.type != b->op.parameters.type) {
            info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
            return false;
        }
        if (a->op.memory != b->op.memory || (a->op.parameters.type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
                                             a->op.parameters.free.dptr != b->op.parameters.free.dptr)) {
            info->result = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
            return false;
        }
    }
    for (int i = 0; i < to->nodes.count; i++) {
        const struct operation *a = &to->nodes.data[i]->op, *b = &from->nodes.data[i]->op;
        if (a->child_count != b->child_count) {
            *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
                                                  .errorNode = (CUgraphNode)from->nodes.data[i]};
            return false;
        }
        for (unsigned k = 0; k < a->child_count; k++)
            if (!can_update(a->children[k], b->children[k], info))
                return false;
    }
    *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    return true;
}

/* Nodes keep their identity: the program names them by the nodes of the graph that was instantiated. */
static void update(struct driver *d, struct cuda_graph *to, const struct cuda_graph *from)
{
    graph_conditions_release(d, to);
    graph_conditions_copy(d, to, from);
    for (int i = 0; i < to->nodes.count; i++) {
        struct graph_node *a = to->nodes.data[i];
        const struct graph_node *b = from->nodes.data[i];
        for (unsigned k = 0; k < a->op.child_count; k++)
            update(d, a->op.children[k], b->op.children[k]);
        if (a->op.child_count) {
            a->op.parameters = b->op.parameters;
            if (a->op.parameters.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
                a->op.parameters.conditional.phGraph_out = (CUgraph *)a->op.children;
            continue;
        }
        struct operation op;
        op_copy(d, &op, &b->op, true);
        op_clear(d, &a->op);
        a->op = op;
    }
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    ENTER(e, NEED_CONTEXT);
    struct graph_exec *x = object_find(e.driver, OBJECT_GRAPH_EXEC, handle_of(exec));
    const struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!x || !g || !info)
        return CUDA_ERROR_INVALID_VALUE;
    if (!can_update(x->graph, g, info))
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    update(e.driver, x->graph, g);
    return CUDA_SUCCESS;
}

CUresult legacy_cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
                                  CUgraphExecUpdateResult *update_result)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUresult result = cuGraphExecUpdate(exec, graph, &info);
    if (error_node)
        *error_node = info.errorNode;
    if (update_result)
        *update_result = info.result;
    return result;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    ENTER(e, NEED_CONTEXT);
    struct graph_exec *x = object_find(e.driver, OBJECT_GRAPH_EXEC, handle_of(exec));
    const struct graph_node *original = cuda_graph_find_node(e.driver, node);
    const struct cuda_graph *g = cuda_graph_find(e.driver, child);
    struct graph_node *n = NULL;
    if (x && original)
        HASH_FIND(hh_by_origin, x->by_origin, &original->object.id, sizeof original->object.id, n);
    if (!n || !g || n->op.parameters.type != CU_GRAPH_NODE_TYPE_GRAPH)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphExecUpdateResultInfo info;
    if (!can_update(n->op.children[0], g, &info))
        return CUDA_ERROR_INVALID_VALUE;
    update(e.driver, n->op.children[0], g);
    return CUDA_SUCCESS;
}
