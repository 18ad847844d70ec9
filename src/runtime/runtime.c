/* The runtime's state: the loaded driver, and the last error of each host thread. */
#include "runtime/runtime.h"

#include <pthread.h>

/* The API has no argument for either. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cudaError_t load_error;
static _Thread_local struct runtime_thread this_thread;

struct runtime_thread *runtime_thread(void)
{
    return &this_thread;
}

static void load(void)
{
    if (!driver_calls_load())
        load_error = cudaErrorInsufficientDriver;
    else
        load_error = (cudaError_t)driver.cuInit(0);
}

cudaError_t runtime_begin_without_context(void)
{
    pthread_once(&once, load);
    return runtime_fail(load_error);
}

cudaError_t runtime_begin(void)
{
    cudaError_t error = runtime_begin_without_context();
    CUcontext context = NULL;
    if (error)
        return error;
    CUresult result = driver.cuCtxGetCurrent(&context);
    if (result || context)
        return runtime_end(result);
    /* The context is retained once per thread and released at the process's end, with the driver. */
    result = driver.cuDevicePrimaryCtxRetain(&context, 0);
    if (!result)
        result = driver.cuCtxSetCurrent(context);
    return runtime_end(result);
}

cudaError_t runtime_fail(cudaError_t error)
{
    if (error)
        this_thread.last_error = error;
    return error;
}

cudaError_t runtime_end(CUresult result)
{
    return runtime_fail((cudaError_t)result);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = this_thread.last_error;
    this_thread.last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return this_thread.last_error;
}
