/* A shared object with a kernel of its own. */
#include "tests/runtime/registered.h"

static char store;
static void **binary;

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .u32 calls = 10;\n"
                          ".visible .entry store(.param .u64 at)\n"
                          "{ .reg .b32 %r<2>; .reg .b64 %d; ld.param.u64 %d, [at]; ld.global.u32 %r0, [calls];\n"
                          "  add.u32 %r1, %r0, 1; st.global.u32 [calls], %r1; st.global.u32 [%d], %r1; ret; }\n";

__attribute__((constructor)) static void register_all(void)
{
    binary = registered_binary(ptx);
    registered_kernel(binary, &store, "store");
}

__attribute__((destructor)) static void unregister_all(void)
{
    registered_end(binary);
}

int plugin_run(void);
int plugin_run(void)
{
    int value = -1;
    void *memory = NULL, *arguments[] = {&memory};
    if (cudaMalloc(&memory, sizeof value) ||
        cudaLaunchKernel(&store, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL) ||
        cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost) || cudaFree(memory))
        return -1;
    return value;
}
