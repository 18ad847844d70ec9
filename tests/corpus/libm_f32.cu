// The single-precision math library as nvcc inlines it, slow paths (argument reduction) included.
// compilers: nvcc
#include "corpus.h"

extern "C" __global__ void libm_trig(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i];
    out[4 * i] = sinf(x);
    out[4 * i + 1] = cosf(x);
    out[4 * i + 2] = atan2f(x, 2.5f);
    out[4 * i + 3] = tanhf(x);
}

extern "C" __global__ void libm_exponent(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i], y = b[i];
    out[6 * i] = expf(y);
    out[6 * i + 1] = logf(x);
    out[6 * i + 2] = powf(x, y);
    out[6 * i + 3] = log1pf(x);
    out[6 * i + 4] = cbrtf(x);
    out[6 * i + 5] = erff(y);
}

extern "C" __global__ void libm_exact(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i], y = b[i];
    int exponent;
    out[6 * i] = fmodf(x, y);
    out[6 * i + 1] = roundf(x);
    out[6 * i + 2] = frexpf(x, &exponent);
    out[6 * i + 3] = ldexpf(y, exponent);
    out[6 * i + 4] = fdimf(x, y);
    out[6 * i + 5] = (float)(lrintf(x) + (isfinite(x / y) ? 1 : 0) + (signbit(y) ? 2 : 0));
}
