/* Captures and launches of graphs in the per-thread default stream, which the NULL stream means here. */
#include "runtime/per_thread_graph.h"

#include "runtime/runtime.h"

cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *parameters)
{
    return cudaGraphInstantiateWithParams(exec, graph, parameters);
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream)
{
    return cudaGraphLaunch(exec, runtime_per_thread(stream));
}

cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream)
{
    return cudaGraphUpload(exec, runtime_per_thread(stream));
}

cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return cudaStreamBeginCapture(runtime_per_thread(stream), mode);
}

cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                                               size_t count, enum cudaStreamCaptureMode mode)
{
    return cudaStreamBeginCaptureToGraph(runtime_per_thread(stream), graph, dependencies, edges, count, mode);
}

cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *graph)
{
    return cudaStreamEndCapture(runtime_per_thread(stream), graph);
}

cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return cudaStreamIsCapturing(runtime_per_thread(stream), status);
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                          unsigned long long *id, cudaGraph_t *graph,
                                          const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                          size_t *count)
{
    return cudaStreamGetCaptureInfo(runtime_per_thread(stream), status, id, graph, dependencies, edges, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *edges, size_t count, unsigned int flags)
{
    return cudaStreamUpdateCaptureDependencies(runtime_per_thread(stream), dependencies, edges, count, flags);
}
