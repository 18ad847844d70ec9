// Separate compilation: kernels that call functions and use variables of other files, and a kernel launched from two.
#include "shared.cuh"

static __device__ int same_name = 1;

__device__ int back(int value)
{
    return value <= 0 ? 0 : 1 + depth(value - 1);
}

__global__ void local_kernel(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    operation what = {i % 3, constants[i % 4]};
    data[i] = apply(what, i) + chosen(i) + same_name * 1000000 + depth(i % 7);
}

int main()
{
    const int n = 100;
    int *data, host[n];
    CHECK(cudaMalloc(&data, sizeof host));
    int numbers[4] = {1, 10, 100, 1000};
    CHECK(cudaMemcpyToSymbol(constants, numbers, sizeof numbers));
    local_kernel<<<2, 64>>>(data, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("local %d %d %d fingerprint %08x\n", host[0], host[50], host[99], fingerprint(host, sizeof host));
    launch_remote(data, n);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("remote %d %d fingerprint %08x\n", host[0], host[99], fingerprint(host, sizeof host));
    remote_kernel<<<1, 32>>>(data, 32);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("remote from here %d\n", host[31]);
    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    printf("calls %d\n", count);
    return 0;
}
