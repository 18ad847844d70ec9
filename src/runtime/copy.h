/* What the copies of the runtime share: directions, and descriptions of copies in the driver's words. */
#ifndef HEDDLE_RUNTIME_COPY_H
#define HEDDLE_RUNTIME_COPY_H

#include "cuda.h"
#include "cuda_runtime_api.h"

#include <stdbool.h>

/* The kinds of memory at a copy's two ends. */
struct copy_types {
    CUmemorytype to, from;
};

/* False: there is no such direction. */
bool copy_find_types(enum cudaMemcpyKind kind, struct copy_types *types);

/* A copy in three dimensions as the driver takes it; an error code if the description makes no sense. */
cudaError_t copy_translate_3d(const struct cudaMemcpy3DParms *parameters, CUDA_MEMCPY3D *copy);

#endif
