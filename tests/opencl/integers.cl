// Functions on integers that OpenCL has and CUDA has under other names.
// run: --grid 1 --block 1 --arg buf:s32[20] --arg s32:-7 --arg 12
// expect: 0: 28 4 -2147483648 2147483647 2 3 -1 -96 -6 12 17 19 5 -7 -8388608 -6 24 -1 3 1
__kernel void integers(__global int *out, int a, int b)
{
    out[0] = clz(b);
    out[1] = popcount(0xf0);
    out[2] = sub_sat((int)0x80000000, b);
    out[3] = add_sat(0x7fffffff, b);
    out[4] = hadd(a, b);
    out[5] = rhadd(a, b);
    out[6] = mul_hi(a, b);
    out[7] = mad24(a, b, b) - 24;
    out[8] = max(a, -6);
    out[9] = clamp(50, a, b);
    out[10] = abs_diff(10, a);
    out[11] = abs(a) + b;
    out[12] = rotate(0x80000002, 1u);
    out[13] = min(a, b);
    out[14] = upsample((short)-128, (ushort)0);
    out[15] = a % b + (a & 2) + (b >> 3 & 1) + (a == b);
    out[16] = select(b, 24, a < 0 ? -1 : 0);
    out[17] = convert_char_sat(-1000) >> 7;
    out[18] = convert_int_rte(2.5f) + convert_int_rtp(0.25f);
    out[19] = isnan(nan(0u)) && isinf(-INFINITY) && !isfinite(INFINITY);
}
