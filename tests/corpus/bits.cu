// Bit counting, reversal, permutation, funnel shifts, fields and interleaving.
#include "corpus.h"

static __device__ u32 spread(u32 x)
{
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

extern "C" __global__ void bits(const u32 *a, const u32 *b, u32 *out, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 x = a[i], y = b[i];
    u64 w = (u64)x << 32 | y;
    u32 *o = out + 16 * i;
    o[0] = __popc(x);
    o[1] = __popcll(w);
    o[2] = __clz(x >> (y & 31));
    o[3] = __clzll(w >> (y & 63));
    o[4] = __ffs(x & y);
    o[5] = __ffsll(w << (x & 63));
    o[6] = __brev(x);
    o[7] = (u32)(__brevll(w) >> 17);
    o[8] = __byte_perm(x, y, 0x2705);
    o[9] = __byte_perm(x, y, y & 0x7777);
    o[10] = __funnelshift_l(x, y, y);
    o[11] = __funnelshift_rc(x, y, y & 63);
    o[12] = (x >> 5 & 0x7ff) | (y & 0x3f) << 20;
    o[13] = (x & y) ^ (x | ~y) ^ (y << 3);
    o[14] = spread(x) | spread(y) << 1;
    o[15] = (x ^ x >> 1) + ((int)(x << 11) >> 27) + (__popc(y) & 1) + (1u << (31 - __clz(y | 1)));
}
