// Conversions between integers, float and double in every rounding; out-of-range values saturate.
#include "corpus.h"

extern "C" __global__ void float_to_int(const float *a, const double *b, int *out, s64 *wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i];
    double y = b[i];
    int *o = out + 8 * i;
    o[0] = __float2int_rn(x);
    o[1] = __float2int_rz(x);
    o[2] = __float2int_ru(x);
    o[3] = __float2int_rd(x);
    o[4] = (int)__float2uint_rn(x);
    o[5] = (int)__float2uint_rz(x);
    o[6] = __double2int_rn(y);
    o[7] = __double2int_ru(y);
    wide[2 * i] = __float2ll_rn(x);
    wide[2 * i + 1] = __double2ll_rd(y);
}

extern "C" __global__ void int_to_float(const s64 *a, float *out, double *wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s64 w = a[i];
    int x = (int)w;
    double d = (double)w;
    float *o = out + 10 * i;
    o[0] = (float)x;
    o[1] = __int2float_rz(x);
    o[2] = __int2float_ru(x);
    o[3] = __uint2float_rd((u32)x);
    o[4] = (float)(u32)x;
    o[5] = __ll2float_rn(w);
    o[6] = (float)(u64)w;
    o[7] = (float)d;
    o[8] = __double2float_rd(d);
    o[9] = __double2float_rz(d) + (float)(s8)w + (float)(u16)w;
    wide[4 * i] = (double)x + (double)(u32)x;
    wide[4 * i + 1] = d;
    wide[4 * i + 2] = __ull2double_rn((u64)w);
    wide[4 * i + 3] = (double)(float)x;
}

extern "C" __global__ void reinterpret(const u32 *a, const u32 *b, u32 *out, double *wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = __uint_as_float(a[i] & 0xbfffffff);
    float y = __int_as_float((int)(b[i] & 0xbfffffff));
    double z = __hiloint2double((int)(a[i] & 0xbfffffff), (int)b[i]);
    out[4 * i] = __float_as_uint(x < y ? x : y);
    out[4 * i + 1] = (u32)__float_as_int(-x) ^ (u32)__double2loint(-z);
    out[4 * i + 2] = (u32)__double2hiint(z);
    out[4 * i + 3] = (u32)((u64)__double_as_longlong(fabs(z)) >> 31);
    wide[i] = __longlong_as_double((s64)((u64)b[i] << 20 | 0x3ff0000000000000ull));
}
