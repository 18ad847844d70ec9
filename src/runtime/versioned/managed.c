/*
 * Advice on managed memory, and its prefetching. Until CUDA 12 the plain names take the number of a device, with -1 for
 * the host; CUDA 12 has the form with a location under names that end in _v2, CUDA 13 under the plain names.
 */
#include "runtime/versioned/managed.h"

#include "runtime/runtime.h"

static cudaError_t advise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    ENTER_RUNTIME();
    CUmemLocation driver_location = {.type = (CUmemLocationType)location.type, .id = location.id};
    return runtime_end(driver.cuMemAdvise(address_of(memory), bytes, (CUmem_advise)advice, driver_location));
}

static cudaError_t prefetch(const void *memory, size_t bytes, struct cudaMemLocation location, unsigned flags,
                            cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUmemLocation driver_location = {.type = (CUmemLocationType)location.type, .id = location.id};
    return runtime_end(driver.cuMemPrefetchAsync(address_of(memory), bytes, driver_location, flags, stream));
}

#if RUNTIME_MAJOR >= 13
cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    return advise(memory, bytes, advice, location);
}

cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, struct cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream)
{
    return prefetch(memory, bytes, location, flags, stream);
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void *memory, size_t bytes, struct cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream)
{
    return prefetch(memory, bytes, location, flags, runtime_per_thread(stream));
}
#else
static struct cudaMemLocation location_of(int device)
{
    if (device == cudaCpuDeviceId)
        return (struct cudaMemLocation){.type = cudaMemLocationTypeHost};
    return (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

cudaError_t managed_advise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    return advise(memory, bytes, advice, location_of(device));
}

cudaError_t managed_prefetch(const void *memory, size_t bytes, int device, cudaStream_t stream)
{
    return prefetch(memory, bytes, location_of(device), 0, stream);
}

cudaError_t managed_prefetch_ptsz(const void *memory, size_t bytes, int device, cudaStream_t stream)
{
    return prefetch(memory, bytes, location_of(device), 0, runtime_per_thread(stream));
}
#endif

#if RUNTIME_MAJOR == 12
cudaError_t cudaMemAdvise_v2(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    return advise(memory, bytes, advice, location);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *memory, size_t bytes, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream)
{
    return prefetch(memory, bytes, location, flags, stream);
}

cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *memory, size_t bytes, struct cudaMemLocation location,
                                         unsigned int flags, cudaStream_t stream)
{
    return prefetch(memory, bytes, location, flags, runtime_per_thread(stream));
}
#endif
