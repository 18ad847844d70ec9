// A sort of 64 words in local memory.
// run: --grid 1 --block 64 --arg buf:u32[64]
// expect: 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ... 62 63
__kernel void bitonic(__global uint *data)
{
    __local uint own[64];
    uint t = get_local_id(0);
    own[t] = t * 37 % 64;
    for (uint size = 2; size <= 64; size *= 2)
        for (uint step = size / 2; step; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint other = t ^ step;
            bool is_up = !(t & size);
            if (other > t && (own[t] > own[other]) == is_up) {
                uint kept = own[t];
                own[t] = own[other];
                own[other] = kept;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[t] = own[t];
}
