/*
 * Numbers of half precision (f16, bf16): one value from or to f32, in expressions that compilers vectorise.
 *
 * Arithmetic on f16 and bf16 is done in f32 or f64 and rounded to half precision once. f32 has more than twice the
 * precision of either type plus two bits, so that a sum or product that the host rounds to f32 first is still rounded
 * right. Where that does not hold (fused multiply-add, products of bf16 below the range of f32) the wider result is
 * first rounded to odd: the last bit is set if any bit was lost, which keeps every later rounding right.
 */
#ifndef HEDDLE_LANES_HALF_VALUE_H
#define HEDDLE_LANES_HALF_VALUE_H

#include "lanes/lane_loop.h"

enum {
    HALF_SIGN = 0x8000,
    F16_INFINITY = 0x7c00,
    BF16_INFINITY = 0x7f80,
    F16_ONE = 0x3c00,
    BF16_ONE = 0x3f80,
    HALF_OUT_OF_BOUNDS = 0x7ff7 /* the NaN, of either sign, that fma.oob takes for an element out of bounds */
};

static inline bool f16_is_nan(uint16_t a)
{
    return (a & 0x7fff) > F16_INFINITY;
}

static inline bool bf16_is_nan(uint16_t a)
{
    return (a & 0x7fff) > BF16_INFINITY;
}

/* .ftz: a subnormal becomes a zero of the same sign. */
static inline uint16_t f16_flush(uint16_t a)
{
    return (uint16_t)(a & (F16_INFINITY & a ? 0xffff : HALF_SIGN));
}

/* The bits of an f16, moved to where f32 has them, are a number 2^112 too small, also if it is subnormal. */
static inline float f16_to_f32(uint16_t a)
{
    uint32_t moved = (uint32_t)(a & 0x7fff) << 13;
    uint32_t u = bits_of_f32(f32_of_bits(moved) * 0x1p112f);
    u |= moved >= 0x0f800000u ? 0x7f800000u : 0; /* infinity and NaN have the highest exponent in f32, too */
    return f32_of_bits(u | (uint32_t)(a & HALF_SIGN) << 16);
}

static inline float bf16_to_f32(uint16_t a)
{
    return f32_of_bits((uint32_t)a << 16);
}

static inline bool f32_is_nan(uint32_t u)
{
    return (u & 0x7fffffffu) > 0x7f800000u;
}

/* The bits of an f16 from a number that f16 can represent, or that is too large; NaN becomes NAN_F16. */
static inline uint16_t f16_of_exact(float r)
{
    uint32_t u = bits_of_f32(r), m = bits_of_f32(f32_of_bits(u & 0x7fffffffu) * 0x1p-112f) >> 13;
    m = m > F16_INFINITY ? F16_INFINITY : m;
    return (uint16_t)(f32_is_nan(u) ? NAN_F16 : m | (u >> 16 & HALF_SIGN));
}

/* Rounds to 11 bits, the last of them at least 2^-24: adds a number so large that its last bit is the last to keep, and
 * subtracts it. */
static inline float round_to_f16(float s)
{
    uint32_t exponent = bits_of_f32(s) & 0x7f800000u, least = 113u << 23; /* 2^-14 */
    exponent = exponent > least ? exponent : least;
    float large = f32_of_bits((exponent + (13u << 23)) | 0x00400000u), r = (s + large) - large;
    return f32_of_bits((bits_of_f32(r) & 0x7fffffffu) | (bits_of_f32(s) & 0x80000000u));
}

static inline uint16_t f16_of_f32(float s)
{
    return f16_of_exact(round_to_f16(s));
}

/* Hardware rounds to 11 bits as if the exponent had no lower bound, and flushes what is then below 2^-14. */
static inline uint16_t f16_of_f32_flushed(float s)
{
    float large = f32_of_bits(((bits_of_f32(s) & 0x7f800000u) + (13u << 23)) | 0x00400000u), r = (s + large) - large;
    uint32_t m = bits_of_f32(r) & 0x7fffffffu;
    m = m < (113u << 23) ? 0 : m;
    return f16_of_exact(f32_of_bits(m | (bits_of_f32(s) & 0x80000000u)));
}

static inline uint16_t bf16_of_f32(float s)
{
    uint32_t u = bits_of_f32(s);
    return (uint16_t)(f32_is_nan(u) ? NAN_BF16 : (u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

static inline uint16_t bf16_of_f64(double s)
{
    uint64_t exponent = bits_of_f64(s) & 0x7ff0000000000000u, least = UINT64_C(897) << 52; /* 2^-126 */
    exponent = exponent > least ? exponent : least;
    double large = f64_of_bits((exponent + (UINT64_C(45) << 52)) | 0x0008000000000000u), r = (s + large) - large;
    r = f64_of_bits((bits_of_f64(r) & 0x7fffffffffffffffu) | (bits_of_f64(s) & 0x8000000000000000u));
    uint32_t u = bits_of_f32((float)r);
    return (uint16_t)(f32_is_nan(u) ? NAN_BF16 : u >> 16);
}

/* a * b + c, rounded to odd. The product is exact, and the error of the sum is a number of its own. */
static inline float f16_fma(float a, float b, float c)
{
    float p = a * b, s = p + c, part = s - p, lost = (p - (s - part)) + (c - part);
    uint32_t u = bits_of_f32(s), e = bits_of_f32(lost);
    bool is_inexact = (e << 1) != 0 && (u & 0x7f800000u) != 0x7f800000u && !(u & 1);
    return f32_of_bits(u + ((1u - ((e ^ u) >> 31 << 1)) & (0u - (uint32_t)is_inexact)));
}

static inline double bf16_fma(float a, float b, float c)
{
    double p = (double)a * b, s = p + c, part = s - p, lost = (p - (s - part)) + (c - part);
    uint64_t u = bits_of_f64(s), e = bits_of_f64(lost), infinity = 0x7ff0000000000000u;
    bool is_inexact = (e << 1) != 0 && (u & infinity) != infinity && !(u & 1);
    return f64_of_bits(u + ((1u - ((e ^ u) >> 63 << 1)) & (0u - (uint64_t)is_inexact)));
}

/*
 * The same for rows without special cases, in fewer operations. f16: no operand is infinite or NaN. bf16: the product
 * is exact in f32, and the sum finite.
 */
static inline float f16_to_f32_finite(uint16_t a)
{
    return f32_of_bits(((uint32_t)(int32_t)(int16_t)a << 13) & 0x8fffe000u) * 0x1p112f;
}

static inline uint16_t f16_of_f32_finite(float s)
{
    uint32_t exponent = bits_of_f32(s) & 0x7f800000u, least = 113u << 23;
    exponent = exponent > least ? exponent : least;
    float large = f32_of_bits((exponent + (13u << 23)) | 0x00400000u), r = (s + large) - large;
    uint32_t m = (bits_of_f32(r * 0x1p-112f) & 0x7fffffffu) >> 13;
    m = m > F16_INFINITY ? F16_INFINITY : m;
    return (uint16_t)(m | (bits_of_f32(s) >> 16 & HALF_SIGN));
}

static inline float half_fma_finite(float a, float b, float c)
{
    float p = a * b, s = p + c, part = s - p, lost = (p - (s - part)) + (c - part);
    uint32_t u = bits_of_f32(s), e = bits_of_f32(lost);
    bool is_inexact = (e << 1) != 0 && !(u & 1);
    return f32_of_bits(u + ((1u - ((e ^ u) >> 31 << 1)) & (0u - (uint32_t)is_inexact)));
}

static inline uint16_t bf16_of_f32_finite(float s)
{
    uint32_t u = bits_of_f32(s);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

/* The highest bit is set if the f16 is infinite or NaN. */
static inline uint32_t f16_mark_special(uint16_t a)
{
    return ((uint32_t)(a & F16_INFINITY) + 0x400) << 16;
}

/* The highest bit is set if the product may be inexact, since it is tiny, or if the result that follows from it is not
 * finite. */
static inline uint32_t bf16_mark_special(float a, float b, float result)
{
    uint32_t exponent = bits_of_f32(a * b) >> 23 & 0xff, last = bits_of_f32(result) >> 23 & 0xff;
    bool is_zero = (bits_of_f32(a) << 1) == 0 || (bits_of_f32(b) << 1) == 0;
    return (0u - (uint32_t)(exponent < 32 && !is_zero)) | (0u - (uint32_t)(last == 0xff));
}

/* .sat clamps to [0, 1] and .relu to numbers that are not negative; -0 becomes +0. NaN becomes 0 by .sat. */
static inline uint16_t f16_saturate(uint16_t r)
{
    r = r > F16_INFINITY ? 0 : r; /* NaN, or negative */
    return r > F16_ONE ? F16_ONE : r;
}

static inline uint16_t half_relu(uint16_t r)
{
    return r & HALF_SIGN ? 0 : r;
}

/* A key has the order of the numbers; -0 is less than +0. */
static inline int16_t half_key(uint16_t a)
{
    return (int16_t)(a ^ (uint16_t)((a & HALF_SIGN) - (a >> 15)));
}

/* min and max: if one operand is NaN, the other is the result; if both are, NAN_F16 or NAN_BF16, which are the same. */
static inline uint16_t half_min(uint16_t a, uint16_t b, bool a_is_nan, bool b_is_nan)
{
    uint16_t r = half_key(a) < half_key(b) ? a : b;
    r = b_is_nan ? a : r;
    r = a_is_nan ? b : r;
    return (uint16_t)(a_is_nan && b_is_nan ? NAN_F16 : r);
}

static inline uint16_t half_max(uint16_t a, uint16_t b, bool a_is_nan, bool b_is_nan)
{
    uint16_t r = half_key(a) > half_key(b) ? a : b;
    r = b_is_nan ? a : r;
    r = a_is_nan ? b : r;
    return (uint16_t)(a_is_nan && b_is_nan ? NAN_F16 : r);
}

#endif
