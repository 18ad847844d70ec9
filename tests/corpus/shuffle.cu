// Shuffles in all four modes, with sub-warp widths, partial masks, and 32- and 64-bit values.
#include "corpus.h"

extern "C" __global__ void shuffle(const int *in, const double *wide, int *out, double *wide_out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int x = in[i];
    int *o = out + 10 * i;
    o[0] = __shfl_sync(FULL_WARP, x, (lane * 7 + 3) & 31);
    o[1] = __shfl_sync(FULL_WARP, x, 5, 8);
    o[2] = __shfl_sync(FULL_WARP, x, lane + 1, 16);
    o[3] = __shfl_up_sync(FULL_WARP, x, 3);
    o[4] = __shfl_up_sync(FULL_WARP, x, 1, 4);
    o[5] = __shfl_down_sync(FULL_WARP, x, 9);
    o[6] = __shfl_down_sync(FULL_WARP, x, 2, 8);
    o[7] = __shfl_xor_sync(FULL_WARP, x, 21);
    o[8] = __shfl_xor_sync(FULL_WARP, x, 9, 8);
    o[9] = (int)__shfl_sync(FULL_WARP, (float)x * 0.5f, lane ^ 1);
    double d = wide[i];
    d += __shfl_xor_sync(FULL_WARP, d, 16);
    d -= __shfl_down_sync(FULL_WARP, d, 1, 2);
    wide_out[i] = d;
}

extern "C" __global__ void shuffle_half_warp(const int *in, int *out)
{
    int t = threadIdx.x, lane = t & 31;
    int x = in[t];
    if (lane < 16) {
        for (int by = 8; by > 0; by /= 2)
            x += __shfl_xor_sync(0xffffu, x, by);
    } else {
        x = __shfl_sync(0xffff0000u, x, 31 - (lane & 15));
        x = x * 3 + __shfl_up_sync(0xffff0000u, x, 4, 16);
    }
    out[t] = x;
}
