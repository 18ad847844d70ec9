/* The runtime's state: the loaded driver, the primary context, and the last error of each host thread. */
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdatomic.h>

/* The API has no argument for any of these. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cudaError_t load_error;
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary;  /* the device's primary context, retained; NULL: no call has needed it yet */
static atomic_uint resets; /* how often the device was reset */
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

static cudaError_t begin(void)
{
    pthread_once(&once, load);
    return load_error;
}

cudaError_t runtime_begin_without_context(void)
{
    return runtime_fail(begin());
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
    cudaError_t error = begin();
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

/* Whether the error is a kernel's fault, after which a context is of no more use. */
static bool is_fault(cudaError_t error)
{
    switch ((int)error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

cudaError_t runtime_fail(cudaError_t error)
{
    if (error) {
        this_thread.last_error = error;
        this_thread.last_error_resets = atomic_load(&resets);
    }
    return error;
}

cudaError_t runtime_end(CUresult result)
{
    return runtime_fail((cudaError_t)result);
}

void runtime_note_reset(void)
{
    atomic_fetch_add(&resets, 1);
}

/* A fault stays the last error until the device is reset: asking does not clear it. */
cudaError_t cudaGetLastError(void)
{
    cudaError_t error = this_thread.last_error;
    if (!is_fault(error) || this_thread.last_error_resets != atomic_load(&resets))
        this_thread.last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return this_thread.last_error;
}
