// IEEE single precision: arithmetic, directed rounding, rounding to integers, comparison and selection.
#include "corpus.h"

extern "C" __global__ void float_basic(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i], y = b[i];
    float *o = out + 24 * i;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / y;
    o[4] = sqrtf(fabsf(x));
    o[5] = fmaf(x, y, -x);
    o[6] = fminf(x, y);
    o[7] = fmaxf(x, y);
    o[8] = floorf(x);
    o[9] = ceilf(x);
    o[10] = truncf(y);
    o[11] = rintf(y);
    o[12] = copysignf(x, y);
    o[13] = __fadd_rz(x, y);
    o[14] = __fadd_ru(x, y);
    o[15] = __fadd_rd(x, y);
    o[16] = __fmul_rz(x, y);
    o[17] = __fmul_ru(x, y);
    o[18] = __fmul_rd(x, y);
    o[19] = __frcp_rn(y);
    o[20] = -x + 0.1f * y;
    o[21] = x < y ? x : x == y ? 0.0f : -y;
    o[22] = (x >= 0.0f) != (y > 1.0f) ? x * 0.5f : y + 1.0f;
    o[23] = ((x * 0.25f + 1.5f) * y - 2.0f) * x + 3.0f;
}

extern "C" __global__ void float_extremes(const u32 *a, const u32 *b, u32 *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    float x = __uint_as_float(a[i]), y = __uint_as_float(b[i]);
    u32 *o = out + 6 * i;
    o[0] = __float_as_uint(x * y);
    o[1] = __float_as_uint(x + y);
    o[2] = __float_as_uint(fminf(x, y));
    o[3] = __float_as_uint(fmaxf(x, y));
    o[4] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 |
           !(x < y) << 6 | !(x >= y) << 7 | (x != x) << 8;
    // The sign of a NaN is nobody's promise.
    o[5] = x != x || y != y ? 0 : __float_as_uint(fabsf(x)) ^ __float_as_uint(-y);
}
