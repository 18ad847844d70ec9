// Structures by value as kernel parameters, read by field and by a run-time index; small scalars.
#include "corpus.h"

struct transform {
    s8 tag;
    short bias[3];
    int scale;
    double offset;
    struct {
        u8 low, high;
        float weight;
    } band[2];
    u64 seed;
};

extern "C" __global__ void struct_fields(const int *in, double *out, transform t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i] * t.scale + t.bias[i % 3] - t.tag;
    int side = x & 1;
    int clamped = min(max(x, (int)t.band[side].low), (int)t.band[side].high);
    out[i] = t.offset + (double)(clamped * t.band[side].weight) + (double)(t.seed >> (i & 31) & 0xff);
}

struct table {
    int entry[16];
};

extern "C" __global__ void struct_index(__grid_constant__ const table t, const u8 *pick, int *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = t.entry[pick[i] & 15] * 2 + t.entry[15 - (pick[i] & 15)];
}

extern "C" __global__ void scalar_mix(u8 a, s16 b, double c, u8 d, float e, u64 f, u16 g, double *out)
{
    int i = threadIdx.x;
    out[i] = (double)a + (double)b * c + (double)d * (double)e + (double)(u32)(f >> i) - (double)g;
}
