// Insertion into an open-addressing table by compare-and-swap. Where a key lands depends on the order of
// the threads; how often it was inserted does not, and that is what comes out.
#include "corpus.h"

#define SLOTS 256
#define EMPTY 0xffffffffu

static __device__ u32 hash(u32 key)
{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    return key & (SLOTS - 1);
}

extern "C" __global__ void hash_table(const u32 *keys, u32 *counts, u32 *distinct, int n)
{
    __shared__ u32 key[SLOTS], count[SLOTS];
    __shared__ u32 used;
    for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) {
        key[i] = EMPTY;
        count[i] = 0;
    }
    if (threadIdx.x == 0)
        used = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        u32 slot = hash(keys[i]);
        while (true) {
            u32 old = atomicCAS(&key[slot], EMPTY, keys[i]);
            if (old == EMPTY)
                atomicAdd(&used, 1u);
            if (old == EMPTY || old == keys[i]) {
                atomicAdd(&count[slot], 1u);
                break;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        u32 slot = hash(keys[i]);
        while (key[slot] != keys[i])
            slot = (slot + 1) & (SLOTS - 1);
        counts[i] = count[slot];
    }
    if (threadIdx.x == 0)
        *distinct = used;
}

// A 64-bit maximum built from compare-and-swap.
extern "C" __global__ void cas_loop(const u64 *in, u64 *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u64 seen = *(volatile u64 *)largest;
    while (seen < in[i]) {
        u64 old = atomicCAS(largest, seen, in[i]);
        if (old == seen)
            break;
        seen = old;
    }
}
