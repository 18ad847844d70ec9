/* See old_forms.h. */
#include "runtime/versioned/old_forms.h"

#include "runtime/runtime.h"

#include <string.h>

#if RUNTIME_MAJOR < 13

cudaError_t old_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return new_cudaEventElapsedTime(milliseconds, start, end);
}

cudaError_t old_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
    return new_cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL);
}

cudaError_t old_capture_info_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
    return old_capture_info(runtime_per_thread(stream), status, id);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                        size_t *count)
{
    return new_cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, NULL, count);
}

cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                             size_t *count)
{
    return cudaStreamGetCaptureInfo_v2(runtime_per_thread(stream), status, id, graph, nodes, count);
}

cudaError_t old_update_capture(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags)
{
    return new_cudaStreamUpdateCaptureDependencies(stream, nodes, NULL, count, flags);
}

cudaError_t old_update_capture_ptsz(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags)
{
    return old_update_capture(runtime_per_thread(stream), nodes, count, flags);
}

cudaError_t old_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
                         struct cudaGraphNodeParams *parameters)
{
    return new_cudaGraphAddNode(node, graph, dependencies, NULL, count, parameters);
}

cudaError_t old_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    return new_cudaGraphGetEdges(graph, from, to, NULL, count);
}

cudaError_t old_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return new_cudaGraphNodeGetDependencies(node, nodes, NULL, count);
}

cudaError_t old_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return new_cudaGraphNodeGetDependentNodes(node, nodes, NULL, count);
}

cudaError_t old_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    return new_cudaGraphAddDependencies(graph, from, to, NULL, count);
}

cudaError_t old_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    return new_cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

#endif

#if RUNTIME_MAJOR < 12

/* The driver names a node of a cycle, and nothing in words. */
cudaError_t old_instantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *node, char *text,
                            size_t bytes)
{
    cudaGraphInstantiateParams parameters = {0};
    cudaError_t error = cudaGraphInstantiateWithParams(executable, graph, &parameters);
    if (node)
        *node = parameters.errNode_out;
    if (text && bytes)
        *text = '\0';
    return error;
}

cudaError_t old_update(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *node,
                       enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {0};
    cudaError_t error = new_cudaGraphExecUpdate(executable, graph, &info);
    if (node)
        *node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

/* The union of attributes was as large as its largest member then, which is the access policy. */
static cudaError_t shorten(cudaError_t error, const cudaLaunchAttributeValue *from, void *to)
{
    if (!error)
        memcpy(to, from, sizeof from->accessPolicyWindow);
    return error;
}

cudaError_t old_node_attribute(cudaGraphNode_t node, cudaLaunchAttributeID id, void *value)
{
    cudaLaunchAttributeValue whole = {{0}};
    return value ? shorten(new_cudaGraphKernelNodeGetAttribute(node, id, &whole), &whole, value)
                 : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t old_stream_attribute(cudaStream_t stream, cudaLaunchAttributeID id, void *value)
{
    cudaLaunchAttributeValue whole = {{0}};
    return value ? shorten(new_cudaStreamGetAttribute(stream, id, &whole), &whole, value)
                 : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t old_stream_attribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID id, void *value)
{
    return old_stream_attribute(runtime_per_thread(stream), id, value);
}

#endif
