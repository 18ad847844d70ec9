/* Nodes of graphs: adding them, and reading and changing what they do. */
#include "cuda/graph.h"
#include "cuda/legacy.h"

#include <stddef.h>
#include <string.h>

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                        size_t count, CUgraphNodeParams *parameters)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!node || !g || !parameters)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph_edges found = {0};
    CUresult result = cuda_graph_find_dependencies(e.driver, g, dependencies, edges, count, &found);
    struct operation op;
    if (!result)
        result = op_set(&e, &op, parameters, g);
    if (!result) {
        if (op.memory)
            parameters->alloc.dptr = op.memory->address;
        if (parameters->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
            parameters->conditional.phGraph_out = op.parameters.conditional.phGraph_out;
        struct graph_node *n = cuda_graph_add(e.driver, g, &op);
        for (int i = 0; i < found.count; i++)
            cuda_graph_connect(found.data[i].node, n, &found.data[i].data);
        *node = (CUgraphNode)n;
    }
    vec_free(&found);
    return result;
}

/* The older form, without data of edges. */
CUresult legacy_cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                               CUgraphNodeParams *parameters)
{
    return cuGraphAddNode(node, graph, dependencies, NULL, count, parameters);
}

/* Changes what a node does. A node keeps its type; nodes of memory and conditions keep what they have. */
static CUresult set_parameters(struct driver_entry *e, struct graph_node *n, const CUgraphNodeParams *parameters)
{
    if (!n || n->op.parameters.type != parameters->type)
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || parameters->type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
        parameters->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        return CUDA_ERROR_INVALID_VALUE;
    struct operation op;
    CUresult result = op_set(e, &op, parameters, n->graph);
    if (result)
        return result;
    /* The attributes of a kernel node are set by calls of their own. */
    for (unsigned i = 0; i < n->op.attribute_count; i++)
        op_set_attribute(&op, &n->op.attributes[i]);
    op_clear(e->driver, &n->op);
    n->op = op;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *parameters)
{
    ENTER(e, NEED_CONTEXT);
    struct graph_node *n = cuda_graph_find_node(e.driver, node);
    return parameters ? set_parameters(&e, n, parameters) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult get_parameters(struct driver_entry *e, CUgraphNode node, CUgraphNodeType type,
                               CUgraphNodeParams *parameters)
{
    struct graph_node *n = cuda_graph_find_node(e->driver, node);
    return n && n->op.parameters.type == type ? op_get(e->driver, &n->op, parameters) : CUDA_ERROR_INVALID_VALUE;
}

/* In an executable graph, the copy of a node. */
static struct graph_node *find_in_exec(struct driver *d, CUgraphExec exec, CUgraphNode node)
{
    const struct graph_exec *x = object_find(d, OBJECT_GRAPH_EXEC, handle_of(exec));
    const struct graph_node *original = cuda_graph_find_node(d, node);
    struct graph_node *found = NULL;
    if (x && original)
        HASH_FIND(hh_by_origin, x->by_origin, &original->object.id, sizeof original->object.id, found);
    return found;
}

static CUresult exec_set(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *parameters)
{
    ENTER(e, NEED_CONTEXT);
    /* A child graph is changed by an update of its nodes, which keeps the nodes' identity. */
    if (parameters->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return cuGraphExecChildGraphNodeSetParams(exec, node, parameters->graph.graph);
    return set_parameters(&e, find_in_exec(e.driver, exec, node), parameters);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *parameters)
{
    return parameters ? exec_set(exec, node, parameters) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    ENTER(e, NEED_CONTEXT);
    const struct graph_node *n = find_in_exec(e.driver, exec, node);
    if (!n || !enabled)
        return CUDA_ERROR_INVALID_VALUE;
    *enabled = !n->is_disabled;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    ENTER(e, NEED_CONTEXT);
    struct graph_node *n = find_in_exec(e.driver, exec, node);
    if (!n || enabled > 1)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeType type = n->op.parameters.type;
    if (type != CU_GRAPH_NODE_TYPE_KERNEL && type != CU_GRAPH_NODE_TYPE_MEMCPY && type != CU_GRAPH_NODE_TYPE_MEMSET)
        return CUDA_ERROR_INVALID_VALUE;
    n->is_disabled = !enabled;
    return CUDA_SUCCESS;
}

/* Kernels. Both forms of the parameters begin with the same fields. */

static CUgraphNodeParams of_kernel(const CUDA_KERNEL_NODE_PARAMS *k)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    memcpy(&p.kernel, k, sizeof *k);
    return p;
}

static CUgraphNodeParams of_first_kernel(const CUDA_KERNEL_NODE_PARAMS_v1 *k)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    memcpy(&p.kernel, k, sizeof *k);
    return p;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_kernel(parameters);
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult legacy_cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_first_kernel(parameters);
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

/* Every node type has calls of its own to read and set its parameters. GETTER stores the whole of a field of
 * CUgraphNodeParams, or a part that the type of `out` names. */
#define GETTER(node, type, out, field)                                                         \
    do {                                                                                       \
        ENTER(e, NEED_INIT);                                                                   \
        CUgraphNodeParams p;                                                                   \
        CUresult result = out ? get_parameters(&e, node, type, &p) : CUDA_ERROR_INVALID_VALUE; \
        if (!result)                                                                           \
            memcpy(out, &p.field, sizeof *(out));                                              \
        return result;                                                                         \
    } while (0)

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *parameters)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_KERNEL, parameters, kernel);
}

CUresult legacy_cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_KERNEL, parameters, kernel);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_kernel(parameters);
    return cuGraphNodeSetParams(node, &p);
}

CUresult legacy_cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_first_kernel(parameters);
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_kernel(parameters);
    return exec_set(exec, node, &p);
}

CUresult legacy_cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_first_kernel(parameters);
    return exec_set(exec, node, &p);
}

/* Copies. */

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext context)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyCtx = context, .copyParams = *copy}};
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_MEMCPY, copy, memcpy.copyParams);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy.copyParams = *copy};
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
                                        CUcontext context)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyCtx = context, .copyParams = *copy}};
    return exec_set(exec, node, &p);
}

/* Fills. */

static CUgraphNodeParams of_fill(const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context)
{
    return (CUgraphNodeParams){
        .type = CU_GRAPH_NODE_TYPE_MEMSET,
        .memset = {fill->dst, fill->pitch, fill->value, fill->elementSize, fill->width, fill->height, context}};
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_fill(parameters, context);
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *parameters)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_MEMSET, parameters, memset);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_fill(parameters, NULL);
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters,
                                        CUcontext context)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_fill(parameters, context);
    return exec_set(exec, node, &p);
}

/* Host functions. */

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {parameters->fn, parameters->userData}};
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *parameters)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_HOST, parameters, host);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {parameters->fn, parameters->userData}};
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {parameters->fn, parameters->userData}};
    return exec_set(exec, node, &p);
}

/* Child graphs, empty nodes. */

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  CUgraph child)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph.graph = child};
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_GRAPH, graph, graph.graph);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

/* Events. */

static CUgraphNodeParams of_record(CUevent event)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord.event = event};
}

static CUgraphNodeParams of_wait(CUevent event)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait.event = event};
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                   CUevent event)
{
    CUgraphNodeParams p = of_record(event);
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, eventRecord.event);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    CUgraphNodeParams p = of_record(event);
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    CUgraphNodeParams p = of_record(event);
    return exec_set(exec, node, &p);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 CUevent event)
{
    CUgraphNodeParams p = of_wait(event);
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, eventWait.event);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    CUgraphNodeParams p = of_wait(event);
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    CUgraphNodeParams p = of_wait(event);
    return exec_set(exec, node, &p);
}

/* Stream memory operations. */

static CUgraphNodeParams of_memops(const CUDA_BATCH_MEM_OP_NODE_PARAMS *m)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                               .memOp = {m->ctx, m->count, m->paramArray, m->flags}};
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_memops(parameters);
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, parameters, memOp);
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_memops(parameters);
    return cuGraphNodeSetParams(node, &p);
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = of_memops(parameters);
    return exec_set(exec, node, &p);
}

/* Memory. */

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    if (!parameters)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    memcpy(&p.alloc, parameters, sizeof *parameters);
    CUresult result = cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
    if (!result)
        parameters->dptr = p.alloc.dptr;
    return result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *parameters)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC, parameters, alloc);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr address)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free.dptr = address};
    return cuGraphAddNode(node, graph, dependencies, NULL, count, &p);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    GETTER(node, CU_GRAPH_NODE_TYPE_MEM_FREE, address, free.dptr);
}
