/* Conversion of one value: unpack into sign, significand and exponent; round; pack. */
#include "lanes/lane_value.h"

#include "lanes/lane_loop.h"

/* A floating-point format. */
struct lane_format {
    int precision; /* bits of the significand, the hidden one included */
    int least;     /* exponent of the least normal number */
    int bits;      /* of the whole format */
    uint64_t nan;  /* the bit pattern of NaN results */
};

static const struct lane_format format_f16 = {11, -14, 16, NAN_F16};
static const struct lane_format format_bf16 = {8, -126, 16, NAN_BF16};
static const struct lane_format format_f32 = {24, -126, 32, NAN_F32};
static const struct lane_format format_f64 = {53, -1022, 64, NAN_F64};

static const struct lane_format *format_of(enum type t)
{
    return t == TYPE_F16 ? &format_f16 : t == TYPE_BF16 ? &format_bf16 : t == TYPE_F32 ? &format_f32 : &format_f64;
}

static uint64_t format_infinity(const struct lane_format *f)
{
    return ((1ull << (f->bits - f->precision)) - 1) << (f->precision - 1);
}

enum lane_number_kind { LANE_NUMBER_FINITE, LANE_NUMBER_INFINITE, LANE_NUMBER_NAN };

/* A floating-point number: significand * 2^exponent, with a sign. */
struct lane_number {
    enum lane_number_kind kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

static struct lane_number unpack(const struct lane_format *f, uint64_t raw)
{
    uint64_t infinity = format_infinity(f), magnitude = raw & ((1ull << (f->bits - 1)) - 1);
    struct lane_number n = {.negative = raw >> (f->bits - 1) & 1};
    int biased = (int)(magnitude >> (f->precision - 1));
    n.kind = magnitude > infinity ? LANE_NUMBER_NAN : magnitude == infinity ? LANE_NUMBER_INFINITE : LANE_NUMBER_FINITE;
    n.significand = magnitude & ((1ull << (f->precision - 1)) - 1);
    if (biased)
        n.significand |= 1ull << (f->precision - 1);
    n.exponent = (biased ? biased - 1 : 0) + f->least - (f->precision - 1);
    return n;
}

/* significand / 2^shift, rounded to an integer. */
static uint64_t round_off(uint64_t significand, int shift, bool negative, enum mod rounding)
{
    if (shift <= 0)
        return significand;
    uint64_t whole = shift < 64 ? significand >> shift : 0;
    uint64_t rest = shift < 64 ? significand & ((1ull << shift) - 1) : significand;
    uint64_t half = shift <= 64 ? 1ull << (shift - 1) : UINT64_MAX; /* with a shift above 64, no remainder reaches one
                                                                     * half */
    switch (rounding) {
    case RND_RZ:
    case RND_RZI:
        return whole;
    case RND_RM:
    case RND_RMI:
        return whole + (negative && rest);
    case RND_RP:
    case RND_RPI:
        return whole + (!negative && rest);
    default:
        if (shift > 64)
            return whole;
        return whole + (rest > half || (rest == half && (whole & 1)));
    }
}

/* Packs a number below the least normal number under .ftz: it is rounded to full precision, and flushed to 0 unless
 * rounding carries it up to the least normal number. */
static uint64_t pack_flushed(const struct lane_format *f, uint64_t significand, int exponent, bool negative,
                             enum mod rounding)
{
    uint64_t rounded = round_off(significand, 64 - f->precision, negative, rounding);
    return exponent == f->least - 1 && rounded >> f->precision ? 1ull << (f->precision - 1) : 0;
}

static uint64_t pack(const struct lane_format *f, struct lane_number n, enum mod rounding, bool ftz)
{
    uint64_t sign = (uint64_t)n.negative << (f->bits - 1), infinity = format_infinity(f);
    if (n.kind == LANE_NUMBER_INFINITE)
        return sign | infinity;
    if (!n.significand)
        return sign;
    int shift = __builtin_clzll(n.significand);
    uint64_t significand = n.significand << shift;
    int exponent = n.exponent - shift + 63; /* exponent of the highest bit */
    int below = exponent < f->least ? f->least - exponent : 0;
    if (ftz && below)
        return sign | pack_flushed(f, significand, exponent, n.negative, rounding);
    uint64_t rounded = round_off(significand, 64 - f->precision + below, n.negative, rounding);
    /* Adding the hidden one raises the exponent field by 1; so does a carry out of rounding. */
    uint64_t bits = below ? rounded : ((uint64_t)(exponent - f->least) << (f->precision - 1)) + rounded;
    if (bits < infinity)
        return sign | bits;
    bool towards_zero = rounding == RND_RZ || rounding == (n.negative ? RND_RP : RND_RM);
    return sign | (towards_zero ? infinity - 1 : infinity);
}

static bool rounds_to_integral(enum mod rounding)
{
    return rounding == RND_RNI || rounding == RND_RZI || rounding == RND_RMI || rounding == RND_RPI;
}

static struct lane_number to_integral(struct lane_number n, enum mod rounding)
{
    if (n.kind == LANE_NUMBER_FINITE && n.exponent < 0) {
        n.significand = round_off(n.significand, -n.exponent, n.negative, rounding);
        n.exponent = 0;
    }
    return n;
}

/* A NaN in another format, quieted: sign and upper bits of the payload are kept. */
static uint64_t quiet_nan(const struct lane_format *from, const struct lane_format *to, uint64_t raw)
{
    uint64_t sign = raw >> (from->bits - 1) << (to->bits - 1), quiet = 1ull << (to->precision - 2);
    uint64_t payload = raw << (65 - from->precision) >> (65 - to->precision);
    return sign | format_infinity(to) | quiet | payload;
}

static bool is_exact_copy(const struct conversion *c)
{
    bool same = c->from == c->to && (c->to == TYPE_F32 || c->to == TYPE_F64);
    return (same || (c->from == TYPE_BF16 && c->to == TYPE_F32)) && !c->ftz && !c->sat &&
           !rounds_to_integral(c->rounding);
}

/*
 * What a NaN becomes in another floating-point format, as measured on hardware:
 *
 *   f32 to f32, f64 to f64, bf16 to f32   unchanged, not even quieted: the conversion is a move or a shift
 *   any other from f64 or to f64          quieted; sign and upper bits of the payload are kept
 *   any other pair                        the NaN pattern of the new format
 *
 * A conversion is a move only if it neither rounds nor saturates nor flushes. Under .ftz an f32 source is replaced by
 * NAN_F32 first.
 */
static uint64_t convert_nan(const struct conversion *c, uint64_t raw)
{
    const struct lane_format *from = format_of(c->from), *to = format_of(c->to);
    if (is_exact_copy(c))
        return raw << (to->bits - from->bits);
    if (c->ftz && c->from == TYPE_F32)
        raw = NAN_F32;
    return c->from == TYPE_F64 || c->to == TYPE_F64 ? quiet_nan(from, to, raw) : to->nan;
}

static uint64_t saturate(const struct lane_format *f, uint64_t bits)
{
    uint64_t one = (uint64_t)(1 - f->least) << (f->precision - 1);
    if (bits >> (f->bits - 1))
        return 0;
    return bits > format_infinity(f) ? 0 : bits > one ? one : bits;
}

static uint64_t flush(const struct lane_format *f, uint64_t bits)
{
    return bits & format_infinity(f) ? bits : bits & 1ull << (f->bits - 1);
}

static uint64_t extend(enum type t, uint64_t raw)
{
    int unused = 64 - type_table[t].bits;
    if (type_table[t].kind == KIND_SINT)
        return (uint64_t)((int64_t)(raw << unused) >> unused);
    return raw << unused >> unused;
}

/* The integer of the type that is nearest to the number with this sign and magnitude. */
static uint64_t clamp(enum type t, bool negative, uint64_t magnitude)
{
    bool is_signed = type_table[t].kind == KIND_SINT;
    uint64_t most = UINT64_MAX >> (64 - type_table[t].bits + is_signed), least = is_signed ? most + 1 : 0;
    if (negative)
        return extend(t, 0 - (magnitude < least ? magnitude : least));
    return magnitude < most ? magnitude : most;
}

static uint64_t from_integer(const struct conversion *c, uint64_t raw)
{
    uint64_t v = extend(c->from, raw);
    bool negative = type_table[c->from].kind == KIND_SINT && v >> 63;
    uint64_t magnitude = negative ? 0 - v : v;
    if (type_table[c->to].kind != KIND_FLOAT)
        return c->sat ? clamp(c->to, negative, magnitude) : extend(c->to, v);
    const struct lane_format *to = format_of(c->to);
    uint64_t bits = pack(to, (struct lane_number){LANE_NUMBER_FINITE, negative, magnitude, 0}, c->rounding, false);
    return c->sat ? saturate(to, bits) : bits;
}

static uint64_t to_integer(enum type to, struct lane_number n, enum mod rounding)
{
    n = to_integral(n, rounding);
    bool huge = n.kind == LANE_NUMBER_INFINITE || (n.significand && n.exponent > __builtin_clzll(n.significand));
    return clamp(to, n.negative, huge ? UINT64_MAX : n.significand ? n.significand << n.exponent : 0);
}

uint64_t lane_value_convert(const struct conversion *c, uint64_t raw)
{
    if (type_table[c->from].kind != KIND_FLOAT)
        return from_integer(c, raw);
    const struct lane_format *from = format_of(c->from);
    raw = raw << (64 - from->bits) >> (64 - from->bits);
    if (c->ftz && c->from == TYPE_F32 && c->to != TYPE_F16) /* .ftz has no effect on conversions to f16 */
        raw = flush(from, raw);
    struct lane_number n = unpack(from, raw);
    if (type_table[c->to].kind != KIND_FLOAT) {
        if (n.kind == LANE_NUMBER_NAN)
            return extend(c->to, lane_value_nan_integer(c->from, c->to));
        return to_integer(c->to, n, c->rounding);
    }
    const struct lane_format *to = format_of(c->to);
    uint64_t bits;
    if (n.kind == LANE_NUMBER_NAN)
        bits = convert_nan(c, raw);
    else if (rounds_to_integral(c->rounding))
        bits = pack(to, to_integral(n, c->rounding), RND_RN, false);
    else
        bits = pack(to, n, c->rounding, c->ftz && c->to == TYPE_F32);
    return c->sat ? saturate(to, bits) : bits;
}
