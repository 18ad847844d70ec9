// Sums of blocks in local memory, whose size the launch chooses.
// run: --grid 4 --block 64 --shared 256 --arg buf:s32[256]=iota --arg buf:s32[5] --arg 0
// expect: 1: 2016 6112 10208 14304 32640
__kernel void reduce(__global const int *in, __global int *out, __local int *part)
{
    uint t = get_local_id(0), n = get_local_size(0);
    part[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = n / 2; step; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) {
        out[get_group_id(0)] = part[0];
        atomic_add(&out[get_num_groups(0)], part[0]);
    }
}
