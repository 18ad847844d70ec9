// A kernel of another file, with a variable of the same name as one in main.cu, and a recursion across files.
#include "shared.cuh"

static __device__ int same_name = 2;

__device__ int depth(int value)
{
    return value <= 0 ? 0 : 10 + back(value - 1);
}

__global__ void remote_kernel(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] + same_name * 5 + triple(i);
}

void launch_remote(int *data, int n)
{
    remote_kernel<<<(n + 31) / 32, 32>>>(data, n);
    CHECK_KERNEL();
}
