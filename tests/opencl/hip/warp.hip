// Sums of warps by shuffles, counts by ballots, and a sum of all in shared memory.
// run: --grid 2 --block 64 --arg buf:s32[8]
// expect: 0: 496 1520 11 10 2544 3568 8128 0
#include "hip_runtime.h"
extern "C" __global__ void __launch_bounds__(64) warp(int *out)
{
    __shared__ int all;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = i;
    if (t == 0)
        all = 0;
    __syncthreads();
    for (int by = 16; by; by /= 2)
        v += __shfl_down(v, by);
    int thirds = __builtin_popcountll(__ballot(i % 3 == 1));
    if (t % 32 == 0) {
        out[4 * blockIdx.x + t / 32] = v;
        atomicAdd(&all, v);
        if (blockIdx.x == 0)
            out[2 + t / 32] = thirds;
    }
    __syncthreads();
    if (t == 0)
        atomicAdd(&out[6], all);
}
