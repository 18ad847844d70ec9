/* Events. Times are those of the driver: simulated time with --gpu, else host time. */
#include "runtime/runtime.h"

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuEventCreate((CUevent *)event, flags));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuEventRecordWithFlags((CUevent)event, (CUstream)stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuEventQuery((CUevent)event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuEventSynchronize((CUevent)event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuEventDestroy((CUevent)event));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuEventElapsedTime(milliseconds, (CUevent)start, (CUevent)end));
}
