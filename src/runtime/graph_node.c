/*
 * Nodes of graphs: kernels, fills, host functions, child graphs, events and memory. Copies are in graph_copy.c.
 *
 * Where a structure of the runtime has the layout of the driver's, it is passed on as it is.
 */
#include "runtime/graph_node.h"

#include "runtime/copy.h"
#include "runtime/registry.h"
#include "runtime/runtime.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS), "one layout serves both APIs");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "one layout serves both APIs");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
               "one layout serves both APIs");
_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams), "one layout serves both APIs");
_Static_assert(offsetof(struct cudaGraphNodeParams, alloc) == offsetof(CUgraphNodeParams, alloc),
               "one layout serves both APIs");

/* Kernels. */

cudaError_t graph_kernel_to_driver(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to)
{
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(from->func, &kernel);
    if (error)
        return error;
    *to = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)kernel,
                                    .gridDimX = from->gridDim.x,
                                    .gridDimY = from->gridDim.y,
                                    .gridDimZ = from->gridDim.z,
                                    .blockDimX = from->blockDim.x,
                                    .blockDimY = from->blockDim.y,
                                    .blockDimZ = from->blockDim.z,
                                    .sharedMemBytes = from->sharedMemBytes,
                                    .kernelParams = from->kernelParams,
                                    .extra = from->extra};
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaKernelNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = parameters ? graph_kernel_to_driver(parameters, &k) : cudaErrorInvalidValue;
    return error ? runtime_fail(error) : runtime_end(driver.cuGraphAddKernelNode(node, graph, dependencies, count, &k));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUDA_KERNEL_NODE_PARAMS k;
    if (!parameters)
        return runtime_fail(cudaErrorInvalidValue);
    CUresult result = driver.cuGraphKernelNodeGetParams(node, &k);
    if (!result)
        *parameters = (struct cudaKernelNodeParams){.func = (void *)registry_find_symbol((CUkernel)k.func),
                                                    .gridDim = {k.gridDimX, k.gridDimY, k.gridDimZ},
                                                    .blockDim = {k.blockDimX, k.blockDimY, k.blockDimZ},
                                                    .sharedMemBytes = k.sharedMemBytes,
                                                    .kernelParams = k.kernelParams,
                                                    .extra = k.extra};
    return runtime_end(result);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = parameters ? graph_kernel_to_driver(parameters, &k) : cudaErrorInvalidValue;
    return error ? runtime_fail(error) : runtime_end(driver.cuGraphKernelNodeSetParams(node, &k));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = parameters ? graph_kernel_to_driver(parameters, &k) : cudaErrorInvalidValue;
    return error ? runtime_fail(error) : runtime_end(driver.cuGraphExecKernelNodeSetParams(exec, node, &k));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphKernelNodeCopyAttributes(to, from));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue *value)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuGraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID)attribute, (CUkernelNodeAttrValue *)value));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue *value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphKernelNodeSetAttribute(node, (CUkernelNodeAttrID)attribute,
                                                            (const CUkernelNodeAttrValue *)value));
}

/* Fills. The context is the current one. */

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaMemsetParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddMemsetNode(node, graph, dependencies, count,
                                                   (const CUDA_MEMSET_NODE_PARAMS *)parameters, NULL));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphMemsetNodeGetParams(node, (CUDA_MEMSET_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphMemsetNodeSetParams(node, (const CUDA_MEMSET_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuGraphExecMemsetNodeSetParams(exec, node, (const CUDA_MEMSET_NODE_PARAMS *)parameters, NULL));
}

/* Host functions. */

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                 size_t count, const struct cudaHostNodeParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuGraphAddHostNode(node, graph, dependencies, count, (const CUDA_HOST_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphHostNodeSetParams(node, (const CUDA_HOST_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecHostNodeSetParams(exec, node, (const CUDA_HOST_NODE_PARAMS *)parameters));
}

/* Child graphs, empty nodes. */

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddChildGraphNode(node, graph, dependencies, count, child));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphChildGraphNodeGetGraph(node, graph));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecChildGraphNodeSetParams(exec, node, child));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddEmptyNode(node, graph, dependencies, count));
}

/* Events. */

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                        size_t count, cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddEventRecordNode(node, graph, dependencies, count, event));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphEventRecordNodeGetEvent(node, event));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecEventRecordNodeSetEvent(exec, node, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddEventWaitNode(node, graph, dependencies, count, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphEventWaitNodeGetEvent(node, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphEventWaitNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphExecEventWaitNodeSetEvent(exec, node, event));
}

/* Memory. */

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, struct cudaMemAllocNodeParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuGraphAddMemAllocNode(node, graph, dependencies, count, (CUDA_MEM_ALLOC_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *parameters)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)parameters));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                    size_t count, void *memory)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphAddMemFreeNode(node, graph, dependencies, count, address_of(memory)));
}

/* `memory` points to a pointer, which gets the address. */
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuGraphMemFreeNodeGetParams(node, memory));
}

/* Nodes of any kind. */

cudaError_t graph_node_to_driver(const struct cudaGraphNodeParams *from, CUgraphNodeParams *to)
{
    memcpy(to, from, sizeof *to);
    if (from->type == cudaGraphNodeTypeKernel) {
        struct cudaKernelNodeParams k;
        CUDA_KERNEL_NODE_PARAMS translated;
        memcpy(&k, &from->kernel, sizeof k);
        cudaError_t error = graph_kernel_to_driver(&k, &translated);
        if (error)
            return error;
        memcpy(&to->kernel, &translated, sizeof translated);
    } else if (from->type == cudaGraphNodeTypeMemcpy) {
        to->memcpy = (CUDA_MEMCPY_NODE_PARAMS){.flags = from->memcpy.flags};
        return copy_translate_3d(&from->memcpy.copyParams, &to->memcpy.copyParams);
    } else if (from->type == cudaGraphNodeTypeMemset) {
        to->memset.ctx = NULL; /* beyond the end of the runtime's structure */
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUgraphNodeParams p;
    cudaError_t error = parameters ? graph_node_to_driver(parameters, &p) : cudaErrorInvalidValue;
    if (error)
        return runtime_fail(error);
    CUresult result = driver.cuGraphAddNode(node, graph, dependencies, (const CUgraphEdgeData *)edges, count, &p);
    if (!result && parameters->type == cudaGraphNodeTypeMemAlloc)
        parameters->alloc.dptr = (void *)(uintptr_t)p.alloc.dptr;
    if (!result && parameters->type == cudaGraphNodeTypeConditional)
        parameters->conditional.phGraph_out = p.conditional.phGraph_out;
    return runtime_end(result);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUgraphNodeParams p;
    cudaError_t error = parameters ? graph_node_to_driver(parameters, &p) : cudaErrorInvalidValue;
    return error ? runtime_fail(error) : runtime_end(driver.cuGraphNodeSetParams(node, &p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *parameters)
{
    ENTER_RUNTIME();
    CUgraphNodeParams p;
    cudaError_t error = parameters ? graph_node_to_driver(parameters, &p) : cudaErrorInvalidValue;
    return error ? runtime_fail(error) : runtime_end(driver.cuGraphExecNodeSetParams(exec, node, &p));
}
