// The double-precision math library as nvcc inlines it.
// compilers: nvcc
#include "corpus.h"

extern "C" __global__ void libm_double(const double *a, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = a[i];
    out[5 * i] = sin(x);
    out[5 * i + 1] = exp(x);
    out[5 * i + 2] = log(x + 2.0);
    out[5 * i + 3] = rsqrt(x + 0.5);
    out[5 * i + 4] = cbrt(x);
}

extern "C" __global__ void libm_double_pow(const double *a, const double *b, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = pow(a[i], b[i]);
}

extern "C" __global__ void libm_double_exact(const double *a, const double *b, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[3 * i] = fmod(a[i], b[i]);
    out[3 * i + 1] = round(a[i]) + rint(b[i]);
    out[3 * i + 2] = copysign(ldexp(a[i], i & 15), b[i]);
}
