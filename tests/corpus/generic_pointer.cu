// Generic addresses: one pointer that is shared, global, constant or local by the thread, through a call
// that cannot know.
#include "corpus.h"

__constant__ int fixed[32] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
__device__ int global_table[32] = {1, 2, 4, 8, 16, 32, 64};

static __device__ __noinline__ int sum(const int *p, int n)
{
    int s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        s = s * 3 + p[k];
    return s;
}

static __device__ __noinline__ void fill(int *p, int n, int x)
{
#pragma unroll 1
    for (int k = 0; k < n; k++)
        p[k] = x * k - 5;
}

extern "C" __global__ void generic_pointer(int *scratch, int *out)
{
    __shared__ int shared[64 * 4];
    int local[4];
    int t = threadIdx.x, kind = t % 5;
    int *writable = kind < 2 ? shared + 4 * t : kind == 2 ? scratch + 4 * t : local;
    fill(writable, 4, t);
    const int *readable = kind == 3 ? fixed + (t & 15) : kind == 4 ? global_table + (t & 7) : writable;
    out[t] = sum(readable, 4) + (kind > 2 ? local[t & 3] : 0);
}

extern "C" __global__ void generic_atomic(const int *in, int *out)
{
    __shared__ int counter[2];
    int t = threadIdx.x;
    if (t < 2)
        counter[t] = 0;
    __syncthreads();
    int *target = in[t] % 3 == 0 ? &counter[t & 1] : &out[t & 3];
    atomicAdd(target, in[t]);
    __syncthreads();
    if (t < 2)
        out[4 + t] = counter[t];
}
