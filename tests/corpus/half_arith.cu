// Half and bfloat16 arithmetic with the toolkit's own types.
// compilers: nvcc
#include "corpus.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_arith(const float *a, const float *b, u16 *out, float *wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = __float2half(a[i]), y = __float2half(b[i]);
    u16 *o = out + 10 * i;
    o[0] = __half_as_ushort(__hadd(x, y));
    o[1] = __half_as_ushort(__hsub(x, y));
    o[2] = __half_as_ushort(__hmul(x, y));
    o[3] = __half_as_ushort(__hfma(x, y, x));
    o[4] = __hlt(x, y) ? __half_as_ushort(__hneg(x)) : __half_as_ushort(__habs(y));
    o[5] = __half_as_ushort(__int2half_rn(i * 37 - 1000));
    __half2 v = __halves2half2(x, y), w = __halves2half2(y, x);
    __half2 r = __hfma2(v, w, __hadd2(v, w));
    o[6] = __half_as_ushort(__low2half(r));
    o[7] = __half_as_ushort(__high2half(r));
    __nv_bfloat16 p = __float2bfloat16(a[i]), q = __float2bfloat16(b[i]);
    o[8] = __bfloat16_as_ushort(__hadd(p, q));
    o[9] = __bfloat16_as_ushort(__hmul(p, q));
    wide[i] = __half2float(__hmax(x, y)) + __bfloat162float(p) +
              (float)__half2int_rz(__hmul(x, __float2half(8.0f)));
}
