// Four-way byte dot products, and a small quantised convolution with them.
#include "corpus.h"

extern "C" __global__ void dot_bytes(const u32 *a, const u32 *b, int *out, u32 *unsigned_out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = __dp4a((int)a[i], (int)b[i], i);
    unsigned_out[i] = __dp4a(a[i], b[i], (u32)i * 1000u);
}

extern "C" __global__ void convolve_bytes(const u32 *in, const u32 *taps, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        u32 low = in[i / 4 + k], high = in[i / 4 + k + 1];
        u32 window = __byte_perm(low, high, 0x3210 + 0x1111 * (i & 3));
        sum = __dp4a((int)window, (int)taps[k], sum);
    }
    out[i] = min(max(sum >> 4, -128), 127);
}
