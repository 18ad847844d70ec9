// match.any and match.all: threads grouped by equal values, one leader a group.
#include "corpus.h"

extern "C" __global__ void match(const u32 *in, u32 *out, u32 *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    u32 x = in[i] & 7;
    u32 *o = out + 4 * i;
    u32 peers = __match_any_sync(FULL_WARP, x);
    o[0] = peers;
    o[1] = __match_any_sync(FULL_WARP, (u64)x << 32 | (x & 1));
    int same;
    o[2] = __match_all_sync(FULL_WARP, x >> 3, &same);
    o[2] += (u32)same;
    o[3] = __match_all_sync(FULL_WARP, x, &same);
    o[3] += (u32)same * 2;
    // One atomic a group instead of one a thread.
    if (lane == __ffs((int)peers) - 1)
        atomicAdd(&counts[x], (u32)__popc(peers));
}
