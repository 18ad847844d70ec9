/*
 * Calls as programs of CUDA 12 and 11 make them, where CUDA 13 has other arguments.
 *
 * The calls of CUDA 13 are in the libraries of the older versions, too, under the names that renamed-12.txt and
 * renamed-11.txt give them. A declaration here names its symbol by an assembler label: NEW is a call of CUDA 13 under
 * its new name, OLD the form that the older libraries offer under the plain name.
 */
#ifndef HEDDLE_RUNTIME_VERSIONED_OLD_FORMS_H
#define HEDDLE_RUNTIME_VERSIONED_OLD_FORMS_H

#include "cuda_runtime_api.h"

#define NEW(call, label) __typeof__(call) new_##call __asm__(label);
#define OLD(call)        __asm__(#call)

#pragma GCC visibility push(default)

/* Events and streams that are captured */
NEW(cudaEventElapsedTime, "cudaEventElapsedTime_v2")
NEW(cudaStreamGetCaptureInfo, "cudaStreamGetCaptureInfo_v3")
NEW(cudaStreamUpdateCaptureDependencies, "cudaStreamUpdateCaptureDependencies_v2")
cudaError_t old_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) OLD(cudaEventElapsedTime);
cudaError_t old_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
    OLD(cudaStreamGetCaptureInfo);
cudaError_t old_capture_info_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
    OLD(cudaStreamGetCaptureInfo_ptsz);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                        size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                             size_t *count);
cudaError_t old_update_capture(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags)
    OLD(cudaStreamUpdateCaptureDependencies);
cudaError_t old_update_capture_ptsz(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags)
    OLD(cudaStreamUpdateCaptureDependencies_ptsz);

/* Graphs, whose edges had no data */
NEW(cudaGraphAddNode, "cudaGraphAddNode_v2")
NEW(cudaGraphGetEdges, "cudaGraphGetEdges_v2")
NEW(cudaGraphNodeGetDependencies, "cudaGraphNodeGetDependencies_v2")
NEW(cudaGraphNodeGetDependentNodes, "cudaGraphNodeGetDependentNodes_v2")
NEW(cudaGraphAddDependencies, "cudaGraphAddDependencies_v2")
NEW(cudaGraphRemoveDependencies, "cudaGraphRemoveDependencies_v2")
cudaError_t old_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
                         struct cudaGraphNodeParams *parameters) OLD(cudaGraphAddNode);
cudaError_t old_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
    OLD(cudaGraphGetEdges);
cudaError_t old_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
    OLD(cudaGraphNodeGetDependencies);
cudaError_t old_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
    OLD(cudaGraphNodeGetDependentNodes);
cudaError_t old_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
    OLD(cudaGraphAddDependencies);
cudaError_t old_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
    OLD(cudaGraphRemoveDependencies);

/* CUDA 11 alone */
NEW(cudaGraphExecUpdate, "cudaGraphExecUpdate_12")
NEW(cudaGraphKernelNodeGetAttribute, "cudaGraphKernelNodeGetAttribute_12")
NEW(cudaStreamGetAttribute, "cudaStreamGetAttribute_12")
cudaError_t old_instantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *node, char *text,
                            size_t bytes) OLD(cudaGraphInstantiate);
cudaError_t old_update(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *node,
                       enum cudaGraphExecUpdateResult *result) OLD(cudaGraphExecUpdate);
cudaError_t old_node_attribute(cudaGraphNode_t node, cudaLaunchAttributeID id, void *value)
    OLD(cudaGraphKernelNodeGetAttribute);
cudaError_t old_stream_attribute(cudaStream_t stream, cudaLaunchAttributeID id, void *value)
    OLD(cudaStreamGetAttribute);
cudaError_t old_stream_attribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID id, void *value)
    OLD(cudaStreamGetAttribute_ptsz);

#pragma GCC visibility pop

#endif
