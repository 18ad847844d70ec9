/*
 * Graphs as a whole, executable graphs, and objects of the program that end with the graphs that use them. Nodes are in
 * graph_node.c and graph_copy.c.
 */
#include "runtime/runtime.h"

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphCreate(graph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphDestroy(graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphClone(clone, graph));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphNodeFindInClone(node, original, clone));
}

/* The runtime has no type for a node of stream memory operations, and shows the driver's number. */
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphNodeGetType(node, (CUgraphNodeType *)type));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphGetNodes(graph, nodes, count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphGetRootNodes(graph, nodes, count));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphGetEdges(graph, from, to, (CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies, cudaGraphEdgeData *edges,
                                         size_t *count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphNodeGetDependencies(node, dependencies, (CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents, cudaGraphEdgeData *edges,
                                           size_t *count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphNodeGetDependentNodes(node, dependents, (CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddDependencies(graph, from, to, (const CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphRemoveDependencies(graph, from, to, (const CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphDestroyNode(node));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphDebugDotPrint(graph, path, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphInstantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
    _Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS),
                   "one layout serves both APIs");
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphInstantiateWithParams(exec, graph, (CUDA_GRAPH_INSTANTIATE_PARAMS *)parameters));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecGetFlags(exec, (cuuint64_t *)flags));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecDestroy(exec));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    _Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo),
                   "one layout serves both APIs");
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecUpdate(exec, graph, (CUgraphExecUpdateResultInfo *)info));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphUpload(exec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphLaunch(exec, stream));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphNodeGetEnabled(exec, node, enabled));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphNodeSetEnabled(exec, node, enabled));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)handle, graph, NULL, value, flags));
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceGraphMemTrim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned int count,
                                 unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuUserObjectCreate(object, data, (CUhostFn)destroy, count, flags));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuUserObjectRetain(object, count));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuUserObjectRelease(object, count));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                      unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphRetainUserObject(graph, object, count, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphReleaseUserObject(graph, object, count));
}
