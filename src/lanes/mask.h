/* Masks: conversion between 32 bits and 32 lanes of a predicate plane, and writing the chosen lanes of a plane. */
#ifndef HEDDLE_LANES_MASK_H
#define HEDDLE_LANES_MASK_H

#include "lanes/lanes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static const uint32_t mask_bit[ROW_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* The lanes of a predicate that are set. */
static inline uint32_t mask_from_lanes(const uint32_t *lanes)
{
#if defined(__SSE2__) /* all lanes become bytes, whose highest bits are collected */
    __m128i words[ROW_LANES / 4];
    for (int i = 0; i < ROW_LANES / 4; i++)
        words[i] = _mm_loadu_si128((const void *)(lanes + 4 * i));
    const __m128i a = _mm_packs_epi32(words[0], words[1]), b = _mm_packs_epi32(words[2], words[3]);
    const __m128i c = _mm_packs_epi32(words[4], words[5]), d = _mm_packs_epi32(words[6], words[7]);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) | (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(c, d))
                                                                    << 16;
#else
    uint32_t mask = 0;
    for (int i = 0; i < ROW_LANES; i++)
        mask |= lanes[i] & mask_bit[i];
    return mask;
#endif
}

static inline void mask_to_lanes(uint32_t mask, uint32_t *lanes)
{
    LANES_INDEPENDENT
    for (int i = 0; i < ROW_LANES; i++)
        lanes[i] = -(uint32_t)((mask & mask_bit[i]) != 0); /* a table, not a shift: SSE2 cannot shift lanes by different
                                                            * counts */
}

/* Writes the lanes of `from` that are set in `mask`; lanes have 4 bytes. */
static inline void mask_choose(void *to, const void *from, uint32_t mask)
{
    uint32_t *d = to;
    const uint32_t *s = from;
    LANES_INDEPENDENT
    for (int i = 0; i < ROW_LANES; i++) {
        uint32_t m = -(uint32_t)((mask & mask_bit[i]) != 0);
        d[i] = (s[i] & m) | (d[i] & ~m);
    }
}

/* Writes the lanes of `from` that are set in `mask`, a predicate plane; lanes are `bits` wide (1 and 32: 4 bytes). */
static inline void mask_blend(void *to, const void *from, const uint32_t *mask, unsigned bits)
{
    if (bits == 128) {
        struct lane_b128 *d = to;
        const struct lane_b128 *s = from;
        for (int i = 0; i < ROW_LANES; i++)
            d[i] = mask[i] ? s[i] : d[i];
    } else if (bits == 64) {
        uint64_t *d = to;
        const uint64_t *s = from;
        LANES_INDEPENDENT
        for (int i = 0; i < ROW_LANES; i++) {
            uint64_t m = (uint64_t)(int64_t)(int32_t)mask[i];
            d[i] = (s[i] & m) | (d[i] & ~m);
        }
    } else if (bits == 16) {
        uint16_t *d = to;
        const uint16_t *s = from;
        LANES_INDEPENDENT
        for (int i = 0; i < ROW_LANES; i++) {
            uint16_t m = (uint16_t)mask[i];
            d[i] = (uint16_t)((s[i] & m) | (d[i] & ~m));
        }
    } else {
        uint32_t *d = to;
        const uint32_t *s = from;
        LANES_INDEPENDENT
        for (int i = 0; i < ROW_LANES; i++)
            d[i] = (s[i] & mask[i]) | (d[i] & ~mask[i]);
    }
}

#endif
