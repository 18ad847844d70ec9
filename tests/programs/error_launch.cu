// Launches that are refused, and that the error of a refused launch is told once and does no lasting harm.
#include "common.cuh"

__global__ void set(int *data, int value)
{
    data[threadIdx.x] = value;
}
extern __shared__ int dynamic[];
__global__ void with_shared(int *data)
{
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    data[threadIdx.x] = dynamic[31 - threadIdx.x];
}

static void told(const char *what)
{
    printf("%s: peek %s", what, cudaGetErrorName(cudaPeekAtLastError()));
    printf(", get %s", cudaGetErrorName(cudaGetLastError()));
    printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

int main()
{
    int *data, value = 0;
    CHECK(cudaMalloc(&data, 1024 * sizeof(int)));
    set<<<1, 1025>>>(data, 1);
    told("1025 threads");
    set<<<0, 32>>>(data, 1);
    told("no block");
    set<<<1, 0>>>(data, 1);
    told("no thread");
    set<<<dim3(1, 65536, 1), 32>>>(data, 1);
    told("65536 blocks in y");
    set<<<1, dim3(1, 1, 65)>>>(data, 1);
    told("65 threads in z");
    set<<<1, dim3(64, 32)>>>(data, 1);
    told("64 by 32 threads");
    with_shared<<<1, 32, 1 << 20>>>(data);
    told("1 MiB of shared memory");
    with_shared<<<1, 32, 48 * 1024 + 1>>>(data);
    told("shared memory past 48 KiB without opt-in");
    TELL(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    told("after that");
    CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024));
    with_shared<<<1, 32, 60 * 1024>>>(data);
    told("with opt-in");
    TELL(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
    printf("value %d\n", value);

    // A failed call's error stays until it is asked for, also when other calls succeed meanwhile.
    set<<<1, 2000>>>(data, 1);
    CHECK(cudaMemset(data, 0, 4));
    CHECK(cudaDeviceSynchronize());
    set<<<1, 32>>>(data, 7);
    CHECK(cudaDeviceSynchronize());
    told("after good calls");
    CHECK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
    printf("value %d\n", value);
    int *none;
    TELL(cudaMalloc(&none, (size_t)1 << 55));
    told("after too large an allocation");
    void *arguments[] = {&data, &value};
    TELL(cudaLaunchKernel((const void *)set, dim3(1), dim3(4096), arguments, 0, 0));
    told("by call");
    value = 11;
    TELL(cudaLaunchKernel((const void *)set, dim3(1), dim3(32), arguments, 0, 0));
    CHECK(cudaMemcpy(&value, data + 31, sizeof value, cudaMemcpyDeviceToHost));
    printf("value %d\n", value);
    CHECK(cudaFree(data));
    return 0;
}
