/* Other devices: there are none, so that no peer access can be enabled and peer copies stay on the one device. */
#include "runtime/runtime.h"

static bool is_device(int device)
{
    return device == 0;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceCanAccessPeer(can, device, peer));
}

/* The only device there is, is the current one. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    ENTER_RUNTIME();
    if (flags)
        return runtime_fail(cudaErrorInvalidValue);
    return runtime_fail(is_device(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    ENTER_RUNTIME();
    return runtime_fail(is_device(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attribute, from, to));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    ENTER_RUNTIME();
    if (!is_device(to_device) || !is_device(from_device))
        return runtime_fail(cudaErrorInvalidDevice);
    return runtime_end(driver.cuMemcpyDtoD(address_of(to), address_of(from), bytes));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    ENTER_RUNTIME();
    if (!is_device(to_device) || !is_device(from_device))
        return runtime_fail(cudaErrorInvalidDevice);
    return runtime_end(driver.cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream));
}
