/*
 * The oracle's arithmetic in half precision (f16, bf16, alone and packed), by exact numbers: operands are decoded, sums
 * and products computed exactly (of a sum, bits far below the last that counts are kept as one), and the result encoded
 * with one rounding. Also what is built on f32: mixed precision, f32x2, and the approximate functions.
 */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

enum { TOP_BIT = 61 }; /* where sums have the leading bit of their larger operand */

static bool is_nan(enum type type, uint64_t bits)
{
    return oracle_number_decode(type, bits).kind == NUMBER_NAN;
}

static struct oracle_number nan_number(void)
{
    return (struct oracle_number){.kind = NUMBER_NAN};
}

static struct oracle_number multiply(struct oracle_number a, struct oracle_number b)
{
    struct oracle_number p = {.kind = NUMBER_FINITE, .negative = a.negative != b.negative};
    if (a.kind == NUMBER_NAN || b.kind == NUMBER_NAN)
        return nan_number();
    if (a.kind == NUMBER_INFINITE || b.kind == NUMBER_INFINITE) {
        p.kind = NUMBER_INFINITE;
        return a.kind == NUMBER_ZERO || b.kind == NUMBER_ZERO ? nan_number() : p;
    }
    if (a.kind == NUMBER_ZERO || b.kind == NUMBER_ZERO) {
        p.kind = NUMBER_ZERO;
        return p;
    }
    p.mantissa = a.mantissa * b.mantissa;
    p.exponent = a.exponent + b.exponent;
    return p;
}

/* The same number with its leading bit at TOP_BIT. */
static struct oracle_number raised(struct oracle_number n)
{
    while (!(n.mantissa >> TOP_BIT)) {
        n.mantissa <<= 1;
        n.exponent--;
    }
    return n;
}

static struct oracle_number add_finite(struct oracle_number a, struct oracle_number b)
{
    a = raised(a);
    b = raised(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
        struct oracle_number swap = a;
        a = b;
        b = swap;
    }
    int distance = a.exponent - b.exponent;
    uint64_t kept = distance > TOP_BIT ? 0 : b.mantissa >> distance;
    bool is_cut = distance > TOP_BIT || b.mantissa != kept << distance;
    kept |= is_cut;
    if (a.negative == b.negative)
        a.mantissa += kept;
    else
        a.mantissa -= kept;
    if (!a.mantissa)
        a = (struct oracle_number){.kind = NUMBER_ZERO};
    return a;
}

static struct oracle_number add(struct oracle_number a, struct oracle_number b)
{
    bool opposite = a.negative != b.negative;
    if (a.kind == NUMBER_NAN || b.kind == NUMBER_NAN)
        return nan_number();
    if (a.kind == NUMBER_INFINITE && b.kind == NUMBER_INFINITE && opposite)
        return nan_number();
    if (a.kind == NUMBER_INFINITE || b.kind == NUMBER_INFINITE)
        return a.kind == NUMBER_INFINITE ? a : b;
    if (a.kind == NUMBER_ZERO && b.kind == NUMBER_ZERO) {
        a.negative &= b.negative;
        return a;
    }
    if (a.kind == NUMBER_ZERO || b.kind == NUMBER_ZERO)
        return a.kind == NUMBER_ZERO ? b : a;
    return add_finite(a, b);
}

/* Under .ftz hardware rounds to 11 bits as if the exponent had no lower bound, and flushes what is then below 2^-14.
 * Scaled up by 2^16, numbers near 2^-14 are rounded so. */
static uint64_t encode_f16_flushed(struct oracle_number n)
{
    uint64_t bits = oracle_number_encode(TYPE_F16, n, RND_RN);
    if (n.kind != NUMBER_FINITE)
        return bits;
    n.exponent += 16;
    uint64_t scaled = oracle_number_encode(TYPE_F16, n, RND_RN);
    return (scaled & 0x7fff) < 17u << 10 ? bits & 0x8000 : bits;
}

static uint64_t flush(uint64_t bits)
{
    return bits & 0x7c00 ? bits : bits & 0x8000;
}

static uint64_t finish(const struct oracle_insn *x, enum type type, struct oracle_number n)
{
    uint64_t d = oracle_flag(x, FLAG_FTZ) ? encode_f16_flushed(n) : oracle_number_encode(type, n, RND_RN);
    bool is_negative = d >> 15 & 1;
    if (oracle_flag(x, FLAG_SAT))
        return is_negative || is_nan(type, d) ? 0 : d > 0x3c00 ? 0x3c00 : d;
    return oracle_flag(x, FLAG_RELU) && is_negative ? 0 : d;
}

uint64_t oracle_half_add(enum type type, uint64_t a, uint64_t b)
{
    return oracle_number_encode(type, add(oracle_number_decode(type, a), oracle_number_decode(type, b)), RND_RN);
}

static double value_of(enum type type, uint64_t bits)
{
    struct oracle_number n = oracle_number_decode(type, bits);
    double size = n.kind == NUMBER_NAN        ? NAN
                  : n.kind == NUMBER_INFINITE ? INFINITY
                  : n.kind == NUMBER_ZERO     ? 0
                                              : ldexp((double)n.mantissa, n.exponent);
    return n.negative ? -size : size;
}

double oracle_half_value(enum type type, uint64_t bits, bool flushed)
{
    return value_of(type, flushed ? flush(bits) : bits);
}

/* min and max: -0 is less than +0; if one operand is NaN, the other is the result. */
uint64_t oracle_half_choose(enum type type, uint64_t a, uint64_t b, bool smaller)
{
    double first = value_of(type, a), second = value_of(type, b);
    if (isnan(first) || isnan(second))
        return isnan(first) && isnan(second) ? oracle_nan(type) : isnan(first) ? b : a;
    if (first == second)
        return smaller == (signbit(first) != 0) ? a : b;
    return smaller == (first < second) ? a : b;
}

static uint64_t choose(const struct oracle_insn *x, enum type type, uint64_t a, uint64_t b, bool smaller)
{
    bool any = is_nan(type, a) || is_nan(type, b), both = is_nan(type, a) && is_nan(type, b);
    if (both || (any && oracle_flag(x, FLAG_NANQ)))
        return oracle_nan(type);
    if (!oracle_flag(x, FLAG_XORSIGN))
        return oracle_half_choose(type, a, b, smaller);
    return oracle_half_choose(type, a & 0x7fff, b & 0x7fff, smaller) | ((a ^ b) & 0x8000);
}

/* Hardware computes in f32 and drops the bits that half precision has no room for. */
static uint64_t approximate(const struct oracle_insn *x, enum type type, uint64_t a)
{
    enum op op = x->op == OP_TANH_HALF ? OP_TANH : OP_EX2;
    float r = oracle_special(op, oracle_flag(x, FLAG_FTZ), (float)value_of(type, a));
    uint32_t bits;
    memcpy(&bits, &r, sizeof bits);
    if (isnan(r))
        return oracle_nan(type);
    if (type == TYPE_BF16)
        return bits >> 16;
    return fabsf(r) >= 65536 ? 0x7c00 | (bits >> 16 & 0x8000)
                             : oracle_number_encode(type, oracle_number_decode(TYPE_F32, bits), RND_RZ);
}

/* fma.oob: a factor with this pattern, of either sign, stands for an element out of bounds. */
static bool is_out_of_bounds(uint64_t bits)
{
    return (bits & 0x7fff) == 0x7ff7;
}

/* One result from operands of half precision; `type` is F16 or BF16. */
static uint64_t compute(const struct oracle_insn *x, enum type type, const uint64_t *v)
{
    struct oracle_number a = oracle_number_decode(type, v[0]), b = oracle_number_decode(type, v[1]);
    switch (x->op) {
    case OP_ADD_F16:
    case OP_ADD_BF16:
        return finish(x, type, add(a, b));
    case OP_SUB_F16:
    case OP_SUB_BF16:
        b.negative = !b.negative;
        return finish(x, type, add(a, b));
    case OP_MUL_F16:
    case OP_MUL_BF16:
        return finish(x, type, multiply(a, b));
    case OP_FMA_F16:
    case OP_FMA_F16_RELU:
    case OP_FMA_BF16:
    case OP_FMA_OOB:
        if (x->op == OP_FMA_OOB && (is_out_of_bounds(v[0]) || is_out_of_bounds(v[1])))
            return 0;
        return finish(x, type, add(multiply(a, b), oracle_number_decode(type, v[2])));
    case OP_ABS_F16:
    case OP_ABS_BF16:
        return is_nan(type, v[0]) ? oracle_nan(type) : v[0] & 0x7fff;
    case OP_NEG_F16:
    case OP_NEG_BF16:
        return is_nan(type, v[0]) ? oracle_nan(type) : v[0] ^ 0x8000;
    case OP_MIN_F16:
    case OP_MIN_BF16:
        return choose(x, type, v[0], v[1], true);
    case OP_MAX_F16:
    case OP_MAX_BF16:
        return choose(x, type, v[0], v[1], false);
    default:
        return approximate(x, type, v[0]);
    }
}

void oracle_half(struct oracle_thread *t, const struct oracle_insn *x)
{
    bool is_packed = type_table[x->type].kind == KIND_PACKED;
    enum type type = x->type == TYPE_F16 || x->type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    uint64_t d = 0;
    for (unsigned at = 0; at < (is_packed ? 32u : 16u); at += 16) {
        uint64_t v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = oracle_read(t, &x->operand[i + 1]) >> at & 0xffff;
            if (type == TYPE_F16 && oracle_flag(x, FLAG_FTZ))
                v[i] = flush(v[i]);
        }
        d |= compute(x, type, v) << at;
    }
    oracle_write(t, &x->operand[0], d);
}
