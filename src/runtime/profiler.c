/* Marks for a profiler. heddle's reports are chosen by options, so the marks have no effect. */
#include "runtime/profiler.h"

#include "runtime/runtime.h"

cudaError_t cudaProfilerStart(void)
{
    return runtime_begin();
}

cudaError_t cudaProfilerStop(void)
{
    return runtime_begin();
}
