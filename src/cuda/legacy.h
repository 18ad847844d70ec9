/*
 * Earlier forms of calls whose arguments changed, for programs that were built with an earlier cuda.h.
 *
 * The symbol of such a form is the plain name (cuCtxCreate), which the current cuda.h redefines as the newest form
 * (cuCtxCreate_v4). So each earlier form has a name of its own here, and is given its symbol by an assembler label.
 */
#ifndef HEDDLE_CUDA_LEGACY_H
#define HEDDLE_CUDA_LEGACY_H

#include "cuda.h"

#define LEGACY(name, ...) CUresult legacy_##name(__VA_ARGS__) __asm__(#name) __attribute__((visibility("default")))

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device) __attribute__((visibility("default")));
CUresult cuCtxCreate_v3(CUcontext *context, struct CUexecAffinityParam_st *affinity, int affinity_count,
                        unsigned int flags, CUdevice device) __attribute__((visibility("default")));
LEGACY(cuCtxCreate, CUcontext *context, unsigned int flags, CUdevice device);
LEGACY(cuCtxDestroy, CUcontext context);
LEGACY(cuCtxPopCurrent, CUcontext *context);
LEGACY(cuCtxPushCurrent, CUcontext context);
LEGACY(cuDeviceGetUuid, CUuuid *uuid, CUdevice device);
LEGACY(cuDevicePrimaryCtxRelease, CUdevice device);
LEGACY(cuDevicePrimaryCtxReset, CUdevice device);
LEGACY(cuDevicePrimaryCtxSetFlags, CUdevice device, unsigned int flags);
LEGACY(cuEventDestroy, CUevent event);
LEGACY(cuEventElapsedTime, float *milliseconds, CUevent start, CUevent end);
LEGACY(cuGetProcAddress, const char *symbol, void **function, int version, cuuint64_t flags);
LEGACY(cuGraphAddDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
LEGACY(cuGraphAddKernelNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
       const CUDA_KERNEL_NODE_PARAMS_v1 *parameters);
LEGACY(cuGraphAddNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
       CUgraphNodeParams *parameters);
LEGACY(cuGraphExecKernelNodeSetParams, CUgraphExec exec, CUgraphNode node,
       const CUDA_KERNEL_NODE_PARAMS_v1 *parameters);
LEGACY(cuGraphExecUpdate, CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
       CUgraphExecUpdateResult *update_result);
LEGACY(cuGraphGetEdges, CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
LEGACY(cuGraphInstantiate, CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size);
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size)
    __attribute__((visibility("default")));
LEGACY(cuGraphKernelNodeGetParams, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *parameters);
LEGACY(cuGraphKernelNodeSetParams, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters);
LEGACY(cuGraphNodeGetDependencies, CUgraphNode node, CUgraphNode *dependencies, size_t *count);
LEGACY(cuGraphNodeGetDependentNodes, CUgraphNode node, CUgraphNode *dependents, size_t *count);
LEGACY(cuGraphRemoveDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
LEGACY(cuLinkAddData, CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
       unsigned int option_count, CUjit_option *options, void **option_values);
LEGACY(cuLinkAddFile, CUlinkState state, CUjitInputType type, const char *path, unsigned int option_count,
       CUjit_option *options, void **option_values);
LEGACY(cuLinkCreate, unsigned int option_count, CUjit_option *options, void **option_values, CUlinkState *state);
LEGACY(cuMemAdvise, CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device);
LEGACY(cuMemAllocHost, void **memory, unsigned int bytes);
LEGACY(cuMemHostRegister, void *memory, size_t bytes, unsigned int flags);
LEGACY(cuMemPrefetchAsync, CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream);
LEGACY(cuMemcpy3DBatchAsync, size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed, unsigned long long flags,
       CUstream stream);
LEGACY(cuMemcpyBatchAsync, CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
       CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count, size_t *failed, CUstream stream);
LEGACY(cuStreamDestroy, CUstream stream);

CUresult cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
                                 size_t pitch) __attribute__((visibility("default")));
LEGACY(cuStreamBatchMemOp, CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
       unsigned int flags);
LEGACY(cuStreamBeginCapture, CUstream stream);
LEGACY(cuStreamGetCaptureInfo, CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies, size_t *count)
    __attribute__((visibility("default")));
LEGACY(cuStreamUpdateCaptureDependencies, CUstream stream, CUgraphNode *dependencies, size_t count, unsigned int flags);
LEGACY(cuStreamWaitValue32, CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags);
LEGACY(cuStreamWaitValue64, CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags);
LEGACY(cuStreamWriteValue32, CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags);
LEGACY(cuStreamWriteValue64, CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags);

#endif
