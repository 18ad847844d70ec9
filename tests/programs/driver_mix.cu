// The driver API beside the runtime: one context for both, modules of PTX text, functions of both kinds.
#include "common.cuh"
#include <cstring>
#include <cuda.h>

static const char ptx[] = R"(
.version 6.3
.target sm_52
.address_size 64
.global .u32 counter = 7;
.visible .entry add_index(.param .u64 data, .param .u32 add)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [add];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r3, [%rd4];
    add.u32 %r3, %r3, %r1;
    ld.global.u32 %r4, [counter];
    mad.lo.u32 %r3, %r2, %r4, %r3;
    st.global.u32 [%rd4], %r3;
    ret;
}
)";

#define DRIVER(call)                                                    \
    do {                                                                \
        CUresult result_ = (call);                                      \
        if (result_ != CUDA_SUCCESS) {                                  \
            printf("line %d: %s: %d\n", __LINE__, #call, (int)result_); \
            exit(2);                                                    \
        }                                                               \
    } while (0)

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

int main()
{
    DRIVER(cuInit(0));
    CUcontext before = (CUcontext)1, current = NULL, primary;
    DRIVER(cuCtxGetCurrent(&before));
    printf("context before the first runtime call %s\n", before ? "yes" : "no");
    int *data, host[64];
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemset(data, 0, sizeof host));
    DRIVER(cuCtxGetCurrent(&current));
    CUdevice device;
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
    fact("the runtime's context is the primary one", current && current == primary);

    CUmodule module;
    CUfunction function;
    DRIVER(cuModuleLoadData(&module, ptx));
    DRIVER(cuModuleGetFunction(&function, module, "add_index"));
    int add = 100;
    void *arguments[] = {&data, &add};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    twice<<<1, 64>>>(data);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("both %d %d\n", host[0], host[63]);

    CUdeviceptr counter;
    size_t bytes = 0;
    DRIVER(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
    int value = 0;
    CHECK(cudaMemcpy(&value, (void *)counter, sizeof value, cudaMemcpyDeviceToHost));
    printf("counter %d of %zu bytes\n", value, bytes);

    // A runtime kernel as a driver function, a runtime stream as a driver stream, driver memory for a runtime kernel.
    cudaFunction_t by_symbol;
    CHECK(cudaGetFuncBySymbol(&by_symbol, (const void *)twice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CUdeviceptr memory;
    DRIVER(cuMemAlloc(&memory, sizeof host));
    DRIVER(cuMemsetD32(memory, 21, 64));
    void *memory_arguments[] = {&memory};
    DRIVER(cuLaunchKernel((CUfunction)by_symbol, 1, 1, 1, 64, 1, 1, 0, (CUstream)stream, memory_arguments, NULL));
    DRIVER(cuStreamSynchronize((CUstream)stream));
    CHECK(cudaMemcpy(host, (void *)memory, sizeof host, cudaMemcpyDeviceToHost));
    printf("crossed %d\n", host[33]);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, (void *)memory));
    printf("driver memory is of type %d\n", (int)attributes.type);

    void *entry = NULL;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &entry, 12000, cudaEnableDefault, &found));
    int count = 0;
    printf("entry point %s\n", entry && found == cudaDriverEntryPointSuccess ? "found" : "missing");
    DRIVER(((CUresult(*)(int *))entry)(&count));
    fact("it counts devices", count >= 1);
    cudaError_t missing =
        cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &entry, 12000, cudaEnableDefault, &found);
    printf("a missing one: %s %d\n", cudaGetErrorName(missing), (int)found);
    cudaGetLastError();

    const char *name = NULL;
    DRIVER(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &name));
    printf("%s\n", name);
    printf("missing function %d\n", (int)cuModuleGetFunction(&function, module, "nothing"));
    printf("broken module %d\n", (int)cuModuleLoadData(&module, ".version 6.3\n.target sm_52\nbroken"));
    DRIVER(cuMemFree(memory));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    return 0;
}
