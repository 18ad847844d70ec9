// Random numbers by Philox4x32-10, whose state is a counter: each thread draws points of a square and counts those
// within the quarter of a circle.

#include "device.h"

enum { ROUNDS = 10 };

// The block of four random words that belongs to a counter and a key.
static __device__ __forceinline__ uint4 philox(uint4 counter, uint2 key)
{
#pragma unroll
    for (int round = 0; round < ROUNDS; round++) {
        unsigned long long even = 0xd2511f53ull * counter.x, odd = 0xcd9e8d57ull * counter.z;
        counter = make_uint4((unsigned)(odd >> 32) ^ counter.y ^ key.x, (unsigned)odd,
                             (unsigned)(even >> 32) ^ counter.w ^ key.y, (unsigned)even);
        key.x += 0x9e3779b9;
        key.y += 0xbb67ae85;
    }
    return counter;
}

// 1 if the point is within the circle. With 31 bits per coordinate the sum of squares has 63 at most.
static __device__ __forceinline__ unsigned is_inside(unsigned x, unsigned y)
{
    unsigned long long a = x >> 1, b = y >> 1;
    return a * a + b * b < (unsigned long long)1 << 62;
}

// A thread draws `draws` blocks of numbers, two points each. hits[i] is the number of points of thread i in the circle.
extern "C" __global__ void count(unsigned *hits, uint2 key, unsigned draws)
{
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x, inside = 0;
#pragma unroll 1
    for (unsigned draw = 0; draw < draws; draw++) {
        uint4 r = philox(make_uint4(draw, me, 0, 0), key);
        inside += is_inside(r.x, r.y) + is_inside(r.z, r.w);
    }
    hits[me] = inside;
}
