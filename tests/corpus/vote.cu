// Votes over whole and partial warps, and within divergent code.
#include "corpus.h"

extern "C" __global__ void vote(const int *in, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int x = i < n ? in[i] : 0;
    u32 *o = out + 6 * i;
    o[0] = __ballot_sync(FULL_WARP, x > 0);
    o[1] = __any_sync(FULL_WARP, x > 95);
    o[2] = __all_sync(FULL_WARP, x > -99);
    if (lane & 1) {
        o[3] = __ballot_sync(0xaaaaaaaau, x & 2);
        o[4] = __any_sync(0xaaaaaaaau, x == 7) + 2 * __all_sync(0xaaaaaaaau, x < 100);
    } else {
        o[3] = __ballot_sync(0x55555555u, x & 4);
        o[4] = lane;
    }
    __syncwarp();
    u32 leader = (u32)__ffs((int)__ballot_sync(FULL_WARP, x % 5 == 0)) - 1;
    o[5] = leader == (u32)lane ? 1000 + x : leader;
}

// Each turn the threads that are done drop out of the mask of the next.
extern "C" __global__ void vote_shrinking(const int *in, u32 *out)
{
    int t = threadIdx.x;
    int x = in[t] & 15;
    u32 mask = FULL_WARP, seen = 0;
    while (true) {
        u32 going = __ballot_sync(mask, x > 0);
        seen = seen * 3 + (u32)__popc(going);
        if (x == 0)
            break;
        mask = going;
        x--;
    }
    out[t] = seen;
}
