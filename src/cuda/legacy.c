/* Earlier forms of calls, each in terms of the newest form: see legacy.h. */
#include "cuda/legacy.h"

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    return cuCtxCreate(context, NULL, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, struct CUexecAffinityParam_st *affinity, int affinity_count,
                        unsigned int flags, CUdevice device)
{
    CUctxCreateParams parameters = {.execAffinityParams = affinity, .numExecAffinityParams = affinity_count};
    return cuCtxCreate(context, &parameters, flags, device);
}

CUresult legacy_cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    return cuCtxCreate(context, NULL, flags, device);
}

CUresult legacy_cuCtxDestroy(CUcontext context)
{
    return cuCtxDestroy(context);
}

CUresult legacy_cuCtxPopCurrent(CUcontext *context)
{
    return cuCtxPopCurrent(context);
}

CUresult legacy_cuCtxPushCurrent(CUcontext context)
{
    return cuCtxPushCurrent(context);
}

CUresult legacy_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

CUresult legacy_cuDevicePrimaryCtxRelease(CUdevice device)
{
    return cuDevicePrimaryCtxRelease(device);
}

CUresult legacy_cuDevicePrimaryCtxReset(CUdevice device)
{
    return cuDevicePrimaryCtxReset(device);
}

CUresult legacy_cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    return cuDevicePrimaryCtxSetFlags(device, flags);
}

CUresult legacy_cuEventDestroy(CUevent event)
{
    return cuEventDestroy(event);
}

CUresult legacy_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}

CUresult legacy_cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress(symbol, function, version, flags, NULL);
}

static CUmemLocation location_of(CUdevice device)
{
    if (device == CU_DEVICE_CPU)
        return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST};
    return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
}

CUresult legacy_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                              unsigned int option_count, CUjit_option *options, void **option_values)
{
    return cuLinkAddData(state, type, data, bytes, name, option_count, options, option_values);
}

CUresult legacy_cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int option_count,
                              CUjit_option *options, void **option_values)
{
    return cuLinkAddFile(state, type, path, option_count, options, option_values);
}

CUresult legacy_cuLinkCreate(unsigned int option_count, CUjit_option *options, void **option_values, CUlinkState *state)
{
    return cuLinkCreate(option_count, options, option_values, state);
}

CUresult legacy_cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device)
{
    return cuMemAdvise(address, bytes, advice, location_of(device));
}

CUresult legacy_cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
    return cuMemPrefetchAsync(address, bytes, location_of(device), 0, stream);
}

CUresult legacy_cuMemAllocHost(void **memory, unsigned int bytes)
{
    return cuMemAllocHost(memory, bytes);
}

CUresult legacy_cuMemHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    return cuMemHostRegister(memory, bytes, flags);
}

CUresult legacy_cuStreamDestroy(CUstream stream)
{
    return cuStreamDestroy(stream);
}

CUresult cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *descriptor, CUdeviceptr address,
                                 size_t pitch)
{
    return cuTexRefSetAddress2D(reference, descriptor, address, pitch);
}
