// Counts of the low three bits of squares, first in local memory, then in global memory.
// run: --grid 3 --block 40 --arg buf:s32[8]
// expect: 0: 30 60 0 0 30 0 0 0
__kernel void histogram(__global int *bins)
{
    __local int own[8];
    int t = get_local_id(0), i = get_global_id(0);
    if (t < 8)
        own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[i * i & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 8)
        atomic_add(&bins[t], own[t]);
}
