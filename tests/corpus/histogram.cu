// Histograms: atomics on shared memory, merged by atomics on global memory; and global alone.
#include "corpus.h"

extern "C" __global__ void histogram_shared(const u8 *in, u32 *bins, int n)
{
    __shared__ u32 local[64];
    if (threadIdx.x < 64)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] >> 2], 1u);
    __syncthreads();
    if (threadIdx.x < 64 && local[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void histogram_weighted(const u32 *in, u64 *sums, u32 *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 bin = in[i] % 10;
    atomicAdd(&sums[bin], (u64)in[i]);
    atomicMax(&largest[bin], in[i]);
}
