/*
 * The special function unit of the hardware, and what the compiler puts around it for .approx and .full.
 *
 * base/special.def has the unit's parabolas. Here they are evaluated in double precision, which holds every value on
 * the way exactly, so that the only roundings are those the unit makes: floor(), and the columns that its squarer
 * leaves out.
 */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

/* The segments of all functions, one function after the other. */
static const int32_t segments[][3] = {
#define SEGMENT(c0, c1, c2) {c0, c1, c2},
#define RCP                 SEGMENT
#include "base/special.def"
#define RSQRT SEGMENT
#include "base/special.def"
#define SQRT SEGMENT
#include "base/special.def"
#define EX2 SEGMENT
#include "base/special.def"
#define LG2 SEGMENT
#include "base/special.def"
#define SIN SEGMENT
#include "base/special.def"
#define TANH SEGMENT
#include "base/special.def"
};
enum {
    FIRST_RCP = 0,
    FIRST_RSQRT = 128,
    FIRST_SQRT = 256,
    FIRST_EX2 = 384,
    FIRST_LG2 = 448,
    FIRST_SIN = 512,
    FIRST_TANH = 576
};

enum { PLACES = 1 << 17 }; /* places in a segment */

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The square of place / 2^17, without the products that stand below column 19 of the hardware's squarer. */
static double square(uint32_t place)
{
    double sum = 0;
    for (int i = 0; i < 17; i++)
        for (int j = i; j < 17; j++) {
            int column = i == j ? 2 * i : i + j + 1;
            if (column >= 19 && place >> i & 1 && place >> j & 1)
                sum += ldexp(1, column - 34);
        }
    return sum;
}

/* The parabola of a segment at a place, plus a constant in 2^-17. */
static double curve(int segment, uint32_t place, int constant)
{
    const int32_t *c = segments[segment];
    return c[0] / 4.0 + c[1] * ((double)place / PLACES) + c[2] / 4.0 * square(place) + constant * 0x1p-17;
}

/* A positive number cut off to 24 bits. */
static double cut_off(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return ldexp(floor(ldexp(fraction, 24)), exponent - 24);
}

/* A result of the unit in single precision: too large is infinite, subnormal is 0. */
static float deliver(double value)
{
    return fabs(value) < 0x1p-126 ? copysignf(0, (float)copysign(1, value)) : (float)value;
}

/* value = mantissa * 2^exponent, 1 <= mantissa < 2; returns the mantissa's 23 bits behind the point. */
static uint32_t split(float value, int *exponent)
{
    uint32_t bits = bits_of(value);
    *exponent = (int)(bits >> 23 & 255) - 127;
    return bits & 0x7fffff;
}

static float unit_rcp(float a)
{
    int exponent;
    uint32_t m = split(a, &exponent);
    double v = floor(curve(FIRST_RCP + (int)(m >> 16), (m & 0xffff) * 2, 8093)) * 0x1p-24;
    return deliver(copysign(ldexp(v, -exponent), a));
}

/* The upper half of an even or odd binade of a root; sets the exponent of the even binade's start, halved. */
static int root_segment(uint32_t m, int exponent, int *half)
{
    int odd = exponent & 1;
    *half = (exponent - odd) / 2;
    return odd * 64 + (int)(m >> 17);
}

static float unit_rsqrt(float a)
{
    int exponent, half;
    uint32_t m = split(a, &exponent);
    int segment = root_segment(m, exponent, &half);
    bool is_power_of_four = !m && !(exponent & 1);
    double v = is_power_of_four ? 1 : floor(curve(FIRST_RSQRT + segment, m % PLACES, -1)) * 0x1p-24;
    return deliver(ldexp(v, -half));
}

static float unit_sqrt(float a)
{
    int exponent, half;
    uint32_t m = split(a, &exponent);
    int segment = root_segment(m, exponent, &half);
    return deliver(ldexp(floor(curve(FIRST_SQRT + segment, m % PLACES, -1)) * 0x1p-23, half));
}

static float unit_ex2(float a)
{
    if (fabsf(a) >= 256)
        return a < 0 ? 0 : INFINITY;
    double fixed = floor(fabs((double)a) * 0x1p23); /* in 2^-23 */
    if (signbit(a))
        fixed = fmod(fixed, 0x1p23) == 0 ? -fixed : -fixed - 1;
    double whole = floor(fixed * 0x1p-23);
    uint32_t m = (uint32_t)(fixed - whole * 0x1p23);
    return deliver(ldexp(floor(curve(FIRST_EX2 + (int)(m >> 17), m % PLACES, 24458)) * 0x1p-23, (int)whole));
}

static float unit_lg2(float a)
{
    int exponent;
    uint32_t m = split(a, &exponent);
    if (a == 1)
        return 0;
    double v = floor(curve(FIRST_LG2 + (int)(m >> 17), m % PLACES, 6700) * 0x1p12) * 0x1p-36 + exponent;
    return (float)(v < 0 ? -cut_off(-v - 0x1p-36) : cut_off(v));
}

/* Sine, or cosine, of a number of turns. The angle is taken in 2^-25 of a turn. */
static float unit_sin(float a, bool is_cosine)
{
    double angle = fmod(floor(fabs((double)a) * 0x1p25), 0x1p25) + (is_cosine ? 0x1p23 : 0);
    int quarter = (int)(angle * 0x1p-23) % 4;
    uint32_t m = (uint32_t)fmod(angle, 0x1p23);
    double v;
    if (quarter % 2 && !m)
        v = 1;
    else {
        if (quarter % 2)
            m = 0x7fffff - m;
        v = curve(FIRST_SIN + (int)(m >> 17), m % PLACES, 0) * 0x1p-24;
        v = v > 0 ? cut_off(v) : 0;
    }
    bool is_negative = (quarter >= 2) != (!is_cosine && signbit(a));
    return (float)(is_negative ? -v : v);
}

static float unit_tanh(float a)
{
    static const uint8_t segments_of[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 16, 8}; /* by binade, from 2^-8 on */
    int exponent, first = FIRST_TANH;
    uint32_t m = split(a, &exponent);
    if (exponent < -8)
        return a;
    if (exponent > 2)
        return copysignf(1, a);
    for (int i = -8; i < exponent; i++)
        first += segments_of[i + 8];
    double place = m * 0x1p-23 * segments_of[exponent + 8], segment = floor(place);
    double v = curve(first + (int)segment, (uint32_t)((place - segment) * PLACES), 0) * 0x1p-24;
    return (float)copysign(cut_off(v), a);
}

/* What the unit gives for numbers that are on no curve; `a` has no subnormals. False: the number is on a curve. */
static bool unit_special(enum op op, float a, float *result)
{
    bool is_root = op == OP_SQRT_APPROX || op == OP_RSQRT_APPROX || op == OP_LG2;
    bool is_angle = op == OP_SIN || op == OP_COS;
    if (isnan(a) || (is_root && a < 0) || (is_angle && isinf(a)))
        *result = NAN;
    else if (a == 0 && (op == OP_RCP_APPROX || op == OP_RSQRT_APPROX))
        *result = copysignf(INFINITY, a);
    else if (a == 0 && op == OP_LG2)
        *result = -INFINITY;
    else if (a == 0 && op == OP_SQRT_APPROX)
        *result = a;
    else if (isinf(a) && op == OP_RCP_APPROX)
        *result = copysignf(0, a);
    else if (isinf(a) && is_root)
        *result = op == OP_RSQRT_APPROX ? 0 : a;
    else
        return false;
    return true;
}

static float unit(enum op op, float a)
{
    float result;
    if (op != OP_TANH)
        a = oracle_flush32(a);
    if (unit_special(op, a, &result))
        return result;
    switch (op) {
    case OP_RCP_APPROX:
        return unit_rcp(a);
    case OP_SQRT_APPROX:
        return unit_sqrt(a);
    case OP_RSQRT_APPROX:
        return unit_rsqrt(a);
    case OP_SIN:
    case OP_COS:
        return unit_sin(a, op == OP_COS);
    case OP_LG2:
        return unit_lg2(a);
    case OP_EX2:
        return unit_ex2(a);
    default:
        return unit_tanh(a);
    }
}

/* a / (2 pi), cut off. */
static float turns(float a)
{
    double product = (double)a * (double)float_of(0x3e22f983);
    if (product == 0 || isnan(product) || isinf(product))
        return (float)product;
    return fabs(product) < 0x1p-126 ? copysignf(0, a) : (float)copysign(cut_off(fabs(product)), a);
}

/* Without .ftz the compiler scales numbers that the unit would take for 0, and those whose reciprocal it would give
 * as 0. */
static float unit_scaled(enum op op, float a)
{
    bool is_tiny = fabsf(a) < 0x1p-126f;
    switch (op) {
    case OP_RCP_APPROX: {
        float scale = is_tiny ? 0x1p24f : fabsf(a) > 0x1p126f ? 0x1p-2f : 1;
        return unit(op, a * scale) * scale;
    }
    case OP_SQRT_APPROX:
        return is_tiny ? unit(op, a * 0x1p24f) * 0x1p-12f : unit(op, a);
    case OP_RSQRT_APPROX:
        return is_tiny ? unit(op, a * 0x1p24f) * 0x1p12f : unit(op, a);
    case OP_LG2:
        return is_tiny ? unit(op, a * 0x1p24f) - 24 : unit(op, a);
    case OP_EX2: {
        float half = unit(op, a / 2);
        return a < -126 ? half * half : unit(op, a);
    }
    default:
        return unit(op, a);
    }
}

float oracle_special(enum op op, bool ftz, float a)
{
    if (op == OP_SIN || op == OP_COS)
        return unit(op, turns(a));
    return ftz ? unit(op, a) : unit_scaled(op, a);
}

float oracle_divide_approximately(bool is_full, bool ftz, float a, float b)
{
    float scale = 1;
    if (is_full && fabsf(b) > 0x1p126f)
        scale = 0x1p-2f;
    else if (!ftz && fabsf(b) < 0x1p-126f)
        scale = 0x1p24f;
    float reciprocal = unit(OP_RCP_APPROX, b * scale);
    if (!ftz)
        return reciprocal * (a * scale);
    a = oracle_flush32(oracle_flush32(a) * scale);
    /* A product is flushed if it is below the least normal number once rounded to 24 bits, whatever its exponent. */
    double exact = (double)a * (double)reciprocal;
    if (fabs((double)(float)(exact * 0x1p64)) < 0x1p-62)
        return copysignf(0, (float)copysign(1, exact));
    return (float)exact;
}

/* .approx.ftz.f64: the unit sees and gives the upper 32 bits, with 20 bits behind the point. */
uint64_t oracle_special_upper(bool is_root, uint64_t bits)
{
    uint32_t upper = (uint32_t)(bits >> 32), m = (upper & 0xfffff) << 3;
    int exponent = (int)(upper >> 20 & 0x7ff) - 1023;
    float a = float_of((upper & 0x80000000) | (uint32_t)(127 + (exponent & 1)) << 23 | m), result = 0;
    if (exponent == -1023 || exponent == 1024) { /* 0, subnormal, infinite, NaN: as in single precision */
        a = exponent == 1024 ? (m ? NAN : copysignf(INFINITY, a)) : copysignf(0, a);
        unit_special(is_root ? OP_RSQRT_APPROX : OP_RCP_APPROX, a, &result);
        uint32_t r = bits_of(result);
        uint32_t special = isnan(result) ? 0x7fffffff : isinf(result) ? (r & 0x80000000) | 0x7ff00000 : r & 0x80000000;
        return (uint64_t)special << 32;
    }
    if (is_root && signbit(a))
        return UINT64_C(0x7fffffff) << 32;
    double v = is_root ? unit_rsqrt(a) : unit_rcp(a);
    v = ldexp(v, is_root ? -(exponent - (exponent & 1)) / 2 : -(exponent - (exponent & 1)));
    if (fabs(v) < 0x1p-1022)
        v = copysign(0, v);
    uint64_t r;
    memcpy(&r, &v, sizeof r);
    return r & ~UINT64_C(0xffffffff);
}
