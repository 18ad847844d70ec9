// A matrix of 24 columns and 16 rows, turned tile by tile through local memory in two dimensions.
// run: --grid 3,2 --block 8,8 --arg buf:u32[384]=iota --arg buf:u32[384] --arg 24 --arg 16
// expect: 1: 0 24 48 72 96 120 144 168 192 216 240 264 288 312 336 360 1 25 49 73 ... 359 383
__kernel void transpose(__global const uint *in, __global uint *out, uint width, uint height)
{
    __local uint tile[8][9];
    uint x = get_global_id(0), y = get_global_id(1), tx = get_local_id(0), ty = get_local_id(1);
    tile[ty][tx] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 8 + tx;
    y = get_group_id(0) * 8 + ty;
    out[y * height + x] = tile[tx][ty];
}
