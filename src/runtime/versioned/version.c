/* Which version the runtime has, and which entry points of the driver a program of that version asks for. */
#include "runtime/entry_point.h"
#include "runtime/runtime.h"

/* The last release of each major version, because a program asks for at least the version that it was built with. */
#if RUNTIME_MAJOR == 11
#define VERSION 11080
#elif RUNTIME_MAJOR == 12
#define VERSION 12090
#else
#define VERSION CUDART_VERSION
#endif

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return runtime_fail(cudaErrorInvalidValue);
    *version = VERSION;
    return cudaSuccess;
}

/* Without a driver, the answer is that it has version 0. */
cudaError_t cudaDriverGetVersion(int *version)
{
    if (!version)
        return runtime_fail(cudaErrorInvalidValue);
    *version = 0;
    if (runtime_load() == cudaErrorInsufficientDriver)
        return cudaSuccess;
    return runtime_end(driver.cuDriverGetVersion(version));
}

#if RUNTIME_MAJOR == 11
/* Before CUDA 12 the call had no argument for the state. */
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)status;
    return entry_point_find(symbol, function, VERSION, flags, NULL, false);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status)
{
    (void)status;
    return entry_point_find(symbol, function, VERSION, flags, NULL, true);
}
#else
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return entry_point_find(symbol, function, VERSION, flags, status, false);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status)
{
    return entry_point_find(symbol, function, VERSION, flags, status, true);
}
#endif
