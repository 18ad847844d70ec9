// The hardware's approximate functions. Inputs keep clear of the places where a bound on the absolute
// error says nothing about units in the last place.
#include "corpus.h"

#define UNARY(NAME, OP)                                                                                      \
    static __device__ float NAME(float x)                                                                    \
    {                                                                                                        \
        float d;                                                                                             \
        asm(OP " %0, %1;" : "=f"(d) : "f"(x));                                                               \
        return d;                                                                                            \
    }
UNARY(sin_approx, "sin.approx.f32")
UNARY(cos_approx, "cos.approx.f32")
UNARY(ex2_approx, "ex2.approx.f32")
UNARY(lg2_approx, "lg2.approx.f32")
UNARY(rcp_approx, "rcp.approx.f32")
UNARY(rsqrt_approx, "rsqrt.approx.f32")
UNARY(sqrt_approx, "sqrt.approx.f32")
UNARY(tanh_approx, "tanh.approx.f32")

static __device__ float div_approx(float x, float y)
{
    float d;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
    return d;
}

extern "C" __global__ void approx_trig(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[2 * i] = sin_approx(a[i]);
        out[2 * i + 1] = cos_approx(a[i]);
    }
}

extern "C" __global__ void approx_exponent(const float *a, float *power, float *logarithm, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        power[i] = ex2_approx(a[i] * 0.25f);
        logarithm[i] = lg2_approx(a[i] + 4.0f);
    }
}

extern "C" __global__ void approx_root(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = a[i];
        out[4 * i] = rcp_approx(x);
        out[4 * i + 1] = rsqrt_approx(x);
        out[4 * i + 2] = sqrt_approx(x);
        out[4 * i + 3] = div_approx(1.75f, x);
    }
}

extern "C" __global__ void approx_tanh(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tanh_approx(a[i]);
}
