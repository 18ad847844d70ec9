/*
 * The device: choosing, synchronising and resetting it, its limits and its attributes. There is one device, number 0.
 *
 * Scheduling flags, cache and bank preferences are kept and change nothing.
 */
#include "runtime/device.h"

#include "runtime/channel.h"
#include "runtime/registry.h"
#include "runtime/runtime.h"

/* For calls that need no context. */
#define ENTER_DRIVER()                                        \
    do {                                                      \
        cudaError_t error_ = runtime_begin_without_context(); \
        if (error_)                                           \
            return error_;                                    \
    } while (0)

cudaError_t device_check(int device)
{
    int count = 0;
    CUresult result = driver.cuDeviceGetCount(&count);
    return result                          ? runtime_end(result)
           : device < 0 || device >= count ? runtime_fail(cudaErrorInvalidDevice)
                                           : cudaSuccess;
}

/* A program that does not look at the error finds no device. */
cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return runtime_fail(cudaErrorInvalidValue);
    *count = 0;
    ENTER_DRIVER();
    return runtime_end(driver.cuDeviceGetCount(count));
}

cudaError_t cudaGetDevice(int *device)
{
    ENTER_DRIVER();
    if (!device)
        return runtime_fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    ENTER_DRIVER();
    cudaError_t error = device_check(device);
    return error ? error : runtime_end(runtime_use_primary());
}

/* With one device, a list of devices to choose from has nothing to say, once its numbers are right. */
cudaError_t cudaSetValidDevices(int *devices, int count)
{
    ENTER_DRIVER();
    if (count < 0 || (count && !devices))
        return runtime_fail(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++) {
        cudaError_t error = device_check(devices[i]);
        if (error)
            return error;
    }
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    ENTER_DRIVER();
    cudaError_t error = device_check(device);
    if (error)
        return error;
    if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        return runtime_fail(cudaErrorInvalidValue);
    CUcontext context;
    CUresult result = CUDA_SUCCESS;
    if (flags & cudaInitDeviceFlagsAreValid)
        result = driver.cuDevicePrimaryCtxSetFlags(device, device_flags);
    return runtime_end(result ? result : driver.cuDevicePrimaryCtxRetain(&context, device));
}

/* The mapping of host memory is always on, and no flag of the driver's. */
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    ENTER_DRIVER();
    if (flags & ~(unsigned)cudaDeviceMask)
        return runtime_fail(cudaErrorInvalidValue);
    return runtime_end(driver.cuDevicePrimaryCtxSetFlags(0, flags & ~(unsigned)cudaDeviceMapHost));
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    ENTER_DRIVER();
    if (!flags)
        return runtime_fail(cudaErrorInvalidValue);
    int active;
    CUresult result = driver.cuDevicePrimaryCtxGetState(0, flags, &active);
    if (!result)
        *flags |= cudaDeviceMapHost;
    return runtime_end(result);
}

cudaError_t cudaDeviceSynchronize(void)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxSynchronize());
}

/* The program's variables get their initial values again: on a real device its binaries are loaded anew. */
cudaError_t cudaDeviceReset(void)
{
    ENTER_DRIVER();
    CUresult result = driver.cuDevicePrimaryCtxReset(0);
    if (result)
        return runtime_end(result);
    ENTER_RUNTIME();
    return runtime_fail(registry_reload());
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxGetLimit(value, (CUlimit)limit));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxGetCacheConfig((CUfunc_cache *)config));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxSetCacheConfig((CUfunc_cache)config));
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxGetSharedMemConfig((CUsharedconfig *)config));
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxResetPersistingL2Cache());
}

/* The attributes of the two APIs have the same numbers. */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    ENTER_DRIVER();
    cudaError_t error = device_check(device);
    return error ? error : runtime_end(driver.cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    ENTER_DRIVER();
    return runtime_end(driver.cuDeviceGetByPCIBusId(device, id));
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    ENTER_DRIVER();
    cudaError_t error = device_check(device);
    return error ? error : runtime_end(driver.cuDeviceGetPCIBusId(id, size, device));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *description,
                                                 int device)
{
    ENTER_DRIVER();
    cudaError_t error = device_check(device);
    if (error)
        return error;
    if (!texels || !description)
        return runtime_fail(cudaErrorInvalidValue);
    CUarray_format format;
    unsigned channels;
    error = channel_find_format(description, &format, &channels);
    return error ? runtime_fail(error)
                 : runtime_end(driver.cuDeviceGetTexture1DLinearMaxWidth(texels, format, channels, device));
}
