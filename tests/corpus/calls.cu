// Calls that stay calls: structures in and out, many arguments, pointers to locals, calls in loops and
// under divergence.
// debug: full
#include "corpus.h"

struct complex_pair {
    double re, im;
};

struct wide_value {
    int part[6];
    u8 tag;
};

static __device__ __noinline__ complex_pair multiply(complex_pair a, complex_pair b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static __device__ __noinline__ wide_value rotate(wide_value v, int by)
{
    wide_value r;
    for (int k = 0; k < 6; k++)
        r.part[k] = v.part[(k + by) % 6];
    r.tag = (u8)(v.tag + by);
    return r;
}

static __device__ __noinline__ int many(s8 a, u8 b, s16 c, u16 d, int e, s64 f, float g, double h, bool i)
{
    return a + b * 2 + c * 3 + d * 4 + e * 5 + (int)(f >> 3) + (int)g + (int)h + (i ? 1000 : 0);
}

static __device__ __noinline__ void split(u32 x, u32 *high, u32 *low)
{
    *high = x >> 16;
    *low = x & 0xffff;
}

static __device__ __noinline__ void leave_early(int *p, int x)
{
    if (x & 1)
        return;
    *p += x;
    if (x % 3 == 0)
        return;
    *p *= 2;
}

extern "C" __global__ void call_structs(const double *in, double *out, int *parts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    complex_pair z = {in[2 * i], in[2 * i + 1]}, p = {1, 0};
    for (int k = 0; k < (i & 7); k++)
        p = multiply(p, z);
    out[2 * i] = p.re;
    out[2 * i + 1] = p.im;
    wide_value v;
    for (int k = 0; k < 6; k++)
        v.part[k] = i * k + 1;
    v.tag = (u8)i;
    v = rotate(v, i % 5);
    if (i % 3 == 1)
        v = rotate(v, 1);
    parts[i] = v.part[0] * 7 + v.part[4] + v.tag;
}

extern "C" __global__ void call_scalars(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i];
    u32 high, low;
    split((u32)x, &high, &low);
    int sum =
        many((s8)x, (u8)x, (s16)x, (u16)x, x >> 8, (s64)x << 8, (float)(x >> 20), (double)(x >> 16), x < 0);
    leave_early(&sum, (int)low);
    leave_early(&sum, (int)high);
    out[i] = sum;
}
