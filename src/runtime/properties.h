/* struct cudaDeviceProp as the versions of CUDA have it. */
#ifndef HEDDLE_RUNTIME_PROPERTIES_H
#define HEDDLE_RUNTIME_PROPERTIES_H

#include "cuda_runtime_api.h"

/* Fills the structure of CUDA `version` (11, 12 or 13). */
cudaError_t properties_read(void *properties, int version, int device);

#endif
