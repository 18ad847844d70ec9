// What is said of the device: only facts that hold on every device, and that agree with each other.
#include "common.cuh"
#include <cstring>

static int attribute(cudaDeviceAttr which)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main()
{
    int count = 0, device = -1, driver = 0, runtime = 0;
    CHECK(cudaGetDeviceCount(&count));
    fact("there is a device", count >= 1);
    CHECK(cudaGetDevice(&device));
    printf("device %d\n", device);
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    fact("the driver is not older than the runtime", driver >= runtime && runtime >= 11000);

    cudaDeviceProp p;
    memset(&p, 0xff, sizeof p);
    CHECK(cudaGetDeviceProperties(&p, 0));
    fact("it has a name", p.name[0] != 0 && memchr(p.name, 0, sizeof p.name) != NULL);
    fact("it has memory", p.totalGlobalMem > (1 << 20));
    printf("warp size %d\n", p.warpSize);
    printf("threads per block %d\n", p.maxThreadsPerBlock);
    printf("block at most %d %d %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("grid at most %d %d %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("shared memory of a block %zu\n", p.sharedMemPerBlock);
    printf("constant memory %zu\n", p.totalConstMem);
    fact("it has multiprocessors", p.multiProcessorCount >= 1);
    fact("unified addresses, managed memory, cooperative launches",
         p.unifiedAddressing && p.managedMemory && p.canMapHostMemory && p.cooperativeLaunch);
    fact("warps fill a multiprocessor", p.maxThreadsPerMultiProcessor % p.warpSize == 0);
    fact("pitch and alignment", p.memPitch > 0 && p.textureAlignment > 0);

    fact("attributes agree: warp", attribute(cudaDevAttrWarpSize) == p.warpSize);
    fact("attributes agree: threads", attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
    fact("attributes agree: multiprocessors", attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
    fact("attributes agree: capability", attribute(cudaDevAttrComputeCapabilityMajor) == p.major &&
                                             attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
    fact("attributes agree: shared memory",
         attribute(cudaDevAttrMaxSharedMemoryPerBlock) == (int)p.sharedMemPerBlock &&
             attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == (int)p.sharedMemPerBlockOptin);
    fact("attributes agree: registers", attribute(cudaDevAttrMaxRegistersPerBlock) == p.regsPerBlock);
    fact("a clock ticks", attribute(cudaDevAttrClockRate) > 0 && attribute(cudaDevAttrMemoryClockRate) > 0);
    int unknown = 0;
    TELL(cudaDeviceGetAttribute(&unknown, (cudaDeviceAttr)99999, 0));
    TELL(cudaDeviceGetAttribute(&unknown, cudaDevAttrWarpSize, count));
    TELL(cudaSetDevice(count));
    TELL(cudaSetDevice(-1));
    CHECK(cudaSetDevice(0));
    TELL(cudaGetDeviceProperties(&p, count + 3));
    cudaGetLastError();

    int chosen = -1;
    cudaDeviceProp wish = {};
    CHECK(cudaChooseDevice(&chosen, &wish));
    fact("a device is chosen", chosen >= 0 && chosen < count);
    int peer = 7;
    CHECK(cudaDeviceCanAccessPeer(&peer, 0, 0));
    printf("own peer %d\n", peer);
    TELL(cudaDeviceEnablePeerAccess(0, 0));
    cudaGetLastError();
    char bus[32] = "";
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    int found = -1;
    CHECK(cudaDeviceGetByPCIBusId(&found, bus));
    printf("device of its bus id %d\n", found);

    size_t limit = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    fact("heap limit is taken", limit >= (16 << 20));
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    fact("stack limit is taken", limit >= 4096);
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    fact("printf limit is taken", limit >= (1 << 20));
    CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    unsigned flags = 0;
    CHECK(cudaGetDeviceFlags(&flags));
    fact("flags are kept", (flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    CHECK(cudaDeviceReset());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
