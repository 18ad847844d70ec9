// Loads and stores with qualifiers: volatile, read-only, streaming, restrict.
#include "corpus.h"

extern "C" __global__ void qualified_loads(const int *__restrict__ a, const float *__restrict__ b,
                                           const float4 *c, volatile int *d, int *e, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = __ldg(a + i) + a[(i + 1) % n];
    float y = __ldg(b + i);
    float4 v = __ldg(c + i);
    d[i] = x;
    int again = d[i];
    d[i] = again + 1;
    int cached = __ldcg(e + i) + __ldcs(e + n + i);
    __stcs(e + i, cached + d[i]);
    out[i] = y * v.x + v.y * v.z - v.w + (float)again;
}

extern "C" __global__ void volatile_shared(const u32 *in, u32 *out)
{
    __shared__ volatile u32 slot[64];
    int i = threadIdx.x;
    slot[i] = in[i];
    __syncthreads();
    u32 x = slot[i ^ 1];
    __syncthreads();
    slot[i] = x + 1;
    slot[i] = slot[i] * 3;
    __syncthreads();
    out[i] = slot[63 - i];
}
