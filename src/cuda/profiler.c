/* Calls that start and stop an outside profiler. heddle's own figures (--stats, --json) do not depend on them. */
#include "cuda/driver.h"

/* As in NVIDIA's driver since CUDA 11, the profiler that this call set up is gone. */
CUresult cuProfilerInitialize(const char *configuration, const char *output, CUoutput_mode mode)
{
    ENTER(e, NEED_CONTEXT);
    (void)configuration, (void)output, (void)mode;
    return driver_refuse(e.driver, "cuProfilerInitialize", NULL);
}

CUresult cuProfilerStart(void)
{
    ENTER(e, NEED_CONTEXT);
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
    ENTER(e, NEED_CONTEXT);
    return CUDA_SUCCESS;
}
