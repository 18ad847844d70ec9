/* Conversion of half precision to single precision, which is exact. */
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

#endif
