/* Conversions between half precision and single precision. */
#ifndef HEDDLE_BASE_HALF_H
#define HEDDLE_BASE_HALF_H

#include <stdint.h>

static inline uint32_t half_to_f32_bits(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 31)
        return fraction ? 0x7fffffff : sign | 0x7f800000;
    if (exponent)
        return sign | (exponent + 112) << 23 | fraction << 13;
    if (!fraction)
        return sign;
    int shift = __builtin_clz(fraction) - 21; /* brings the leading one to bit 10 */
    return sign | (uint32_t)(113 - shift) << 23 | (fraction << shift & 1023) << 13;
}

/* Rounds a float to half precision, to nearest even. */
static inline uint16_t half_from_f32_bits(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return 0x7fff;
    if (magnitude >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00);
    int exponent = (int)(magnitude >> 23) - 112, drop = exponent > 0 ? 13 : 14 - exponent;
    if (drop > 24)
        return (uint16_t)sign;
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000, kept = mantissa >> drop;
    uint32_t rest = mantissa & ((1u << drop) - 1), middle = 1u << (drop - 1);
    kept += rest > middle || (rest == middle && kept & 1);
    return (uint16_t)(sign | (exponent > 0 ? ((uint32_t)exponent << 10) + kept - 1024 : kept));
}

/* Rounds a float to half precision, toward zero. */
static inline uint16_t half_cut_f32_bits(uint32_t bits)
{
    uint16_t h = half_from_f32_bits(bits);
    if ((bits & 0x7fffffff) > 0x7f800000) /* a NaN keeps the upper part of its payload */
        return (uint16_t)((bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff) | !(bits >> 13 & 0x3ff));
    return (half_to_f32_bits(h) & 0x7fffffff) > (bits & 0x7fffffff) && (bits & 0x7fffffff) < 0x7f800000 ? h - 1 : h;
}

#endif
