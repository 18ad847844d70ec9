// Every commutative atomic, on global and shared memory, 32 and 64 bits, results unused.
#include "corpus.h"

extern "C" __global__ void atomics_global(const u32 *in, int *signed_cells, u32 *cells, u64 *wide, s64 *least,
                                          int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 x = in[i];
    atomicAdd(&signed_cells[0], (int)x >> 4);
    atomicMin(&signed_cells[1], (int)x);
    atomicMax(&signed_cells[2], (int)x);
    atomicAdd(&cells[0], x);
    atomicSub(&cells[1], x >> 3);
    atomicMin(&cells[2], x);
    atomicMax(&cells[3], x);
    atomicAnd(&cells[4], x | 0xfffffu);
    atomicOr(&cells[5], 1u << (x & 31));
    atomicXor(&cells[6], x);
    atomicInc(&cells[7], 36);
    atomicDec(&cells[8], 17);
    atomicAdd(&wide[0], (u64)x << 20);
    atomicMax(&wide[1], (u64)x * x);
    atomicAnd(&wide[2], (u64)x << 13 | 0xff0000000000ffffull);
    atomicXor(&wide[3], (u64)x * 0x100000001ull);
    atomicMin(least, (s64)(int)x * 12345);
}

extern "C" __global__ void atomics_shared(const u32 *in, u32 *out, u64 *wide, int n)
{
    __shared__ u32 cell[6];
    __shared__ u64 sum;
    int t = threadIdx.x;
    if (t < 6)
        cell[t] = t == 1 ? 0xffffffffu : 0;
    if (t == 6)
        sum = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        u32 x = in[i];
        atomicAdd(&cell[0], x & 0xff);
        atomicMin(&cell[1], x);
        atomicMax(&cell[2], x);
        atomicOr(&cell[3], x & 0x10101u);
        atomicXor(&cell[4], x);
        atomicInc(&cell[5], 10);
        atomicAdd(&sum, (u64)x);
    }
    __syncthreads();
    if (t < 6)
        out[t] = cell[t];
    // An exchange whose old value is known: nobody else is left.
    if (t == 0)
        *wide = sum + atomicExch(&cell[0], 1u);
}
