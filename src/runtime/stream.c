/*
 * Streams and the functions that run in them. Work has been done when the call that asks for it returns, so a stream is
 * an ordered label; capture.c has the streams whose work becomes a graph.
 */
#include "runtime/runtime.h"

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamCreate((CUstream *)stream, flags));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamCreateWithPriority((CUstream *)stream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamDestroy((CUstream)stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamGetPriority((CUstream)stream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamGetFlags((CUstream)stream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamGetId((CUstream)stream, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamGetDevice((CUstream)stream, device));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamWaitEvent((CUstream)stream, (CUevent)event, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamSynchronize((CUstream)stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamQuery((CUstream)stream));
}

/* The callback's status is an error of either API: their numbers are equal. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuStreamAddCallback((CUstream)stream, (CUstreamCallback)(void (*)(void))callback, data, flags));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLaunchHostFunc((CUstream)stream, (CUhostFn)function, data));
}

/* Without a length, the whole allocation is meant. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamAttachMemAsync((CUstream)stream, address_of(memory), bytes, flags));
}

/* The attributes of the two APIs have the same numbers and layout. */
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value)
{
    ENTER_RUNTIME();
    return runtime_end(
        driver.cuStreamGetAttribute((CUstream)stream, (CUlaunchAttributeID)attribute, (CUlaunchAttributeValue *)value));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamSetAttribute((CUstream)stream, (CUlaunchAttributeID)attribute,
                                                   (const CUlaunchAttributeValue *)value));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuStreamCopyAttributes((CUstream)to, (CUstream)from));
}
