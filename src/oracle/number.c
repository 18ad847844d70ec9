/*
 * Exact numbers: a sign, a 64-bit integer and a power of two. Floating-point formats are decoded to them exactly and
 * encoded from them with one rounding, by integer arithmetic. For conversions; arithmetic uses the host's floating
 * point (float.c).
 */
#include "oracle/internal.h"

/* A floating-point format. */
struct number_format {
    int precision; /* bits of the mantissa, the leading one included */
    int bias;
    int total;  /* bits of the format, without `unused` */
    int unused; /* low bits of the storage that are always 0 */
};

static struct number_format format_of(enum type type)
{
    switch (type) {
    case TYPE_F16:
        return (struct number_format){11, 15, 16, 0};
    case TYPE_BF16:
        return (struct number_format){8, 127, 16, 0};
    case TYPE_TF32:
        return (struct number_format){11, 127, 19, 13};
    case TYPE_F64:
        return (struct number_format){53, 1023, 64, 0};
    default:
        return (struct number_format){24, 127, 32, 0};
    }
}

struct oracle_number oracle_number_decode(enum type type, uint64_t bits)
{
    struct number_format f = format_of(type);
    bits >>= f.unused;
    int fraction_bits = f.precision - 1;
    uint64_t fraction = bits & oracle_mask((unsigned)fraction_bits);
    int exponent = (int)(bits >> fraction_bits & (uint64_t)(2 * f.bias + 1));
    struct oracle_number n = {.kind = NUMBER_FINITE, .negative = bits >> (f.total - 1) & 1};
    if (exponent == 2 * f.bias + 1) {
        n.kind = fraction ? NUMBER_NAN : NUMBER_INFINITE;
        return n;
    }
    if (!exponent && !fraction)
        n.kind = NUMBER_ZERO;
    n.mantissa = exponent ? fraction | UINT64_C(1) << fraction_bits : fraction;
    n.exponent = (exponent ? exponent : 1) - f.bias - fraction_bits;
    return n;
}

struct oracle_number oracle_number_from_integer(enum type type, uint64_t value)
{
    bool negative = type_table[type].kind == KIND_SINT && (int64_t)value < 0;
    return (struct oracle_number){
        .kind = value ? NUMBER_FINITE : NUMBER_ZERO, .negative = negative, .mantissa = negative ? -value : value};
}

/* Does rounding increase the magnitude? `is_odd`: the last kept bit; `against_half`: sign of the dropped part minus one
 * half. */
static bool rounds_up(enum mod rounding, bool negative, bool is_odd, bool is_exact, int against_half)
{
    if (is_exact)
        return false;
    switch (rounding) {
    case RND_RZ:
    case RND_RZI:
        return false;
    case RND_RM:
    case RND_RMI:
        return negative;
    case RND_RP:
    case RND_RPI:
        return !negative;
    case RND_RNA:
        return against_half >= 0;
    default:
        return against_half > 0 || (against_half == 0 && is_odd);
    }
}

/* mantissa >> drop, rounded; drop may exceed 64. */
static uint64_t shift_rounded(uint64_t mantissa, int drop, bool negative, enum mod rounding)
{
    if (drop <= 0)
        return mantissa;
    uint64_t kept = drop >= 64 ? 0 : mantissa >> drop;
    uint64_t cut = drop >= 64 ? mantissa : mantissa & oracle_mask((unsigned)drop);
    int against_half = -1;
    if (drop <= 64) {
        uint64_t half = UINT64_C(1) << (drop - 1);
        against_half = cut > half ? 1 : cut == half ? 0 : -1;
    }
    return kept + rounds_up(rounding, negative, kept & 1, !cut, against_half);
}

struct oracle_number oracle_number_round(struct oracle_number n, enum mod rounding)
{
    if (n.kind != NUMBER_FINITE || n.exponent >= 0)
        return n;
    n.mantissa = shift_rounded(n.mantissa, -n.exponent, n.negative, rounding);
    n.exponent = 0;
    if (!n.mantissa)
        n.kind = NUMBER_ZERO;
    return n;
}

static bool overflows_to_infinity(enum mod rounding, bool negative)
{
    switch (rounding) {
    case RND_RZ:
        return false;
    case RND_RM:
        return negative;
    case RND_RP:
        return !negative;
    default:
        return true;
    }
}

static uint64_t encode_finite(struct number_format f, struct oracle_number n, enum mod rounding)
{
    int shift = __builtin_clzll(n.mantissa);
    uint64_t mantissa = n.mantissa << shift;
    int exponent = n.exponent - shift + 63; /* exponent of the leading one */
    int least = 1 - f.bias;
    int drop = 64 - f.precision + (exponent < least ? least - exponent : 0);
    uint64_t kept = shift_rounded(mantissa, drop, n.negative, rounding);
    uint64_t infinity = (uint64_t)(2 * f.bias + 1) << (f.precision - 1);
    /* Adding the leading one of a normal number raises the exponent field by 1; so does a carry out of rounding. */
    uint64_t field = exponent < least ? 0 : (uint64_t)(exponent - least);
    if (exponent > f.bias)
        return overflows_to_infinity(rounding, n.negative) ? infinity : infinity - 1;
    uint64_t bits = (field << (f.precision - 1)) + kept;
    return bits < infinity || overflows_to_infinity(rounding, n.negative) ? bits : infinity - 1;
}

uint64_t oracle_number_encode(enum type type, struct oracle_number n, enum mod rounding)
{
    struct number_format f = format_of(type);
    uint64_t bits = 0;
    if (n.kind == NUMBER_NAN)
        return oracle_nan(type);
    if (n.kind == NUMBER_INFINITE)
        bits = (uint64_t)(2 * f.bias + 1) << (f.precision - 1);
    else if (n.kind == NUMBER_FINITE && n.mantissa)
        bits = encode_finite(f, n, rounding);
    return (bits | (uint64_t)n.negative << (f.total - 1)) << f.unused;
}
