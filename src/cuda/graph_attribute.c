/* Attributes of kernel nodes, which are those of a launch, and calls on nodes that heddle has no operation for. */
#include "cuda/graph.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static struct graph_node *find_kernel_node(struct driver *d, CUgraphNode node)
{
    struct graph_node *n = cuda_graph_find_node(d, node);
    return n && n->op.parameters.type == CU_GRAPH_NODE_TYPE_KERNEL ? n : NULL;
}

static bool id_is_valid(CUkernelNodeAttrID id)
{
    switch ((int)id) {
    case CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE:
    case CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_KERNEL_NODE_ATTRIBUTE_PRIORITY:
    case CU_KERNEL_NODE_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_KERNEL_NODE_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_KERNEL_NODE_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_KERNEL_NODE_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return true;
    default:
        return false;
    }
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    ENTER(e, NEED_INIT);
    struct graph_node *t = find_kernel_node(e.driver, to);
    const struct graph_node *f = find_kernel_node(e.driver, from);
    if (!t || !f)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; t != f && i < f->op.attribute_count; i++)
        op_set_attribute(&t->op, &f->op.attributes[i]);
    return CUDA_SUCCESS;
}

/* An attribute that nobody has set is zero, as in a launch without it. */
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue *value)
{
    ENTER(e, NEED_INIT);
    const struct graph_node *n = find_kernel_node(e.driver, node);
    if (!n || !value || !id_is_valid(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    const CUlaunchAttribute *found = op_find_attribute(&n->op, attribute);
    if (found)
        *value = found->value;
    else
        memset(value, 0, sizeof *value);
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value)
{
    ENTER(e, NEED_INIT);
    struct graph_node *n = find_kernel_node(e.driver, node);
    if (!n || !value || !id_is_valid(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    CUlaunchAttribute one = {.id = attribute, .value = *value};
    op_set_attribute(&n->op, &one);
    return CUDA_SUCCESS;
}

static CUresult refuse_semaphores(const char *call)
{
    driver_complain("%s: external semaphores are not supported", call);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                                size_t count, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters)
{
    (void)node, (void)graph, (void)dependencies, (void)count, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                              size_t count, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters)
{
    (void)node, (void)graph, (void)dependencies, (void)count, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters)
{
    (void)node, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node,
                                                      const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters)
{
    (void)node, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node, CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters)
{
    (void)node, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters)
{
    (void)node, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                          const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters)
{
    (void)exec, (void)node, (void)parameters;
    return refuse_semaphores(__func__);
}

CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                        const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters)
{
    (void)exec, (void)node, (void)parameters;
    return refuse_semaphores(__func__);
}
