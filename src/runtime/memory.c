/* Allocation of device and host memory. */
#include "runtime/runtime.h"

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    ENTER_RUNTIME();
    CUdeviceptr address = 0;
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    if (bytes) {
        cudaError_t error = runtime_end(driver.cuMemAlloc(&address, bytes));
        if (error)
            return error;
    }
    *memory = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemFree(address_of(memory)));
}
