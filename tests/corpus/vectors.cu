// Vector types: wide loads and stores from global, shared and local memory.
#include "corpus.h"

extern "C" __global__ void vector_float(const float4 *in, const float2 *scale, float4 *out, int n)
{
    __shared__ float4 tile[64];
    int i = threadIdx.x;
    float4 v = i < n ? in[i] : make_float4(0, 0, 0, 0);
    tile[i] = v;
    __syncthreads();
    if (i >= n)
        return;
    float4 w = tile[63 - i];
    float2 s = scale[i & 3];
    out[i] = make_float4(v.x * s.x + w.w, v.y * s.y + w.z, v.z * s.x + w.y, v.w * s.y + w.x);
}

extern "C" __global__ void vector_int(const int4 *a, const int2 *b, const uchar4 *c, const short2 *d,
                                      int4 *out, uchar4 *bytes)
{
    int i = threadIdx.x;
    int4 p = a[i];
    int2 q = b[i];
    uchar4 r = c[i];
    short2 s = d[i];
    out[i] = make_int4(p.x + q.x, p.y - q.y, p.z * r.x + s.x, p.w ^ (r.y << 8 | r.z) ^ s.y);
    bytes[i] = make_uchar4((u8)(r.x + 1), (u8)(r.y ^ p.x), r.w, (u8)(r.z * 3));
}

extern "C" __global__ void vector_wide(const double2 *a, const longlong2 *b, double2 *out, short4 *small)
{
    int i = threadIdx.x;
    double2 x = a[i];
    longlong2 y = b[i];
    double2 history[4];
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        x = make_double2(x.y, x.x + (double)(y.x >> 40));
        history[k] = x;
    }
    double2 h = history[y.y & 3];
    out[i] = make_double2(h.x - x.x, h.y);
    small[i] = make_short4((short)y.x, (short)(y.x >> 16), (short)y.y, (short)(y.y >> 48));
}
