/* Copies as nodes of graphs: in three dimensions, of bytes in a row, and of variables named by their host symbol. */
#include "runtime/channel.h"
#include "runtime/copy.h"
#include "runtime/graph_node.h"
#include "runtime/registry.h"
#include "runtime/runtime.h"

/* A place in a graph for a copy: a new node, an existing one, or one of an executable graph. */
struct copy_node {
    cudaGraphNode_t *added;
    cudaGraph_t graph;
    const cudaGraphNode_t *dependencies;
    size_t count;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
};

static CUresult put(const struct copy_node *n, const CUDA_MEMCPY3D *copy)
{
    if (n->graph)
        return driver.cuGraphAddMemcpyNode(n->added, n->graph, n->dependencies, n->count, copy, NULL);
    if (n->exec)
        return driver.cuGraphExecMemcpyNodeSetParams(n->exec, n->node, copy, NULL);
    return driver.cuGraphMemcpyNodeSetParams(n->node, copy);
}

static cudaError_t put_3d(const struct copy_node *n, const struct cudaMemcpy3DParms *parameters)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    cudaError_t error = copy_translate_3d(parameters, &copy);
    return error ? runtime_fail(error) : runtime_end(put(n, &copy));
}

cudaError_t graph_line_to_driver(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 CUDA_MEMCPY3D *copy)
{
    struct copy_types types;
    if (!copy_find_types(kind, &types))
        return cudaErrorInvalidMemcpyDirection;
    *copy = (CUDA_MEMCPY3D){.srcMemoryType = types.from,
                            .srcHost = from,
                            .srcDevice = address_of(from),
                            .dstMemoryType = types.to,
                            .dstHost = to,
                            .dstDevice = address_of(to),
                            .WidthInBytes = bytes,
                            .Height = 1,
                            .Depth = 1};
    return cudaSuccess;
}

static cudaError_t put_line(const struct copy_node *n, void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    cudaError_t error = graph_line_to_driver(to, from, bytes, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(put(n, &copy));
}

static cudaError_t put_to_symbol(const struct copy_node *n, const void *symbol, const void *from, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    void *to;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return runtime_fail(cudaErrorInvalidMemcpyDirection);
    cudaError_t error = registry_find_part(symbol, bytes, offset, &to);
    return error ? runtime_fail(error) : put_line(n, to, from, bytes, kind);
}

static cudaError_t put_from_symbol(const struct copy_node *n, void *to, const void *symbol, size_t bytes, size_t offset,
                                   enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    void *from;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return runtime_fail(cudaErrorInvalidMemcpyDirection);
    cudaError_t error = registry_find_part(symbol, bytes, offset, &from);
    return error ? runtime_fail(error) : put_line(n, to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaMemcpy3DParms *parameters)
{
    struct copy_node n = {.added = node, .graph = graph, .dependencies = dependencies, .count = count};
    return graph ? put_3d(&n, parameters) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct copy_node n = {.added = node, .graph = graph, .dependencies = dependencies, .count = count};
    return graph ? put_line(&n, to, from, bytes, kind) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count, const void *symbol,
                                           const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    struct copy_node n = {.added = node, .graph = graph, .dependencies = dependencies, .count = count};
    return graph ? put_to_symbol(&n, symbol, from, bytes, offset, kind) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    struct copy_node n = {.added = node, .graph = graph, .dependencies = dependencies, .count = count};
    return graph ? put_from_symbol(&n, to, symbol, bytes, offset, kind) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *parameters)
{
    return put_3d(&(struct copy_node){.node = node}, parameters);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           enum cudaMemcpyKind kind)
{
    return put_line(&(struct copy_node){.node = node}, to, from, bytes, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return put_to_symbol(&(struct copy_node){.node = node}, symbol, from, bytes, offset, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol, size_t bytes,
                                                   size_t offset, enum cudaMemcpyKind kind)
{
    return put_from_symbol(&(struct copy_node){.node = node}, to, symbol, bytes, offset, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *parameters)
{
    struct copy_node n = {.exec = exec, .node = node};
    return exec ? put_3d(&n, parameters) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t bytes, enum cudaMemcpyKind kind)
{
    struct copy_node n = {.exec = exec, .node = node};
    return exec ? put_line(&n, to, from, bytes, kind) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *from, size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    struct copy_node n = {.exec = exec, .node = node};
    return exec ? put_to_symbol(&n, symbol, from, bytes, offset, kind) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       enum cudaMemcpyKind kind)
{
    struct copy_node n = {.exec = exec, .node = node};
    return exec ? put_from_symbol(&n, to, symbol, bytes, offset, kind) : runtime_fail(cudaErrorInvalidValue);
}

/* The bytes of an array's element; 1: there is no array. */
static size_t element_bytes(CUmemorytype type, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (type != CU_MEMORYTYPE_ARRAY || driver.cuArray3DGetDescriptor(&d, array))
        return 1;
    size_t bytes = channel_element_bytes(d.Format, d.NumChannels);
    return bytes ? bytes : 1;
}

static enum cudaMemcpyKind find_kind(CUmemorytype to, CUmemorytype from)
{
    if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (to == CU_MEMORYTYPE_HOST)
        return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    return from == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

static void *pointer_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
    return type == CU_MEMORYTYPE_HOST ? (void *)host : (void *)(uintptr_t)device;
}

cudaError_t graph_copy_from_driver(const CUDA_MEMCPY3D *from, struct cudaMemcpy3DParms *to)
{
    size_t source = element_bytes(from->srcMemoryType, from->srcArray);
    size_t target = element_bytes(from->dstMemoryType, from->dstArray);
    bool has_target = from->dstMemoryType == CU_MEMORYTYPE_ARRAY,
         has_source = from->srcMemoryType == CU_MEMORYTYPE_ARRAY;
    *to = (struct cudaMemcpy3DParms){
        .srcPos = {from->srcXInBytes / source, from->srcY, from->srcZ},
        .dstPos = {from->dstXInBytes / target, from->dstY, from->dstZ},
        .extent = {from->WidthInBytes / (has_target ? target : source), from->Height, from->Depth},
        .kind = find_kind(from->dstMemoryType, from->srcMemoryType)};
    if (has_source)
        to->srcArray = (cudaArray_t)from->srcArray;
    else
        to->srcPtr = (struct cudaPitchedPtr){pointer_of(from->srcMemoryType, from->srcHost, from->srcDevice),
                                             from->srcPitch, from->WidthInBytes, from->srcHeight};
    if (has_target)
        to->dstArray = (cudaArray_t)from->dstArray;
    else
        to->dstPtr = (struct cudaPitchedPtr){pointer_of(from->dstMemoryType, from->dstHost, from->dstDevice),
                                             from->dstPitch, from->WidthInBytes, from->dstHeight};
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *parameters)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    if (!parameters)
        return runtime_fail(cudaErrorInvalidValue);
    CUresult result = driver.cuGraphMemcpyNodeGetParams(node, &copy);
    return result ? runtime_end(result) : runtime_fail(graph_copy_from_driver(&copy, parameters));
}
