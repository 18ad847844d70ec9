// The kernel that the C program launches.
#include <cuda_runtime.h>

__global__ void triple(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * 3 + 1;
}

extern "C" int run_kernel(int *data, int n)
{
    triple<<<(n + 31) / 32, 32>>>(data, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
