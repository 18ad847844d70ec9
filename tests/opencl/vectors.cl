// Vectors of four: swizzles, dot products, loads and stores, conversions.
// run: --grid 1 --block 2 --arg buf:f32[16]=iota --arg buf:f32[16]
// expect: 1: 3 2 1 0 14 14 5 2 7 6 5 4 126 22 13 2
__kernel void vectors(__global const float *in, __global float *out)
{
    size_t i = get_global_id(0);
    float4 v = vload4(i, in);
    vstore4(v.wzyx, 2 * i, out);
    float4 w = (float4)(dot(v, v), v.x + v.y + v.z + v.w + 8.0f * (1 - (int)i), v.hi.x + v.lo.y + 2.0f, 0.0f);
    w.w = (float)any(v > w) + (float)all(v >= 0.0f);
    int4 k = convert_int4_sat_rtz(w);
    w.z = (float)k.z;
    vstore4(w, 2 * i + 1, out);
}
