// Stream compaction: ballots and population counts within warps, a scan of warp totals in shared memory.
#include "corpus.h"

extern "C" __global__ void compact(const int *in, int *out, int *kept, int n)
{
    __shared__ int warp_total[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x / 32;
    int base = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        int i = from + t;
        int x = i < n ? in[i] : 0;
        bool keep = i < n && x % 3 != 0;
        u32 votes = __ballot_sync(FULL_WARP, keep);
        int before = __popc(votes & ((1u << lane) - 1));
        if (lane == 0)
            warp_total[warp] = __popc(votes);
        __syncthreads();
        int offset = 0, total = 0;
        for (int w = 0; w < warps; w++) {
            if (w < warp)
                offset += warp_total[w];
            total += warp_total[w];
        }
        if (keep)
            out[base + offset + before] = x;
        base += total;
        __syncthreads();
    }
    if (t == 0)
        *kept = base;
}
