// Reductions: a tree in static shared memory, a template over the block size, and warps by shuffle.
// debug: lines
#include "corpus.h"

extern "C" __global__ void __launch_bounds__(256) reduce_tree(const int *in, int *out, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

template <typename T, int SIZE> static __device__ T largest(const T *in, int n)
{
    extern __shared__ __align__(8) u8 storage[];
    T *partial = (T *)storage;
    int t = threadIdx.x;
    T best = in[0];
    for (int i = t; i < n; i += SIZE)
        best = max(best, in[i]);
    partial[t] = best;
    __syncthreads();
#pragma unroll
    for (int half = SIZE / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] = max(partial[t], partial[t + half]);
        __syncthreads();
    }
    return partial[0];
}

extern "C" __global__ void reduce_largest_int(const int *in, int *out, int n)
{
    int best = largest<int, 64>(in, n);
    if (threadIdx.x == 0)
        *out = best;
}

extern "C" __global__ void reduce_largest_wide(const s64 *in, s64 *out, int n)
{
    s64 best = largest<s64, 128>(in, n);
    if (threadIdx.x == 0)
        *out = best;
}

extern "C" __global__ void reduce_shuffle(const u64 *in, u64 *out, int n)
{
    __shared__ u64 warp_sum[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    u64 sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int by = 16; by > 0; by /= 2)
        sum += (u64)__shfl_down_sync(FULL_WARP, (s64)sum, by);
    if (lane == 0)
        warp_sum[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (int)blockDim.x / 32 ? warp_sum[lane] : 0;
        for (int by = 4; by > 0; by /= 2)
            sum += (u64)__shfl_xor_sync(FULL_WARP, (s64)sum, by);
        if (lane == 0)
            out[blockIdx.x] = sum;
    }
}
