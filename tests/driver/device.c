/*
 * A CUDA driver-API program that fits its launch to the device: prints what the driver says of it, and starts as many
 * blocks as it holds at a time, which wait for each other.
 */
#include "check.h"

enum { THREADS = 128 };

/* Each block counts itself in and waits until all are there. */
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry meet(.param .u64 counter)\n{\n"
                          "    .reg .u64 %d<2>;\n    .reg .u32 %r<4>;\n    .reg .pred %p<3>;\n"
                          "    ld.param.u64 %d0, [counter];\n    mov.u32 %r0, %tid.x;\n"
                          "    setp.ne.u32 %p0, %r0, 0;\n    @%p0 bra DONE;\n"
                          "    mov.u32 %r1, %nctaid.x;\n    atom.global.add.u32 %r2, [%d0], 1;\n"
                          "WAIT:\n    ld.volatile.global.u32 %r2, [%d0];\n    setp.lt.u32 %p1, %r2, %r1;\n"
                          "    @%p1 bra WAIT;\n"
                          "DONE:\n    bar.sync 0;\n    ret;\n}\n";

static int attribute(CUdevice_attribute which, CUdevice device)
{
    int value = 0;
    CHECK(cuDeviceGetAttribute(&value, which, device));
    return value;
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr counter;
    char name[64];
    int blocks, grid, threads;
    size_t shared;
    unsigned met = 0;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&function, module, "meet"));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, THREADS, 0));
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &threads, function, NULL, 0, 0));
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 2, THREADS));
    int multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    printf("%s: %d multiprocessors of %d threads, %d registers, %d bytes; %d MHz\n", name, multiprocessors,
           attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device),
           attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, device),
           attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, device),
           attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device) / 1000);
    printf("%d blocks fit, at best %d of %d; %zu bytes for one of two\n", blocks, grid, threads, shared);
    CHECK(cuMemAlloc(&counter, sizeof met));
    CHECK(cuMemsetD32(counter, 0, 1));
    void *arguments[] = {&counter};
    unsigned all = (unsigned)(blocks * multiprocessors);
    CHECK(cuLaunchKernel(function, all, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(&met, counter, sizeof met));
    printf("%u of %u blocks met\n", met, all);
    return met != all;
}
