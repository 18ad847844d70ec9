// Half precision through inline PTX: widening, narrowing, and arithmetic in float between them.
#include "corpus.h"

static __device__ float widen(u16 h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

static __device__ u16 narrow_rn(float f)
{
    u16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

static __device__ u16 narrow_rz(float f)
{
    u16 h;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

extern "C" __global__ void half_convert(const u16 *a, const float *b, float *wide, u16 *rn, u16 *rz, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    // One exponent bit is cleared, so neither infinity nor NaN comes in.
    float x = widen(a[i] & 0xfbff);
    wide[i] = x;
    rn[i] = narrow_rn(b[i]);
    rz[i] = narrow_rz(b[i] * 0.125f);
}

extern "C" __global__ void half_dot(const u16 *a, const u16 *b, u16 *out, int length)
{
    int row = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < length; k++)
        sum = fmaf(widen(a[row * length + k] & 0x3fff), widen(b[k] & 0x3fff), sum);
    out[row] = narrow_rn(sum);
}
