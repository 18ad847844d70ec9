// Collatz chains: trip counts that no two threads share; a table of the longest by 64-bit packing.
#include "corpus.h"

extern "C" __global__ void collatz(u32 *steps, u64 *longest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u64 x = (u64)i + 1;
    u32 k = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        k++;
    }
    steps[i] = k;
    atomicMax(longest, (u64)k << 32 | (u32)i);
}
