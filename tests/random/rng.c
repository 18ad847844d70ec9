/* The generator's random numbers: see rng.h. */
#include "rng.h"

void rng_seed(struct rng *rng, uint64_t seed)
{
    rng->state = seed;
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

unsigned rng_below(struct rng *rng, unsigned n)
{
    return (unsigned)(((rng_next(rng) >> 32) * n) >> 32);
}

bool rng_chance(struct rng *rng, unsigned percent)
{
    return rng_below(rng, 100) < percent;
}

uint32_t rng_word(struct rng *rng)
{
    static const uint32_t edge[] = {
        0,          1,          2,          0xffffffff, 0x80000000, 0x7fffffff, 0x8000,     0x7fff,
        0xffff,     0x10000,    0xff,       0x80,       0x3f800000, 0xbf800000, 0x40490fdb, 0x00000001,
        0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x55555555, 0xaaaaaaaa, 0x4f000000, 0xcf000001,
    };
    unsigned kind = rng_below(rng, 8);
    if (kind == 0)
        return edge[rng_below(rng, sizeof edge / sizeof edge[0])];
    if (kind <= 2)
        return rng_below(rng, 32);
    if (kind == 3) {
        /* a float of moderate size, so that float arithmetic does not drown in infinities */
        uint32_t exponent = 117 + rng_below(rng, 24);
        uint32_t rest = (uint32_t)rng_next(rng) & 0x807fffff;
        return rest | exponent << 23;
    }
    return (uint32_t)rng_next(rng);
}
