/* Parameters of graph nodes: from the runtime's structures to the driver's, and back. */
#ifndef HEDDLE_RUNTIME_GRAPH_NODE_H
#define HEDDLE_RUNTIME_GRAPH_NODE_H

#include "cuda.h"
#include "cuda_runtime_api.h"

cudaError_t graph_kernel_to_driver(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to);
cudaError_t graph_copy_from_driver(const CUDA_MEMCPY3D *from, struct cudaMemcpy3DParms *to);
/* A copy of bytes in a row. */
cudaError_t graph_line_to_driver(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 CUDA_MEMCPY3D *copy);
/* Any node. */
cudaError_t graph_node_to_driver(const struct cudaGraphNodeParams *from, CUgraphNodeParams *to);

#endif
