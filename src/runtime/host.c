/* Host memory that kernels can reach: allocated here, or the program's own and registered. */
#include "runtime/runtime.h"

static cudaError_t allocate(void **memory, size_t bytes, unsigned flags)
{
    if (!memory)
        return runtime_fail(cudaErrorInvalidValue);
    *memory = NULL;
    return bytes ? runtime_end(driver.cuMemHostAlloc(memory, bytes, flags)) : cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    ENTER_RUNTIME();
    return allocate(memory, bytes, cudaHostAllocMapped);
}

/* With unified addresses all host memory is mapped, whether or not the program asked for it. */
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    ENTER_RUNTIME();
    return allocate(memory, bytes, flags | cudaHostAllocMapped);
}

cudaError_t cudaFreeHost(void *memory)
{
    ENTER_RUNTIME();
    return memory ? runtime_end(driver.cuMemFreeHost(memory)) : cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemHostRegister(memory, bytes, flags | cudaHostRegisterMapped));
}

cudaError_t cudaHostUnregister(void *memory)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemHostUnregister(memory));
}

cudaError_t cudaHostGetDevicePointer(void **pointer, void *memory, unsigned int flags)
{
    ENTER_RUNTIME();
    CUdeviceptr address;
    if (!pointer)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = runtime_end(driver.cuMemHostGetDevicePointer(&address, memory, flags));
    if (!error)
        *pointer = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *memory)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuMemHostGetFlags(flags, memory));
}
