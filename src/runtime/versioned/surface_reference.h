/* Surface references: variables of a program of CUDA 11 or earlier to which it binds arrays that kernels write. */
#ifndef HEDDLE_RUNTIME_VERSIONED_SURFACE_REFERENCE_H
#define HEDDLE_RUNTIME_VERSIONED_SURFACE_REFERENCE_H

#include "cuda_runtime_api.h"

/* The host's variable. */
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};

#pragma GCC visibility push(default)
void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device, const char *name,
                           int dimensions, int is_extern);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *element);
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol);
#pragma GCC visibility pop

#endif
