/* Entry points of the driver, and tables of NVIDIA's own that no program but NVIDIA's knows. */
#include "runtime/entry_point.h"

#include "runtime/runtime.h"

/* A call that is not there is no error: the function is NULL, and the status says why, if the program asks for it. */
cudaError_t entry_point_find(const char *symbol, void **function, int version, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *status, bool per_thread)
{
    cudaError_t error = runtime_begin_without_context();
    if (error)
        return error;
    CUdriverProcAddressQueryResult found;
    if (flags == cudaEnableDefault)
        flags = per_thread ? cudaEnablePerThreadDefaultStream : cudaEnableLegacyStream;
    CUresult result = driver.cuGetProcAddress(symbol, function, version, flags, &found);
    if (!result && status)
        *status = (enum cudaDriverEntryPointQueryResult)found;
    return runtime_end(result);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    return entry_point_find(symbol, function, (int)version, flags, status, false);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function, unsigned int version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status)
{
    return entry_point_find(symbol, function, (int)version, flags, status, true);
}

/* Tables of functions that are not part of the API: heddle has none. */
cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id)
{
    if (!table || !id)
        return runtime_fail(cudaErrorInvalidValue);
    *table = NULL;
    return runtime_fail(cudaErrorSymbolNotFound);
}

/* Exported and undocumented; there is nothing that it could find. */
void *__cudaGetProcAddress(void)
{
    return NULL;
}
