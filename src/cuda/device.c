/*
 * The one device that programs see.
 *
 * Without --gpu the device is a generic one of compute capability 9.0, with the limits of that capability. Functional
 * execution has no clocks and no caches; the numbers of these are those of a plausible GPU, for programs that print
 * them or divide by them. With --gpu the attributes are those of the machine where it describes them, so that programs
 * fit their launches to it; the compute capability stays 9.0, since it says which instructions kernels may use. The
 * warp size is 32 in either case, because programs and the PTX of their kernels rely on it.
 *
 * A feature that heddle does not have (clusters, graphics, sharing between processes or devices, tensor maps) is
 * reported as missing, so that programs that ask take another way.
 */
#include "cuda/array.h"

#include "gpu/gpu.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char device_name[] = "heddle";
static const char device_bus_id[] = "0000:00:00.0";

bool device_is_valid(CUdevice device)
{
    return device == 0;
}

enum { L2_BYTES = 50 << 20 };

/* An attribute that is not listed is 0: the device does not have the feature. */
static const int attribute_table[CU_DEVICE_ATTRIBUTE_MAX] = {
    [CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = LAUNCH_MAX_THREADS,
    [CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X] = DEVICE_BLOCK_X,
    [CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y] = DEVICE_BLOCK_X,
    [CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z] = DEVICE_BLOCK_Z,
    [CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X] = INT_MAX,
    [CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y] = DEVICE_GRID_YZ,
    [CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z] = DEVICE_GRID_YZ,
    [CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = DEVICE_DEFAULT_SHARED_BYTES,
    [CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY] = 65536,
    [CU_DEVICE_ATTRIBUTE_WARP_SIZE] = DEVICE_WARP_THREADS,
    [CU_DEVICE_ATTRIBUTE_MAX_PITCH] = INT_MAX,
    [CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK] = DEVICE_SM_REGISTERS,
    [CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 1000000, /* kHz */
    [CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT] = DEVICE_TEXTURE_ALIGN,
    [CU_DEVICE_ATTRIBUTE_GPU_OVERLAP] = 1,
    [CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = DEVICE_MULTIPROCESSORS,
    [CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY] = 1,
    [CU_DEVICE_ATTRIBUTE_COMPUTE_MODE] = CU_COMPUTEMODE_DEFAULT,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH] = DEVICE_TEXTURE_2D_WIDTH,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH] = DEVICE_TEXTURE_2D_WIDTH,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT] = DEVICE_TEXTURE_2D_HEIGHT,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS] = LAYERS,
    [CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT] = DEVICE_TEXTURE_ALIGN,
    [CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS] = 1,
    [CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = 1000000, /* kHz */
    [CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH] = 5120,
    [CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = L2_BYTES,
    [CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = DEVICE_SM_THREADS,
    [CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT] = 1,
    [CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING] = 1,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS] = LAYERS,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH] = SIDE_LAYERED, /* of arrays; kernels cannot gather */
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT] = DEVICE_TEXTURE_PITCH_ALIGN,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS] = CUBE_LAYERS,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH] = DEVICE_TEXTURE_2D_WIDTH,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT] = DEVICE_TEXTURE_2D_HEIGHT,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH] = SIDE_3D,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS] = LAYERS,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS] = LAYERS,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS] = CUBE_LAYERS,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH] = DEVICE_LINEAR_TEXELS,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH] = DEVICE_TEXTURE_2D_WIDTH,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT] = DEVICE_TEXTURE_2D_HEIGHT,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH] = 2097120,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH] = SIDE_LAYERED,
    [CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 9,
    [CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = 0,
    [CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] = DEVICE_SM_SHARED_BYTES,
    [CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] = DEVICE_SM_REGISTERS,
    [CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY] = 1,
    [CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO] = 2,
    [CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS] = 1,
    [CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED] = 1, /* a launch has no limit of time but --limit */
    [CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM] = 1,
    [CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1] = 1,
    [CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1] = 1,
    [CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1] = 1,
    [CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH] = 1,
    [CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = LAUNCH_MAX_SHARED_BYTES,
    [CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR] = DEVICE_SM_BLOCKS,
    [CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE] = L2_BYTES / 4 * 3,
    [CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE] = 128 << 20,
    [CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK] = DEVICE_RESERVED_SHARED_BYTES,
    [CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT] = 1,
    [CU_DEVICE_ATTRIBUTE_NUMA_ID] = -1,
    [CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID] = -1,
    [CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED] = 1, /* the host is one node */
    [CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED] = 1,
    [CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED] = 1,
};

static int at_most(uint64_t value, int limit)
{
    return value < (uint64_t)limit ? (int)value : limit;
}

/* The attribute of a machine of --gpu; the generic one where machines do not describe it. */
static int machine_attribute(const struct machine *m, CUdevice_attribute attribute)
{
    int generic = attribute_table[attribute];
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return (int)m->gpu.sm_count;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return (int)m->sm.max_threads;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        return (int)m->sm.max_blocks;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return at_most(m->gpu.max_block_threads, generic);
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        return (int)m->sm.registers;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return (int)m->sm.shared_bytes;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return at_most(m->sm.shared_bytes, generic);
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        return 0;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        return at_most((uint64_t)m->mem.core_mhz * 1000, INT_MAX);
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return at_most((uint64_t)m->mem.memory_mhz * 1000, INT_MAX);
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return at_most((uint64_t)m->mem.l2_bytes * m->mem.channels, INT_MAX);
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: /* lines of a machine's cache all have the same rank */
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
        return 0;
    default:
        return generic;
    }
}

const struct machine *device_machine(const struct driver *d)
{
    return d->request.gpu ? d->request.gpu->machine : NULL;
}

int device_attribute(const struct driver *d, CUdevice_attribute attribute)
{
    const struct machine *m = device_machine(d);
    return m ? machine_attribute(m, attribute) : attribute_table[attribute];
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER(e, NEED_INIT);
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    ENTER(e, NEED_INIT);
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!name || size <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    const struct machine *m = device_machine(e.driver);
    snprintf(name, (size_t)size, m ? "%s %s" : "%s", device_name, m ? m->name : "");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, device_name, sizeof device_name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = e.driver->memory->limit_bytes;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!value || (int)attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *value = device_attribute(e.driver, attribute);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!properties)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    const struct driver *d = e.driver;
    *properties = (CUdevprop){
        .maxThreadsPerBlock = device_attribute(d, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .maxThreadsDim = {device_attribute(d, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                          device_attribute(d, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                          device_attribute(d, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
        .maxGridSize = {INT_MAX, DEVICE_GRID_YZ, DEVICE_GRID_YZ},
        .sharedMemPerBlock = device_attribute(d, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .totalConstantMemory = device_attribute(d, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = DEVICE_WARP_THREADS,
        .memPitch = INT_MAX,
        .regsPerBlock = device_attribute(d, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        .clockRate = device_attribute(d, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign = DEVICE_TEXTURE_ALIGN,
    };
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!major || !minor)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *major = device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *texels, CUarray_format format, unsigned channels, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!texels || !format_bytes(format) || (channels != 1 && channels != 2 && channels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *texels = DEVICE_LINEAR_TEXELS;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    ENTER(e, NEED_INIT);
    if (!device || !id)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned domain = 0, bus = 0, slot = 0, function = 0; /* DOMAIN:BUS:SLOT, perhaps with .FUNCTION, or BUS:SLOT */
    if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
        (domain = 0, sscanf(id, "%x:%x", &bus, &slot)) < 2)
        return CUDA_ERROR_INVALID_VALUE;
    if (domain || bus || slot || function)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!id || size <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(id, (size_t)size, "%s", device_bus_id);
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    ENTER(e, NEED_INIT);
    if (!can)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device) || !device_is_valid(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    *can = 0;
    return CUDA_SUCCESS;
}

/* There is only one device, so there is no pair of devices to ask about. */
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to)
{
    ENTER(e, NEED_INIT);
    (void)from, (void)to;
    if (!value || (int)attribute < 1 || attribute > CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_INVALID_DEVICE;
}

/* Devices whose work keeps to some multiprocessors belong to the multi-process service, which heddle does not have. */
CUresult cuDeviceGetExecAffinitySupport(int *is_supported, CUexecAffinityType type, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!is_supported || (unsigned)type >= CU_EXEC_AFFINITY_TYPE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *is_supported = 0;
    return CUDA_SUCCESS;
}

/* No atomic of a kernel is one for the host at the same time, as for a GPU on a PCI bus. */
CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                           unsigned int count, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!capabilities || !operations || !count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)operations[i] >= CU_ATOMIC_OPERATION_MAX)
            return CUDA_ERROR_INVALID_VALUE;
    memset(capabilities, 0, count * sizeof *capabilities);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                          unsigned int count, CUdevice from, CUdevice to)
{
    ENTER(e, NEED_INIT);
    (void)from, (void)to;
    return capabilities && operations && count ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
}
