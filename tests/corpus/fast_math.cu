// Ordinary code under -use_fast_math: flush to zero, approximate division, roots and functions.
// compilers: nvcc
// flags: -use_fast_math
#include "corpus.h"

extern "C" __global__ void fast_functions(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i];
    out[6 * i] = sinf(x);
    out[6 * i + 1] = cosf(x);
    out[6 * i + 2] = expf(x);
    out[6 * i + 3] = logf(x + 3.0f);
    out[6 * i + 4] = powf(x, 1.5f);
    out[6 * i + 5] = 1.0f / sqrtf(x) + x / 3.7f;
}

extern "C" __global__ void fast_flush(const u32 *a, u32 *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    float x = __uint_as_float(a[i]);
    out[4 * i] = __float_as_uint(x + x);
    out[4 * i + 1] = __float_as_uint(x * 0.5f);
    out[4 * i + 2] = __float_as_uint(fminf(x, 1.0f));
    out[4 * i + 3] = x > 0.0f;
}
