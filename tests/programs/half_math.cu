// Arithmetic of half and bfloat16, one by one and two in one register; comparisons, and atomic additions.
#include "common.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void single(float *out)
{
    int i = threadIdx.x;
    __half a = __float2half(i * 0.25f), b = __float2half_rn(1.5f);
    float sum = __half2float(__hadd(a, b)) + __half2float(__hmul(a, b)) + (__hgt(a, b) ? 100 : 0);
    sum += __half2float(hsqrt(__float2half(16.0f))) + __half2float(__int2half_rn(i)) + __half2int_rz(b);
    a += b;
    __nv_bfloat16 c = __float2bfloat16(i * 0.5f), d = __float2bfloat16(3.0f);
    sum += __bfloat162float(__hadd(c, d)) + __bfloat162float(__hmul(c, d)) + (__hlt(c, d) ? 1000 : 0);
    out[i] = sum + (float)a - (float)(a / b >= __half(2.0f));
}

__global__ void halves(float *out)
{
    int i = threadIdx.x;
    __half2 a = __floats2half2_rn(i * 0.25f, 1.5f), b = __float2half2_rn(2.0f);
    __half2 c = __hfma2(a, b, a);
    c = __hsub2(__hmul2(c, __hadd2(a, b)), b);
    float sum = __low2float(c) + __high2float(c) * 3 + (__hbgt2(a, b) ? 1000 : 0);
    __half2 most = __hmax2(a, __lowhigh2highlow(a));
    out[i] = sum + __low2float(most) + __high2float(__habs2(__hneg2(c)));
}

__global__ void bfloats(float *out)
{
    int i = threadIdx.x;
    __nv_bfloat162 pair = __floats2bfloat162_rn(1.0f, i);
    pair = __hfma2(__hadd2(pair, pair), pair, pair);
    out[i] = __low2float(pair) + __high2float(pair) * 5;
}

__global__ void add_up(__half2 *sum)
{
    atomicAdd(sum, __floats2half2_rn(threadIdx.x < 40 ? 1.0f : 0.0f, 0.5f));
}

static void show(const char *name, const float *device)
{
    float host[64];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s %g %g %g fingerprint %08x\n", name, host[0], host[7], host[63], fingerprint(host, sizeof host));
}

int main()
{
    float *out;
    CHECK(cudaMalloc(&out, 64 * sizeof(float)));
    single<<<1, 64>>>(out);
    show("single", out);
    halves<<<1, 64>>>(out);
    show("halves", out);
    bfloats<<<1, 64>>>(out);
    show("bfloats", out);
    __half2 *sum, host;
    CHECK(cudaMalloc(&sum, sizeof host));
    CHECK(cudaMemset(sum, 0, sizeof host));
    add_up<<<1, 64>>>(sum);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
    printf("sums %g %g\n", __low2float(host), __high2float(host));
    return 0;
}
