/* Bits: counting, masks, alignment and hashing of plain bytes. */
#ifndef HEDDLE_BASE_BITS_H
#define HEDDLE_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline int bits_count(uint32_t x)
{
#if defined __x86_64__ && !defined __POPCNT__ /* the builtin would be a call */
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return (int)(((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
#else
    return __builtin_popcount(x);
#endif
}

static inline int bits_lowest(uint32_t x) /* x must not be 0 */
{
    return __builtin_ctz(x);
}

static inline uint32_t bits_below(unsigned n) /* the n lowest bits set; n up to 32 */
{
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

static inline bool bits_is_power_of_two(uint64_t x)
{
    return x && !(x & (x - 1));
}

static inline uint64_t bits_align_up(uint64_t x, uint64_t power_of_two)
{
    return (x + power_of_two - 1) & ~(power_of_two - 1);
}

/* The 64-bit FNV-1a hash. Pass BITS_HASH_SEED as the first hash; pass the last result to continue. */
#define BITS_HASH_SEED 0xcbf29ce484222325u

static inline uint64_t bits_hash(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

#endif
