// 64-bit integer arithmetic and the widening forms.
#include "corpus.h"

extern "C" __global__ void arith64(const s64 *a, const s64 *b, u64 *out, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s64 x = a[i], y = b[i];
    u64 ux = x, uy = y;
    s64 divisor = y >> 20;
    if (divisor == 0 || divisor == -1)
        divisor = 10;
    u64 *o = out + 16 * i;
    o[0] = ux + uy;
    o[1] = ux - uy;
    o[2] = ux * uy;
    o[3] = x / divisor;
    o[4] = x % divisor;
    o[5] = ux / (uy | 1);
    o[6] = ux % ((uy >> 40) | 1);
    o[7] = __mul64hi(x, y);
    o[8] = __umul64hi(ux, uy);
    o[9] = ux << (uy & 63);
    o[10] = ux >> (uy & 63);
    o[11] = x >> (uy & 63);
    o[12] = (u64)(s64)(int)ux * (s64)(int)uy + (u64)(u32)(ux >> 32) * (u32)(uy >> 32);
    o[13] = llabs(x >> 1) + (u64)min(x, y);
    o[14] = (ux << 13 | ux >> 51) ^ ~uy;
    o[15] = (x < y) | (ux < uy) << 1 | (x == y) << 2 | (u64)(max(ux, uy) != ux) << 40;
}
