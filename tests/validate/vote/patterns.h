/*
 * What one thread computes in the three patterns: the pieces that both versions of each kernel, and the host that
 * checks them, put together. Every operation is rounded once and in order, so that all of them agree to the bit.
 */
#ifndef HEDDLE_VALIDATE_VOTE_PATTERNS_H
#define HEDDLE_VALIDATE_VOTE_PATTERNS_H

#ifdef __CUDACC__
#define PIECE static __device__ __forceinline__
#define TABLE static __constant__
#else
#include <math.h>
#define PIECE static inline
#define TABLE static const
#endif

/* RSBench's materials have so many nuclides. */
enum { MATERIALS = 12 };
TABLE unsigned nuclides_of[MATERIALS] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};

PIECE unsigned first_random(unsigned thread)
{
    return thread * 747796405u + 12345u;
}

PIECE unsigned next_random(unsigned random)
{
    return random * 1664525u + 1013904223u;
}

/* One thread in eight, in every round. */
PIECE int is_rare(unsigned random)
{
    return (random >> 16 & 7) == 0;
}

PIECE float rare_work(float value, unsigned random)
{
    const float addend = (float)(random >> 24);
    for (int i = 0; i < 24; i++) {
        value = fmaf(value, 0.999f, addend);
        value = fmaf(value, 0.999f, 0.001f);
        value = fmaf(value, 0.999f, addend);
        value = fmaf(value, 0.999f, 0.001f);
    }
    return value;
}

PIECE unsigned material_of(unsigned random)
{
    return (random >> 16) % MATERIALS;
}

PIECE float cross_section(unsigned nuclide, unsigned random)
{
    const float energy = (float)((nuclide ^ random) & 1023) * 0.0009765625f;
    float a = fmaf(energy, energy, 0.5f);
    float b = fmaf(a, energy, 0.25f);
    const float root = sqrtf(b);
    a = fmaf(root, energy, a);
    b = fmaf(a, root, b);
    return b;
}

PIECE int is_odd(unsigned random)
{
    return random >> 16 & 1;
}

PIECE float offset_of(unsigned random)
{
    return (float)(random >> 16) * 1.52587890625e-05f;
}

PIECE float common_work(float value)
{
    for (int i = 0; i < 64; i++)
        value = fmaf(value, 0.999f, 0.001f);
    return value;
}

#endif
