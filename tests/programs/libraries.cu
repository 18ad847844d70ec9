// Libraries and kernels as objects: PTX text loaded by the runtime, its kernels and variables by name.
#include "common.cuh"
#include <cstring>

static const char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 offset = 3;
.visible .entry multiply(.param .u64 data, .param .u32 by)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [by];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r3, [offset];
    mad.lo.u32 %r4, %r2, %r1, %r3;
    st.global.u32 [%rd4], %r4;
    ret;
}
.visible .entry nothing()
{
    ret;
}
)";

__global__ void own(int *data)
{
    data[threadIdx.x] += 1000;
}

int main()
{
    int *data, host[32], by = 5;
    CHECK(cudaMalloc(&data, sizeof host));
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, "multiply"));
    void *arguments[] = {&data, &by};
    CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("multiply %d %d\n", host[0], host[31]);
    unsigned count = 0;
    CHECK(cudaLibraryGetKernelCount(&count, library));
    printf("kernels %u\n", count);
    cudaKernel_t kernels[4] = {};
    CHECK(cudaLibraryEnumerateKernels(kernels, 2, library));
    fact("kernels are listed", kernels[0] && kernels[1] && kernels[0] != kernels[1] && !kernels[2]);

    void *address = NULL;
    size_t bytes = 0;
    CHECK(cudaLibraryGetGlobal(&address, &bytes, library, "offset"));
    int offset = 50;
    CHECK(cudaMemcpy(address, &offset, sizeof offset, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0));
    // A kernel of the program, as an object.
    cudaKernel_t mine;
    CHECK(cudaGetKernel(&mine, (const void *)own));
    CHECK(cudaLaunchKernel((const void *)mine, dim3(1), dim3(32), arguments, 0, 0));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("variable of %zu bytes: %d %d\n", bytes, host[0], host[31]);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
    printf("threads at most %d\n", attributes.maxThreadsPerBlock);
    const char *name = NULL;
    CHECK(cudaFuncGetName(&name, (const void *)own));
    printf("name %s\n", name);
    TELL(cudaLibraryGetKernel(&kernel, library, "absent"));
    TELL(cudaLibraryGetGlobal(&address, &bytes, library, "absent"));
    // Text that is no PTX is refused when it is loaded, or when the first kernel is asked for.
    cudaLibrary_t broken;
    fact("broken text is refused",
         cudaLibraryLoadData(&broken, "not ptx at all", NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess ||
             cudaLibraryGetKernel(&kernel, broken, "multiply") != cudaSuccess);
    cudaGetLastError();
    CHECK(cudaLibraryUnload(library));
    return 0;
}
