/* The calls as per-thread default streams have them: the NULL stream is the calling thread's own (per_thread.def). */
#include "cuda/driver.h"
#include "cuda/legacy.h"

static CUstream per_thread(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

static CUresult launch_kernel_ex(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig copy = *config;
    copy.hStream = per_thread(config->hStream);
    return cuLaunchKernelEx(&copy, function, parameters, extra);
}

#define PER_THREAD_STREAM(stream) per_thread(stream)
#define PER_THREAD(symbol, name, since, function, parameters, arguments)                             \
    CUresult per_thread_##symbol parameters __asm__(#symbol) __attribute__((visibility("default"))); \
    CUresult per_thread_##symbol parameters                                                          \
    {                                                                                                \
        return function arguments;                                                                   \
    }
#include "cuda/per_thread.def"
