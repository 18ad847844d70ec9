/* The runtime's state: the loaded driver, the primary context, and the last error of each host thread. */
#include "runtime/runtime.h"

#include <pthread.h>

/* The API has no argument for any of these. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cudaError_t load_error;
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary; /* the device's primary context, retained; NULL: no call has needed it yet */
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

cudaError_t runtime_load(void)
{
    pthread_once(&once, load);
    return load_error;
}

cudaError_t runtime_begin_without_context(void)
{
    return runtime_fail(runtime_load());
}

/* The context is retained once and released at the process's end, with the driver. A program that also calls the driver
 * may have released it too often; then it is gone and is made anew. */
CUresult runtime_use_primary(void)
{
    pthread_mutex_lock(&primary_lock);
    CUresult result = primary ? driver.cuCtxSetCurrent(primary) : CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_ERROR_INVALID_CONTEXT)
        result = driver.cuDevicePrimaryCtxRetain(&primary, 0);
    if (!result)
        result = driver.cuCtxSetCurrent(primary);
    pthread_mutex_unlock(&primary_lock);
    return result;
}

cudaError_t runtime_begin_quietly(void)
{
    cudaError_t error = runtime_load();
    CUcontext context = NULL;
    if (error)
        return error;
    CUresult result = driver.cuCtxGetCurrent(&context);
    return (cudaError_t)(result || context ? result : runtime_use_primary());
}

cudaError_t runtime_begin(void)
{
    return runtime_fail(runtime_begin_quietly());
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

/* A kernel's fault is cleared like any error, as on a real device; the context returns it to the next call. A reset of
 * the device clears nothing here. */
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
