/* Managed memory, which host and kernels reach at one address, and what a pointer points to. */
#include "runtime/runtime.h"

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags)
{
    ENTER_RUNTIME();
    CUdeviceptr address = 0;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = bytes ? runtime_end(driver.cuMemAllocManaged(&address, bytes, flags)) : cudaSuccess;
    *memory = (void *)(uintptr_t)address;
    return error;
}
