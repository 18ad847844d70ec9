/* Calls of CUDA 12 that describe a device. */
#ifndef HEDDLE_RUNTIME_VERSIONED_PROPERTIES_H
#define HEDDLE_RUNTIME_VERSIONED_PROPERTIES_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaChooseDevice_v2(int *device, const void *properties);
#pragma GCC visibility pop

#endif
