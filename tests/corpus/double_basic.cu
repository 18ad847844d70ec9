// IEEE double precision.
#include "corpus.h"

extern "C" __global__ void double_basic(const double *a, const double *b, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = a[i], y = b[i];
    double *o = out + 14 * i;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / y;
    o[4] = sqrt(fabs(x));
    o[5] = fma(x, y, -x);
    o[6] = fmin(x, y);
    o[7] = fmax(x, y);
    o[8] = floor(x);
    o[9] = ceil(x);
    o[10] = trunc(y);
    o[11] = x < y ? x : -y;
    o[12] = ((x * 0.25 + 1.5) * y - 2.0) * x + 3.0;
    o[13] = 1.0 / (1.0 + x * x);
}

extern "C" __global__ void double_directed(const double *a, const double *b, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = a[i], y = b[i];
    double *o = out + 9 * i;
    o[0] = __dadd_rz(x, y);
    o[1] = __dadd_ru(x, y);
    o[2] = __dadd_rd(x, y);
    o[3] = __dmul_rz(x, y);
    o[4] = __dmul_ru(x, y);
    o[5] = __dmul_rd(x, y);
    o[6] = __ddiv_rz(x, y);
    o[7] = __dsqrt_rd(fabs(x));
    o[8] = __fma_ru(x, y, 0.1);
}
