// Barriers that count and vote, and named barriers: pairs of warps, producers that only arrive.
#include "corpus.h"

extern "C" __global__ void barrier_votes(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i < n ? in[i] : -1;
    int *o = out + 3 * i;
    o[0] = __syncthreads_count(x > 20);
    o[1] = __syncthreads_and(x > -50);
    o[2] = __syncthreads_or(x == 33);
}

// Threads that returned take no part in later barriers.
extern "C" __global__ void barrier_after_exit(const int *in, int *out, int n)
{
    __shared__ int slot[128];
    int t = threadIdx.x;
    slot[t] = in[t];
    __syncthreads();
    if (t >= n)
        return;
    int x = slot[127 - t];
    __syncthreads();
    slot[t] = x * 2;
    __syncthreads();
    out[t] = slot[(t + 1) % n];
}

// Two halves of the block synchronise apart, each on its own barrier and a different number of times.
extern "C" __global__ void named_barriers(const int *in, int *out)
{
    __shared__ int slot[128];
    int t = threadIdx.x, half = t >> 6, at = t & 63;
    slot[t] = in[t];
    for (int turn = 0; turn < 3 + 4 * half; turn++) {
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        int x = slot[half * 64 + ((at + turn + 1) & 63)];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        slot[t] = slot[t] * 3 + x;
    }
    __syncthreads();
    out[t] = slot[t ^ 64];
}

// One warp produces, another consumes, through two barriers that each side only arrives at or waits for.
extern "C" __global__ void producer_consumer(const int *in, int *out, int rounds)
{
    __shared__ int slot[32];
    int lane = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (int k = 0; k < rounds; k++) {
            asm volatile("bar.sync 5, 64;" ::: "memory");
            slot[lane] = in[k * 32 + lane] * 2 + k;
            __threadfence_block();
            asm volatile("bar.arrive 6, 64;" ::: "memory");
        }
    } else {
        int sum = 0;
        for (int k = 0; k < rounds; k++) {
            asm volatile("bar.arrive 5, 64;" ::: "memory");
            asm volatile("bar.sync 6, 64;" ::: "memory");
            sum = sum * 5 + slot[31 - lane];
        }
        out[lane] = sum;
    }
}
