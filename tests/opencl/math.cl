// Functions that libclc computes, in thousandths.
// run: --grid 1 --block 1 --arg buf:s32[14] --arg 0.5 --arg 2.0
// expect: 0: 479 878 1649 707 1414 250 -693 1000 2236 1500 500 1000 2000 -1000
static int thousandths(float x)
{
    return convert_int_rte(x * 1000.0f);
}
__kernel void math(__global int *out, float a, float b)
{
    out[0] = thousandths(sin(a));
    out[1] = thousandths(cos(a));
    out[2] = thousandths(exp(a));
    out[3] = thousandths(rsqrt(b));
    out[4] = thousandths(sqrt(b));
    out[5] = thousandths(pown(a, 2));
    out[6] = thousandths(log(a));
    out[7] = thousandths(log2(b));
    out[8] = thousandths(hypot(1.0f, b));
    out[9] = thousandths(fmod(7.5f, b));
    out[10] = thousandths(a - floor(a));
    out[11] = thousandths(smoothstep(0.0f, a, b));
    out[12] = thousandths(mix(1.0f, 3.0f, a));
    out[13] = thousandths(sign(-a));
}
