/*
 * Describing the device. With CUDA 12 the structure grew, and programs called the new form by a name of its own; the
 * old name kept the old form. With CUDA 13 the old name has a third form.
 */
#include "runtime/versioned/properties.h"

#include "runtime/properties.h"
#include "runtime/runtime.h"

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    return properties_read(properties, RUNTIME_MAJOR == 13 ? 13 : 11, device);
}

/* There is one device to choose from. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
    cudaError_t error = runtime_begin_without_context();
    if (error)
        return error;
    if (!device || !properties)
        return runtime_fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

#if RUNTIME_MAJOR == 12
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device)
{
    return properties_read(properties, 12, device);
}
#endif
