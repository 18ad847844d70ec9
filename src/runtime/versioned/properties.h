/* The call of CUDA 12 that describes a device. */
#ifndef HEDDLE_RUNTIME_VERSIONED_PROPERTIES_H
#define HEDDLE_RUNTIME_VERSIONED_PROPERTIES_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
#pragma GCC visibility pop

#endif
