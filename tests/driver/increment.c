/*
 * A CUDA driver-API program as anyone writes one: adds 1 to each of 64 numbers on the device and checks them.
 * With an argument it launches more threads than the buffer has numbers, and says what the driver answers.
 */
#include "check.h"

enum { COUNT = 64 };

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry increment(.param .u64 numbers)\n{\n"
                          "    .reg .u64 %d<3>;\n    .reg .u32 %r<3>;\n"
                          "    ld.param.u64 %d0, [numbers];\n    mov.u32 %r0, %tid.x;\n"
                          "    mul.wide.u32 %d1, %r0, 4;\n    add.u64 %d2, %d0, %d1;\n"
                          "    ld.global.u32 %r1, [%d2];\n    add.u32 %r1, %r1, 1;\n"
                          "    st.global.u32 [%d2], %r1;\n    ret;\n}\n";

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr buffer;
    unsigned numbers[COUNT];
    (void)argv;
    for (unsigned i = 0; i < COUNT; i++)
        numbers[i] = i * i;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&function, module, "increment"));
    CHECK(cuMemAlloc(&buffer, sizeof numbers));
    CHECK(cuMemcpyHtoD(buffer, numbers, sizeof numbers));
    void *arguments[] = {&buffer};
    CHECK(cuLaunchKernel(function, 1, 1, 1, argc > 1 ? 2 * COUNT : COUNT, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(numbers, buffer, sizeof numbers));
    for (unsigned i = 0; i < COUNT; i++)
        if (numbers[i] != i * i + 1) {
            printf("number %u is %u\n", i, numbers[i]);
            return 1;
        }
    CHECK(cuMemFree(buffer));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
    puts("64 numbers are right");
    return 0;
}
