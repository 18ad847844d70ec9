/*
 * What a pointer points to.
 *
 * Programs of CUDA 11 and 12 know a shorter structure of attributes than those of CUDA 13, hence the first four members
 * are all that is written.
 */
#include "runtime/runtime.h"

/* A pointer that CUDA does not know is no error, but an attribute. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    ENTER_RUNTIME();
    unsigned type = 0, is_managed = 0;
    int device = CU_DEVICE_INVALID;
    CUdeviceptr address = 0;
    void *host = NULL;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                    CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *values[] = {&type, &is_managed, &device, &address, &host};
    if (!attributes)
        return runtime_fail(cudaErrorInvalidValue);
    CUresult result =
        driver.cuPointerGetAttributes(sizeof wanted / sizeof wanted[0], wanted, values, address_of(pointer));
    if (result)
        return runtime_end(result);
    if (is_managed)
        attributes->type = cudaMemoryTypeManaged;
    else if (type == CU_MEMORYTYPE_HOST)
        attributes->type = cudaMemoryTypeHost;
    else
        attributes->type = type ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    attributes->device = device;
    attributes->devicePointer = (void *)(uintptr_t)address;
    attributes->hostPointer = type ? host : (void *)(uintptr_t)pointer;
    return cudaSuccess;
}
