/* A program on the CUDA runtime that prints the sum of what a kernel stored, registered as nvcc's host code does. */
#include "tests/runtime/registered.h"

#include <stdio.h>

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry fill(.param .u64 at)\n"
    "{ .reg .b32 %r; .reg .b64 %d<3>; ld.param.u64 %d0, [at]; mov.u32 %r, %tid.x; mul.wide.u32 %d1, %r, 4;\n"
    "  add.s64 %d2, %d0, %d1; st.global.u32 [%d2], %r; ret; }\n";

static char fill;
static void **binary;

/* A name that heddle's objects have, too: the archive must keep its own to itself. */
int runtime_begin(void);
int runtime_begin(void)
{
    return 41;
}

__attribute__((constructor)) static void register_all(void)
{
    binary = registered_binary(ptx);
    registered_kernel(binary, &fill, "fill");
}

__attribute__((destructor)) static void unregister_all(void)
{
    registered_end(binary);
}

int main(void)
{
    int values[32], sum = 0;
    void *memory = NULL, *arguments[] = {&memory};
    cudaError_t error = cudaMalloc(&memory, sizeof values);
    if (!error)
        error = cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, 0, NULL);
    if (!error)
        error = cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost);
    if (error) {
        int version = -1, count = -1;
        cudaError_t asked = cudaDriverGetVersion(&version);
        (void)cudaGetDeviceCount(&count);
        printf("%s, %s, version %d, %d devices\n", cudaGetErrorName(error), cudaGetErrorName(asked), version, count);
        return 1;
    }
    for (int i = 0; i < 32; i++)
        sum += values[i];
    printf("sum %d, %d\n", sum, runtime_begin());
    return 0;
}
