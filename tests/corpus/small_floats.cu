// Conversions to and from the floating-point types of 4, 6, 8 and 16 bits of the CUDA headers. Compiled for older GPUs
// they are routines of integer instructions, for newer ones single instructions: both give the same bytes.
// compilers: nvcc
#include "corpus.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

static __device__ unsigned half_bits(__half2_raw h)
{
    return h.x | (unsigned)h.y << 16;
}

extern "C" __global__ void small_floats(const unsigned *in, unsigned *out, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned x = in[i], y = in[(i + 1) % count];
    float a = __uint_as_float(x), b = __uint_as_float(y);
    __half2 h = __floats2half2_rn(a, b);
    __nv_bfloat162 n = __floats2bfloat162_rn(a, b);
    out += 16 * i;
    out[0] = __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
    out[1] = __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E5M2);
    out[2] = __nv_cvt_float2_to_fp6x2(make_float2(a, b), __NV_E2M3, cudaRoundNearest);
    out[3] = __nv_cvt_float2_to_fp6x2(make_float2(a, b), __NV_E3M2, cudaRoundNearest);
    out[4] = __nv_cvt_float2_to_fp4x2(make_float2(a, b), __NV_E2M1, cudaRoundNearest);
    out[5] = __nv_cvt_float_to_e8m0(a, __NV_SATFINITE, cudaRoundPosInf) |
             (unsigned)__nv_cvt_float_to_e8m0(b, __NV_SATFINITE, cudaRoundZero) << 8;
    out[6] = half_bits(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)x, __NV_E4M3));
    out[7] = half_bits(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)x, __NV_E5M2));
    out[8] = half_bits(__nv_cvt_fp6x2_to_halfraw2((__nv_fp6x2_storage_t)(x & 0x3f3f), __NV_E2M3));
    out[9] = half_bits(__nv_cvt_fp6x2_to_halfraw2((__nv_fp6x2_storage_t)(x & 0x3f3f), __NV_E3M2));
    out[10] = half_bits(__nv_cvt_fp4x2_to_halfraw2((__nv_fp4x2_storage_t)x, __NV_E2M1));
    out[11] = __half_as_ushort(__low2half(h)) | (unsigned)__half_as_ushort(__high2half(h)) << 16;
    out[12] = __bfloat16_as_ushort(__low2bfloat16(n)) | (unsigned)__bfloat16_as_ushort(__high2bfloat16(n)) << 16;
    out[13] = __half_as_ushort(__float2half_rz(a)) | (unsigned)__bfloat16_as_ushort(__float2bfloat16_rz(b)) << 16;
    out[14] = __half_as_ushort(__uint2half_rn(x)) | (unsigned)__half_as_ushort(__ushort2half_rz((unsigned short)y)) << 16;
    out[15] = (unsigned)__half2short_rn(__ushort_as_half((unsigned short)x));
}
