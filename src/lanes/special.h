/*
 * The special function unit, bit for bit as an H200 has it: reciprocal, roots, power and logarithm to base 2, sine,
 * cosine and hyperbolic tangent of single precision. Numbers are bit patterns. Only files of lanes/ include this
 * header.
 *
 * A number is reduced to the range of a table (base/special.def), whose segment is chosen by its upper bits; the
 * lower 17 bits are the place x in the segment. The value is a parabola, c0 + c1*x + c2*x^2, and is cut off, not
 * rounded. The product c1*x is exact. The square is not: see special_square(). Functions add a constant of their own,
 * which makes up for some of what is cut off. A negative number is replaced by its one's complement, one unit off,
 * unless it is 0.
 *
 * The unit itself takes subnormal numbers for zeros and gives zeros for them, as .ftz asks. Without .ftz the compiler
 * scales numbers up before and down after (math.c).
 */
#ifndef HEDDLE_LANES_SPECIAL_H
#define HEDDLE_LANES_SPECIAL_H

#include "lanes/lane_loop.h"

#ifdef LANES_SINGLE
#define special_rcp   special_rcp_single
#define special_rsqrt special_rsqrt_single
#define special_sqrt  special_sqrt_single
#define special_ex2   special_ex2_single
#define special_lg2   special_lg2_single
#define special_sin   special_sin_single
#define special_cos   special_cos_single
#endif

/* As long as a vector of 16 bytes, which loads a segment at once. */
struct special_segment {
    int32_t c0, c1, c2, unused;
};

extern const struct special_segment special_rcp_table[128], special_rsqrt_table[128], special_sqrt_table[128],
    special_ex2_table[64], special_lg2_table[64], special_sin_table[64], special_tanh_table[51];

enum { SPECIAL_SIGN = INT32_MIN, SPECIAL_INFINITY = 0x7f800000, SPECIAL_FRACTION = 0x7fffff, SPECIAL_ONE = 0x3f800000 };

/*
 * The square of a number of 17 bits as a fraction of 15 bits. Hardware adds up the products of two bits; a product of
 * bits i and j, i < j, counts twice and so stands in column i + j + 1, and bit i itself in column 2i. Columns below
 * 19 are left out, with what they would have carried. So nothing is left of the products of two of the lower 9 bits,
 * all of those of two of the upper 8 but the lowest one's, and of a lower bit i with the upper ones those from column
 * 19 on.
 */
static inline uint32_t special_square(uint32_t x)
{
    uint32_t upper = x >> 9, sum = upper * upper >> 1;
    for (int i = 2; i < 9; i++)
        sum += upper >> (9 - i) & -(x >> i & 1);
    return sum;
}

/* The parabola's value at x, of 17 bits, in 2^-17 of the table's unit. */
static inline int64_t special_value(const struct special_segment *s, uint32_t x, uint32_t square, int constant)
{
    return (int64_t)s->c0 * 32768 + (int64_t)s->c1 * x + (int64_t)s->c2 * square + constant;
}

static inline int64_t special_curve(const struct special_segment *s, uint32_t x, int constant)
{
    return special_value(s, x, special_square(x), constant);
}

/* The number value * 2^scale as single precision, cut off; 0 < value < 2^52, and the result is neither tiny nor
 * infinite. Double precision holds the value exactly, and its upper bits are the result but for the exponent's offset.
 * The value becomes the fraction of a number from 2^52 on first: hosts convert no vectors of 64-bit integers. */
static inline uint32_t special_cut_off(int64_t value, int scale)
{
    double exact = f64_of_bits((uint64_t)value | 0x4330000000000000u) - 0x1p52;
    return (uint32_t)(bits_of_f64(exact) >> 29) - ((uint32_t)(1023 - 127 - scale) << 23);
}

/* The number with this exponent field and the fraction of `value`, which is at most 2^24: it is 1.0 then. */
static inline uint32_t special_join(uint32_t sign, int exponent, uint32_t value)
{
    exponent += (int)(value >> 24);
    uint32_t joined = sign | (uint32_t)exponent << 23 | (value & SPECIAL_FRACTION);
    joined = exponent >= 255 ? sign | SPECIAL_INFINITY : joined;
    return exponent <= 0 ? sign : joined;
}

/*
 * Functions whose values are numbers of 24 bits come in two halves, so that 32 lanes can be computed in loops that
 * compilers vectorise (special.c): `reduce` finds the segment and, in the lower 17 bits, the place in it; `finish`
 * makes the result from the number and the curve's value. Numbers that are on no curve reduce to any place, and
 * finish() leaves the value aside.
 */
static inline uint32_t special_rcp_reduce(uint32_t u)
{
    return (u & SPECIAL_FRACTION) << 1;
}

static inline uint32_t special_rcp_finish(uint32_t u, uint32_t value)
{
    uint32_t sign = u & (uint32_t)SPECIAL_SIGN, magnitude = u ^ sign, exponent = magnitude >> 23;
    uint32_t result = special_join(sign, 253 - (int)exponent, value);
    result = exponent == 0 ? sign | SPECIAL_INFINITY : result;
    return magnitude > SPECIAL_INFINITY ? NAN_F32 : result;
}

/* Roots: a binade with an even exponent has the first half of the table, one with an odd exponent the second. */
static inline uint32_t special_root_reduce(uint32_t u)
{
    return (~u & 0x800000) | (u & SPECIAL_FRACTION);
}

static inline int special_half_exponent(uint32_t u)
{
    int exponent = (int)(u >> 23 & 255);
    return (exponent - 127 - (~exponent & 1)) >> 1;
}

static inline uint32_t special_rsqrt_finish(uint32_t u, uint32_t value)
{
    /* The root of a power of four is exact; the curve misses it by one unit. */
    value = (u & 0xffffff) == 0x800000 ? 1u << 24 : value;
    uint32_t sign = u & (uint32_t)SPECIAL_SIGN, magnitude = u ^ sign;
    uint32_t result = special_join(0, 126 - special_half_exponent(u), value);
    result = u >= SPECIAL_INFINITY ? (u == SPECIAL_INFINITY ? 0 : NAN_F32) : result;
    return magnitude >> 23 ? result : sign | SPECIAL_INFINITY;
}

static inline uint32_t special_sqrt_finish(uint32_t u, uint32_t value)
{
    uint32_t sign = u & (uint32_t)SPECIAL_SIGN, magnitude = u ^ sign;
    uint32_t result = special_join(0, 127 + special_half_exponent(u), value);
    result = u >= SPECIAL_INFINITY ? (u == SPECIAL_INFINITY ? u : NAN_F32) : result;
    return magnitude >> 23 ? result : sign;
}

/* A power is taken of the number in 2^-23, cut off. Beyond 256 it is infinite or 0. */
static inline int32_t special_ex2_fixed(uint32_t u)
{
    uint32_t exponent = u >> 23 & 255, m = (u & SPECIAL_FRACTION) | 0x800000;
    int32_t fixed =
        (int32_t)(exponent >= 127 ? m << ((exponent - 127) & 7) : m >> (127 - exponent < 24 ? 127 - exponent : 24));
    int32_t negative = fixed & SPECIAL_FRACTION ? ~fixed : -fixed;
    return u >> 31 ? negative : fixed;
}

static inline uint32_t special_ex2_reduce(uint32_t u)
{
    return (uint32_t)special_ex2_fixed(u) & SPECIAL_FRACTION;
}

static inline uint32_t special_ex2_finish(uint32_t u, uint32_t value)
{
    uint32_t magnitude = u & ~(uint32_t)SPECIAL_SIGN;
    uint32_t result = special_join(0, 127 + (special_ex2_fixed(u) >> 23), value);
    result = magnitude >= 0x43800000 ? (u >> 31 ? 0 : SPECIAL_INFINITY) : result;
    return magnitude > SPECIAL_INFINITY ? NAN_F32 : result;
}

/* The four functions for 32 lanes; the result may be where the numbers are. */
void special_rcp(const uint32_t *numbers, uint32_t *results);
void special_rsqrt(const uint32_t *numbers, uint32_t *results);
void special_sqrt(const uint32_t *numbers, uint32_t *results);
void special_ex2(const uint32_t *numbers, uint32_t *results);

/* Reciprocal and reciprocal root of double precision: the unit sees the upper word of a number and gives that of the
 * result. The same curves serve, and their values are cut off at 20 bits. */
static inline uint32_t special_join_upper(uint32_t sign, int exponent, uint32_t value)
{
    exponent += (int)(value >> 24);
    return exponent <= 0 ? sign : sign | (uint32_t)exponent << 20 | (value >> 3 & 0xfffff);
}

static inline uint32_t special_rcp_upper(uint32_t u)
{
    uint32_t sign = u & (uint32_t)SPECIAL_SIGN, fraction = (u & 0xfffff) << 3;
    int exponent = (int)(u >> 20 & 2047);
    if (exponent == 2047)
        return fraction ? NAN_F32 : sign;
    if (!exponent)
        return sign | 0x7ff00000;
    int64_t v = special_curve(&special_rcp_table[fraction >> 16], (fraction & 0xffff) << 1, 8093);
    return special_join_upper(sign, 2045 - exponent, (uint32_t)(v >> 17));
}

static inline uint32_t special_rsqrt_upper(uint32_t u)
{
    uint32_t sign = u & (uint32_t)SPECIAL_SIGN, fraction = (u & 0xfffff) << 3;
    int exponent = (int)(u >> 20 & 2047);
    if (!exponent)
        return sign | 0x7ff00000;
    if (sign || exponent == 2047)
        return sign || fraction ? NAN_F32 : 0;
    int odd = ~exponent & 1, half = (exponent - 1023 - odd) / 2;
    if (!odd && !fraction)
        return (uint32_t)(1023 - half) << 20;
    int64_t v = special_curve(&special_rsqrt_table[odd * 64 + (int)(fraction >> 17)], fraction & 0x1ffff, -1);
    return special_join_upper(0, 1022 - half, (uint32_t)(v >> 17));
}

/* The logarithm of the number whose fraction has the curve's value `v`, in 2^-41. */
static inline uint32_t special_lg2_finish(uint32_t u, int64_t v)
{
    uint32_t fraction = u & SPECIAL_FRACTION, exponent = u >> 23 & 255, is_negative = u >> 31;
    int64_t sum = (v >> 5) + ((int64_t)exponent - 127) * ((int64_t)1 << 36);
    uint32_t below = sum < 0;
    uint32_t result = special_cut_off(below ? ~sum : sum, -36) | below << 31;
    result = u == SPECIAL_ONE ? 0 : result;
    result = is_negative || exponent == 255 ? (is_negative || fraction ? NAN_F32 : u) : result;
    return exponent ? result : (uint32_t)SPECIAL_SIGN | SPECIAL_INFINITY;
}

/* The magnitude of a number of turns in 2^-25, cut off; whole turns do not matter, so only the lower bits are right. */
static inline uint32_t special_angle(uint32_t u)
{
    int shift = (int)(u >> 23 & 255) - 125;
    uint32_t m = (u & SPECIAL_FRACTION) | 0x800000;
    uint32_t above = shift < 32 ? m << (shift & 31) : 0, below = shift > -24 ? m >> (-shift & 31) : 0;
    return shift < 0 ? below : above;
}

/* A quarter's place on the curve; the second and the fourth quarter are mirrored. */
static inline uint32_t special_sin_reduce(uint32_t angle)
{
    return (angle ^ (angle >> 23 & 1 ? SPECIAL_FRACTION : 0)) & SPECIAL_FRACTION;
}

/* The sine at an angle of magnitude `angle`, from the curve's value. `sign` is that of the number of turns, `u`. */
static inline uint32_t special_sin_finish(uint32_t u, uint32_t sign, uint32_t angle, int64_t v)
{
    uint32_t quarter = angle >> 23 & 3, magnitude = v ? special_cut_off(v, -41) : 0;
    magnitude = quarter & 1 && !(angle & SPECIAL_FRACTION) ? SPECIAL_ONE : magnitude;
    uint32_t result = (sign ^ quarter >> 1 << 31) | magnitude;
    return (u & ~(uint32_t)SPECIAL_SIGN) >= SPECIAL_INFINITY ? NAN_F32 : result;
}

/* Logarithms, and sines and cosines of numbers of turns, for 32 lanes; the result may be where the numbers are. */
void special_lg2(const uint32_t *numbers, uint32_t *results);
void special_sin(const uint32_t *turns, uint32_t *results);
void special_cos(const uint32_t *turns, uint32_t *results);

static inline uint32_t special_tanh(uint32_t u)
{
    static const struct {
        uint8_t first, bits; /* the binade's first segment, and the base-2 logarithm of their number */
    } binades[11] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 1}, {7, 2}, {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
    uint32_t sign = u & (uint32_t)SPECIAL_SIGN, fraction = u & SPECIAL_FRACTION;
    int binade = (int)(u >> 23 & 255) - 119;
    if (binade < 0)
        return u;
    if (binade > 10)
        return (u ^ sign) > SPECIAL_INFINITY ? NAN_F32 : sign | SPECIAL_ONE;
    int bits = binades[binade].bits;
    uint32_t segment = binades[binade].first + (fraction >> (23 - bits)), place = fraction >> (6 - bits) & 0x1ffff;
    return sign | special_cut_off(special_curve(&special_tanh_table[segment], place, 0), -41);
}

#endif
