// Arithmetic of complex and vector types, and conversions between numbers of all kinds and widths.
#include "common.cuh"
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Numbers of 16 bits are converted, and computed with in 32 bits.
__global__ void halves(float *out)
{
    int i = threadIdx.x;
    __half a = __float2half(i * 0.25f), b = __float2half_rn(1.0f / 3);
    __nv_bfloat16 c = __float2bfloat16(i * 0.3f);
    float sum = __half2float(a) + __half2float(b) * 5 + __bfloat162float(c);
    out[i] = sum + __half_as_ushort(b) % 77 + __bfloat16_as_ushort(c) % 7;
}

__global__ void complexes(float *out)
{
    int i = threadIdx.x;
    cuFloatComplex z = make_cuFloatComplex(i, -1), w = make_cuFloatComplex(0.5f, 2);
    cuFloatComplex p = cuCaddf(cuCmulf(z, w), cuConjf(w));
    cuDoubleComplex d = cuCsub(make_cuDoubleComplex(i, i), make_cuDoubleComplex(1, 3));
    out[i] = cuCrealf(p) * 8 + cuCimagf(p) + (float)(cuCreal(d) + cuCimag(d) * 3);
}

__global__ void conversions(long long *out)
{
    int i = threadIdx.x;
    float f = (i - 16) * 1.3f;
    double d = (i - 16) * 123456789.123;
    long long sum = (int)f + (long long)d + __float2int_rn(f) + __float2int_ru(f) * 3 + __float2int_rd(f) * 5;
    sum += __double2ll_rn(d) + (signed char)(i * 9) + (unsigned short)(i * 3000) + (long long)(unsigned)(-i);
    sum += __float_as_int(f) % 1000 + (__double_as_longlong(d) >> 40) + (long long)floorf(f) + (long long)rint(d);
    float2 v2 = make_float2(f, i);
    int3 v3 = make_int3(i, 2, 3);
    double4 v4 = make_double4(1, 2, d, i);
    sum += (long long)v2.y + v3.x * v3.z + (long long)v4.w;
    out[i] = sum;
}

static void show(const char *name, const float *device)
{
    float host[32];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s %g %g %g fingerprint %08x\n", name, host[0], host[7], host[31], fingerprint(host, sizeof host));
}

int main()
{
    float *out;
    CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    halves<<<1, 32>>>(out);
    show("halves", out);
    complexes<<<1, 32>>>(out);
    show("complexes", out);
    long long *wide, host[32];
    CHECK(cudaMalloc(&wide, sizeof host));
    conversions<<<1, 32>>>(wide);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, wide, sizeof host, cudaMemcpyDeviceToHost));
    printf("conversions %lld %lld fingerprint %08x\n", host[0], host[31], fingerprint(host, sizeof host));
    __half h = __float2half(0.1f);
    printf("on the host %g %g\n", __half2float(h), __bfloat162float(__float2bfloat16(0.1f)));
    return 0;
}
