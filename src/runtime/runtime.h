/*
 * The CUDA runtime API: what its files share.
 *
 * The runtime is a layer over the driver API (cuda.h) and keeps little of its own: what programs registered at their
 * start (registry.h), and the last error of each host thread. Every call looks like this:
 *
 *     cudaError_t cudaFree(void *memory)
 *     {
 *         ENTER_RUNTIME();
 *         return runtime_end(driver.cuMemFree(address_of(memory)));
 *     }
 *
 * ENTER_RUNTIME() loads the driver and makes the device's primary context current, unless the thread has a context;
 * it returns the error if that fails. runtime_end() turns the driver's result into the runtime's and remembers an
 * error for cudaGetLastError(). Error numbers of the two APIs are equal wherever both have the error.
 *
 * A call for the per-thread default stream (`_ptsz`, `_ptds`) is a wrapper in per_thread.c. Calls whose arguments or
 * structures changed from one major version of CUDA to the next are in versioned/, which is compiled once for each
 * library. A call of CUDA 13 that heddle does not have is a row of unsupported.def.
 */
#ifndef HEDDLE_RUNTIME_RUNTIME_H
#define HEDDLE_RUNTIME_RUNTIME_H

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "runtime/driver_calls.h"

#include <stdint.h>

/* The state of one host thread. */
enum { RUNTIME_CONFIG_DEPTH = 16 }; /* launches may nest in argument lists, as in f<<<1, g()>>>() */

struct launch_shape {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
};

struct runtime_thread {
    cudaError_t last_error;
    struct launch_shape shapes[RUNTIME_CONFIG_DEPTH]; /* what <<<...>>> gave, not yet taken by the launch */
    int shape_count;
};

struct runtime_thread *runtime_thread(void);

/* Loads the driver and sees to a current context. The error is remembered. */
cudaError_t runtime_begin(void);
/* The same, and an error is not remembered. */
cudaError_t runtime_begin_quietly(void);
/* Loads the driver only, and an error is not remembered. */
cudaError_t runtime_load(void);
/* Loads the driver only: for calls that need no context. */
cudaError_t runtime_begin_without_context(void);
/* The driver's result as the runtime's; an error is remembered for cudaGetLastError(). */
cudaError_t runtime_end(CUresult result);
/* An error of the runtime itself, remembered. */
cudaError_t runtime_fail(cudaError_t error);
/* Makes the device's primary context current, whatever context the thread has. */
CUresult runtime_use_primary(void);

#define ENTER_RUNTIME()                       \
    do {                                      \
        cudaError_t error_ = runtime_begin(); \
        if (error_)                           \
            return error_;                    \
    } while (0)

static inline CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* What `_ptsz` calls take the NULL stream for. */
static inline cudaStream_t runtime_per_thread(cudaStream_t stream)
{
    return stream ? stream : (cudaStream_t)CU_STREAM_PER_THREAD;
}

#endif
