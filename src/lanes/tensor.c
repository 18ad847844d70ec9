/* Arithmetic of tensor cores; tensor.h has the rule. */
#include "lanes/tensor.h"

#include "base/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tensor_format {
    uint8_t exponent_bits, fraction_bits, unused_bits;
    bool has_infinity; /* else only the pattern of all ones is special: NaN */
};

static struct tensor_format format_of(enum type type)
{
    switch (type) {
    case TYPE_F16:
        return (struct tensor_format){5, 10, 0, true};
    case TYPE_BF16:
        return (struct tensor_format){8, 7, 0, true};
    case TYPE_TF32:
        return (struct tensor_format){8, 10, 13, true};
    case TYPE_F32:
        return (struct tensor_format){8, 23, 0, true};
    case TYPE_E4M3:
        return (struct tensor_format){4, 3, 0, false};
    case TYPE_E5M2:
        return (struct tensor_format){5, 2, 0, true};
    default:
        panic("tensor cores do not know .%s", type_table[type].text);
    }
}

struct tensor_value tensor_decode(enum type type, uint32_t bits)
{
    struct tensor_format f = format_of(type);
    bits >>= f.unused_bits;
    int32_t fraction = (int32_t)(bits & ((1u << f.fraction_bits) - 1));
    int most = (1 << f.exponent_bits) - 1, exponent = (int)(bits >> f.fraction_bits) & most;
    bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    struct tensor_value v = {.fraction_bits = f.fraction_bits, .kind = TENSOR_FINITE, .negative = negative};
    if (exponent == most && f.has_infinity)
        v.kind = fraction ? TENSOR_NAN : TENSOR_INFINITE;
    else if (exponent == most && fraction == (1 << f.fraction_bits) - 1)
        v.kind = TENSOR_NAN;
    int32_t magnitude = exponent ? fraction | 1 << f.fraction_bits : fraction;
    v.significand = negative ? -magnitude : magnitude;
    v.exponent = (int16_t)((exponent ? exponent : 1) - (most >> 1));
    return v;
}

struct tensor_value tensor_as_half(struct tensor_value v)
{
    enum { LEAST_EXPONENT = -14 };
    while (v.kind == TENSOR_FINITE && v.significand && abs(v.significand) < 1 << v.fraction_bits &&
           v.exponent > LEAST_EXPONENT) {
        v.significand *= 2;
        v.exponent--;
    }
    return v;
}

/* A sum of terms before rounding: sum * 2^unit; or a special value. */
struct tensor_sum {
    int64_t sum;
    int unit;
    bool is_nan, is_positive_infinity, is_negative_infinity;
};

static void add_special(struct tensor_sum *s, const struct tensor_value *a, const struct tensor_value *b)
{
    bool negative = (a->significand < 0) != (b->significand < 0);
    if (a->kind == TENSOR_FINITE && b->kind == TENSOR_FINITE)
        return;
    if (a->kind == TENSOR_NAN || b->kind == TENSOR_NAN || !a->significand || !b->significand)
        s->is_nan = true;
    else if (negative)
        s->is_negative_infinity = true;
    else
        s->is_positive_infinity = true;
}

/* The significand, shifted left and then right with its bits cut off toward zero. */
static inline int64_t cut(int64_t significand, int left, int right)
{
    int64_t sign = significand >> 63;
    uint64_t magnitude = (uint64_t)((significand ^ sign) - sign);
    right = right < 0 ? 0 : right > 63 ? 63 : right; /* negative only for a zero, whose exponent does not count */
    return ((int64_t)(magnitude << left >> right) ^ sign) - sign;
}

/* Terms are in units of 2^(largest exponent - kept_bits). A significand with more fraction bits than are kept is
 * shifted right by the difference, one with fewer is shifted left. */
static struct tensor_sum sum_terms(const struct tensor_value *a, const struct tensor_value *b, int count,
                                   struct tensor_value c, int kept_bits)
{
    static const struct tensor_value one = {.significand = 1};
    struct tensor_sum s = {0};
    int largest = c.significand ? c.exponent : INT16_MIN;
    unsigned kinds = c.kind;
    for (int i = 0; i < count; i++) {
        int exponent = a[i].significand && b[i].significand ? a[i].exponent + b[i].exponent : INT16_MIN;
        kinds |= a[i].kind | b[i].kind;
        largest = exponent > largest ? exponent : largest;
    }
    for (int i = 0; kinds && i < count; i++)
        add_special(&s, &a[i], &b[i]);
    add_special(&s, &c, &one);
    if (largest == INT16_MIN)
        return s;
    s.unit = largest - kept_bits;
    int more = kept_bits - a[0].fraction_bits - b[0].fraction_bits;
    int left = more > 0 ? more : 0, right = more > 0 ? largest : largest - more;
    for (int i = 0; i < count; i++)
        s.sum += cut((int64_t)a[i].significand * b[i].significand, left, right - a[i].exponent - b[i].exponent);
    more = kept_bits - c.fraction_bits;
    s.sum += cut(c.significand, more > 0 ? more : 0, largest - c.exponent - (more > 0 ? 0 : more));
    return s;
}

/* Encodes magnitude * 2^unit with the format's precision; `nearest`: rounded to nearest even, else truncated. */
static uint32_t encode(struct tensor_format f, bool negative, uint64_t magnitude, int unit, bool nearest)
{
    uint32_t sign = (uint32_t)negative << (f.exponent_bits + f.fraction_bits);
    if (!magnitude)
        return sign;
    int bias = (1 << (f.exponent_bits - 1)) - 1, top = 63 - __builtin_clzll(magnitude);
    int exponent = unit + top < 1 - bias ? 1 - bias : unit + top; /* of the last place: minus fraction_bits */
    int shift = exponent - f.fraction_bits - unit;
    uint64_t kept = shift <= 0 ? magnitude << -shift : shift < 64 ? magnitude >> shift : 0;
    if (nearest && shift > 0 && shift <= 64) {
        uint64_t half = UINT64_C(1) << (shift - 1), rest = magnitude & (half | (half - 1));
        kept += rest > half || (rest == half && kept & 1);
    }
    /* A carry out of the fraction increases the exponent field, as it should. */
    uint64_t bits = kept >> f.fraction_bits ? ((uint64_t)(exponent + bias - 1) << f.fraction_bits) + kept : kept;
    uint64_t infinity = ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits;
    return sign | (uint32_t)(bits > infinity ? infinity : bits);
}

static uint32_t special(enum type result, bool is_nan, bool negative)
{
    if (result == TYPE_F16)
        return is_nan ? 0x7fff : negative ? 0xfc00 : 0x7c00;
    return is_nan ? 0x7fffffff : negative ? 0xff800000 : 0x7f800000;
}

uint32_t tensor_dot(const struct tensor_value *a, const struct tensor_value *b, int count, struct tensor_value c,
                    int kept_bits, enum type result)
{
    struct tensor_sum s = sum_terms(a, b, count, c, kept_bits);
    if (s.is_nan || (s.is_positive_infinity && s.is_negative_infinity))
        return special(result, true, false);
    if (s.is_positive_infinity || s.is_negative_infinity)
        return special(result, false, s.is_negative_infinity);
    uint64_t magnitude = (uint64_t)(s.sum < 0 ? -s.sum : s.sum);
    uint32_t bits = encode(format_of(result), s.sum < 0, magnitude, s.unit, result == TYPE_F16);
    if (!(bits & (result == TYPE_F16 ? 0x7fff : 0x7fffffff)))
        return 0;
    bool is_infinite = (bits & 0x7fffffff) == 0x7f800000;
    if (result == TYPE_F32 && kept_bits == TENSOR_KEPT_BITS_F8 && !is_infinite)
        bits &= ~((1u << (23 - TENSOR_KEPT_BITS_F8)) - 1);
    return bits;
}

static float to_float(struct tensor_value v)
{
    if (v.kind == TENSOR_NAN)
        return NAN;
    if (v.kind == TENSOR_INFINITE)
        return v.negative ? -INFINITY : INFINITY;
    float f = ldexpf((float)v.significand, v.exponent - v.fraction_bits);
    return v.negative ? -fabsf(f) : f;
}

static uint32_t from_float(enum type type, float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (isnan(f))
        return special(type, true, false);
    if (type == TYPE_F32)
        return bits;
    struct tensor_value v = tensor_decode(TYPE_F32, bits);
    if (v.kind == TENSOR_INFINITE)
        return special(type, false, signbit(f));
    uint64_t magnitude = (uint64_t)(v.significand < 0 ? -v.significand : v.significand);
    return encode(format_of(type), signbit(f), magnitude, v.exponent - v.fraction_bits, true);
}

static float bits_to_float(enum type type, uint32_t bits)
{
    return to_float(tensor_decode(type, bits));
}

/* The sum of two numbers of f16 has at most 24 significant bits where rounding it twice would matter. */
uint32_t tensor_add(enum type type, uint32_t a, uint32_t b)
{
    return from_float(type, bits_to_float(type, a) + bits_to_float(type, b));
}

uint32_t tensor_convert(enum type to, enum type from, uint32_t bits)
{
    return from_float(to, bits_to_float(from, bits));
}

uint32_t tensor_quad(const struct tensor_value *a, const struct tensor_value *b, uint32_t c, enum type c_type,
                     enum type result)
{
    float sum = result == TYPE_F16 ? -0.0f : 0.0f;
    for (int k = 0; k < 4; k++)
        sum = fmaf(to_float(a[k]), to_float(b[k]), sum);
    return from_float(result, sum + bits_to_float(c_type, c));
}
