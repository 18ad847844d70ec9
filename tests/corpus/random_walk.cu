// Counter-based random numbers (Philox, ten rounds) that drive a walk with data-dependent turns.
#include "corpus.h"

static __device__ uint4 philox(uint4 counter, uint2 key)
{
#pragma unroll 2
    for (int k = 0; k < 10; k++) {
        u32 h0 = __umulhi(0xd2511f53u, counter.x), l0 = 0xd2511f53u * counter.x;
        u32 h1 = __umulhi(0xcd9e8d57u, counter.z), l1 = 0xcd9e8d57u * counter.z;
        counter = make_uint4(h1 ^ counter.y ^ key.x, l1, h0 ^ counter.w ^ key.y, l0);
        key = make_uint2(key.x + 0x9e3779b9u, key.y + 0xbb67ae85u);
    }
    return counter;
}

extern "C" __global__ void philox_words(u32 *out, u32 seed)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 r = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, ~seed));
    out[4 * i] = r.x;
    out[4 * i + 1] = r.y;
    out[4 * i + 2] = r.z;
    out[4 * i + 3] = r.w;
}

extern "C" __global__ void random_walk(int *out, u32 seed, int steps)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = 0, y = 0, home = 0;
    for (int k = 0; k < steps; k++) {
        uint4 r = philox(make_uint4(i, (u32)k, 0, 0), make_uint2(seed, 1));
        if (r.x & 1)
            x += r.y & 1 ? 1 : -1;
        else if ((r.z & 3) == 0)
            y = y / 2;
        else
            y += r.y & 1 ? 1 : -1;
        if (x == 0 && y == 0)
            home++;
        if (x * x + y * y > 30)
            break;
    }
    out[3 * i] = x;
    out[3 * i + 1] = y;
    out[3 * i + 2] = home;
}
