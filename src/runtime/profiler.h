/* Calls for a profiler, which NVIDIA declares in a header of its own (cuda_profiler_api.h). */
#ifndef HEDDLE_RUNTIME_PROFILER_H
#define HEDDLE_RUNTIME_PROFILER_H

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#pragma GCC visibility pop

#endif
