// Names of errors, and the errors of calls with arguments that cannot be.
#include "common.cuh"

__device__ int variable;
int not_a_symbol;
__global__ void kernel(int *data)
{
    *data = 1;
}

int main()
{
    const int codes[] = {0,   1,   2,   3,   4,   9,   13,  20,  35,  46,  98,  100, 101, 200,
                         209, 217, 218, 304, 400, 401, 500, 600, 700, 701, 702, 709, 710, 715,
                         716, 717, 718, 719, 720, 800, 801, 900, 901, 906, 908, 910, 999};
    for (int code : codes)
        printf("%d %s%s\n", code, cudaGetErrorName((cudaError_t)code),
               cudaGetErrorString((cudaError_t)code)[0] ? "" : " without a text");
    printf("12345 %s: %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));

    int *device, host[4] = {};
    CHECK(cudaMalloc(&device, 16));
    TELL(cudaMemcpy(NULL, host, 16, cudaMemcpyHostToDevice));
    TELL(cudaMemcpy(host, NULL, 16, cudaMemcpyDeviceToHost));
    TELL(cudaMemcpy(device, host, 16, (cudaMemcpyKind)17));
    TELL(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
    TELL(cudaMemset(NULL, 0, 4));
    TELL(cudaMemcpyToSymbol((const void *)&not_a_symbol, host, 4));
    TELL(cudaMemcpyToSymbol(variable, host, 8));
    TELL(cudaMemcpyToSymbol(variable, host, 4, 2));
    void *address = NULL;
    TELL(cudaGetSymbolAddress(&address, (const void *)&not_a_symbol));
    cudaFuncAttributes attributes;
    TELL(cudaFuncGetAttributes(&attributes, (const void *)&not_a_symbol));
    TELL(cudaLaunchKernel((const void *)&not_a_symbol, dim3(1), dim3(1), NULL, 0, 0));
    TELL(cudaEventCreate(NULL));
    TELL(cudaStreamCreate(NULL));
    TELL(cudaEventRecord(NULL, 0));
    TELL(cudaEventDestroy(NULL));
    TELL(cudaEventCreateWithFlags((cudaEvent_t *)&address, 0xff00));
    TELL(cudaStreamCreateWithFlags((cudaStream_t *)&address, 0xff00));
    TELL(cudaHostGetDevicePointer(&address, host, 0));
    TELL(cudaMallocPitch(&address, NULL, 4, 4));
    TELL(cudaGetDeviceCount(NULL));
    TELL(cudaDeviceSynchronize());
    // The last error of them all, once.
    TELL(cudaPeekAtLastError());
    TELL(cudaGetLastError());
    TELL(cudaGetLastError());
    CHECK(cudaFree(device));
    return 0;
}
