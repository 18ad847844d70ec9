// 32-bit integer arithmetic, signed and unsigned.
#include "corpus.h"

extern "C" __global__ void arith32(const int *a, const int *b, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = a[i], y = b[i];
    u32 ux = x, uy = y;
    int divisor = (y & 0xffff) - 0x8000;
    if (divisor == 0 || divisor == -1)
        divisor = 3;
    u32 *o = out + 18 * i;
    o[0] = ux + uy;
    o[1] = ux - uy;
    o[2] = ux * uy;
    o[3] = x / divisor;
    o[4] = x % divisor;
    o[5] = ux / (uy | 1);
    o[6] = ux % (uy | 1);
    o[7] = __mulhi(x, y);
    o[8] = __umulhi(ux, uy);
    o[9] = ux << (uy & 31);
    o[10] = ux >> (uy & 31);
    o[11] = x >> (uy & 31);
    o[12] = min(x, y) ^ max(ux, uy);
    o[13] = abs(x >> 1);
    o[14] = __sad(x >> 2, y >> 2, 77) + __usad(ux, uy, 5);
    o[15] = __mul24(x >> 9, y >> 9) + __umul24(ux & 0xffffff, uy & 0xffffff);
    o[16] = ux / 7 + uy % 10 + x / 1000 - y % 13 + x / 16;
    o[17] = (x < y) + 2 * (ux < uy) + 4 * (x == y) + 8 * (ux >= 0x80000000u) + (x ? ux : ~uy);
}
