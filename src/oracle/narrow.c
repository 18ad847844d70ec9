/*
 * The oracle's conversions to and from packed and narrow floating-point formats, and cvt.pack.
 *
 * The positive numbers of a format are in the order of their codes, so a value is converted by a search for the two
 * codes around it; how far the value lies between them decides the rounding. All values are exact as double, and so is
 * that quotient, since the distance of neighbours is a power of two.
 */
#include "oracle/internal.h"

#include <math.h>

/* A format: codes up to `most` are finite. A code is written without its sign. */
struct narrow_format {
    unsigned exponent_bits, fraction_bits;
    int bias;
    unsigned most, nan;
    bool has_infinity; /* the code behind `most` */
};

static struct narrow_format narrow_format(enum type type)
{
    switch (type) {
    case TYPE_F16:
    case TYPE_F16X2:
        return (struct narrow_format){5, 10, 15, 0x7bff, 0x7fff, true};
    case TYPE_BF16:
    case TYPE_BF16X2:
        return (struct narrow_format){8, 7, 127, 0x7f7f, 0x7fff, true};
    case TYPE_E5M2X2:
    case TYPE_E5M2X4:
        return (struct narrow_format){5, 2, 15, 0x7b, 0x7f, true};
    case TYPE_E4M3X2:
    case TYPE_E4M3X4:
        return (struct narrow_format){4, 3, 7, 0x7e, 0x7f, false};
    case TYPE_E3M2X2:
    case TYPE_E3M2X4:
        return (struct narrow_format){3, 2, 3, 0x1f, 0x1f, false};
    case TYPE_E2M3X2:
    case TYPE_E2M3X4:
        return (struct narrow_format){2, 3, 1, 0x1f, 0x1f, false};
    default: /* e2m1 */
        return (struct narrow_format){2, 1, 1, 0x07, 0x07, false};
    }
}

static unsigned sign_position(const struct narrow_format *f)
{
    return f->exponent_bits + f->fraction_bits;
}

/* The value of a code; for the code behind `most`, what it would be if it were a number. */
static double value_of(const struct narrow_format *f, unsigned code)
{
    unsigned exponent = code >> f->fraction_bits, fraction = code & (unsigned)oracle_mask(f->fraction_bits);
    if (exponent)
        return ldexp(fraction + (1u << f->fraction_bits), (int)exponent - f->bias - (int)f->fraction_bits);
    return ldexp(fraction, 1 - f->bias - (int)f->fraction_bits);
}

static double decode(const struct narrow_format *f, unsigned bits)
{
    unsigned code = bits & (unsigned)oracle_mask(sign_position(f));
    double sign = bits >> sign_position(f) & 1 ? -1 : 1;
    if (code > f->most)
        return f->has_infinity && code == f->most + 1 ? sign * INFINITY : NAN;
    return copysign(value_of(f, code), sign);
}

static double decode_f32(uint64_t bits)
{
    struct oracle_number n = oracle_number_decode(TYPE_F32, bits);
    if (n.kind == NUMBER_NAN)
        return NAN;
    double magnitude = n.kind == NUMBER_INFINITE ? INFINITY : ldexp((double)n.mantissa, n.exponent);
    return n.negative ? -magnitude : magnitude;
}

/* Random bits of stochastic rounding; count 0: the instruction names its rounding. */
struct randomness {
    unsigned bits, count;
};

/* The largest code whose value is not above the magnitude; at most the one behind `most`. */
static unsigned code_below(const struct narrow_format *f, double magnitude)
{
    unsigned low = 0, high = f->most + 1;
    while (low < high) {
        unsigned middle = (low + high + 1) / 2;
        if (value_of(f, middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static bool goes_up(enum mod rounding, struct randomness random, unsigned below, double part)
{
    if (random.count)
        return floor(ldexp(part, (int)random.count)) + random.bits >= ldexp(1, (int)random.count);
    return rounding == RND_RN && (part > 0.5 || (part == 0.5 && below % 2));
}

static unsigned encode(const struct oracle_insn *x, double value, struct randomness random)
{
    struct narrow_format f = narrow_format((enum type)x->type);
    enum mod rounding = oracle_mod(x, GROUP_RND);
    if (isnan(value))
        return f.nan;
    bool negative = signbit(value);
    if (negative && oracle_flag(x, FLAG_RELU))
        return 0;
    unsigned code = f.most + 1;
    if (!isinf(value)) {
        code = code_below(&f, fabs(value));
        double below = value_of(&f, code), above = value_of(&f, code + 1);
        if (code <= f.most && goes_up(rounding, random, code, (fabs(value) - below) / (above - below)))
            code++;
    }
    if (code > f.most && (oracle_flag(x, FLAG_SATFINITE) || (rounding == RND_RZ && !isinf(value))))
        code = f.most;
    return code | (unsigned)negative << sign_position(&f);
}

static unsigned encode_f32(const struct oracle_insn *x, uint64_t bits)
{
    return encode(x, decode_f32(bits), (struct randomness){0});
}

/* Bits that one number takes in the packed register. */
static unsigned field_bits(enum type type)
{
    return type == TYPE_E2M1X2 || type == TYPE_E2M1X4 ? 4 : type == TYPE_F16X2 || type == TYPE_BF16X2 ? 16 : 8;
}

static uint64_t pair_of(const struct oracle_insn *x, double upper, double lower)
{
    return (uint64_t)encode(x, upper, (struct randomness){0}) << field_bits((enum type)x->type) |
           encode(x, lower, (struct randomness){0});
}

static uint64_t convert_packed(const struct oracle_insn *x, uint64_t a)
{
    enum type from = (enum type)x->origin->suffixes.type[1];
    struct narrow_format f = narrow_format(from);
    unsigned bits = field_bits(from), used = sign_position(&f) + 1;
    return pair_of(x, decode(&f, (unsigned)(a >> bits & oracle_mask(used))),
                   decode(&f, (unsigned)(a & oracle_mask(used))));
}

static uint64_t pair_by_chance(const struct oracle_insn *x, uint64_t a, uint64_t b, uint64_t random)
{
    unsigned count = x->type == TYPE_F16X2 ? 13 : 16;
    struct randomness upper = {(unsigned)(random >> 16 & oracle_mask(count)), count};
    struct randomness lower = {(unsigned)(random & oracle_mask(count)), count};
    return (uint64_t)encode(x, decode_f32(a), upper) << 16 | encode(x, decode_f32(b), lower);
}

/* Bit `position` of the 16 random bits for value `index` of four. Two neighbours share their bits, and the first of
 * them has them in reverse order. */
static unsigned random_bit(const struct oracle_insn *x, uint64_t random, int index, unsigned position)
{
    unsigned at = index % 2 ? position : 15 - position;
    if (x->type != TYPE_E2M1X4)
        return (unsigned)(random >> (index < 2 ? 16 + at : at) & 1);
    unsigned byte = (at < 8 ? 0 : 2) + (index < 2 ? 1 : 0);
    return (unsigned)(random >> (8 * byte + at % 8) & 1);
}

static uint64_t four_by_chance(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t random = oracle_read(t, &x->operand[2]), d = 0;
    for (int i = 0; i < 4; i++) {
        struct randomness r = {0, 16};
        for (unsigned k = 0; k < 16; k++)
            r.bits |= random_bit(x, random, i, k) << k;
        double value = decode_f32(oracle_read(t, &x->operand[1].element[i]));
        d = d << field_bits((enum type)x->type) | encode(x, value, r);
    }
    return d;
}

/* ue8m0: the exponent of the next power of two, towards zero (.rz) or away from it (.rp); 255 is NaN. */
static uint64_t power_of_two(const struct oracle_insn *x, double value)
{
    unsigned most = oracle_flag(x, FLAG_SATFINITE) ? 254 : 255;
    int exponent;
    if (isnan(value))
        return 255;
    if (isinf(value))
        return most;
    double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    if (value == 0)
        return 0;
    if (fraction == 0.5 || oracle_mod(x, GROUP_RND) == RND_RZ)
        exponent--;
    int code = exponent + 127;
    return code < 0 ? 0 : code > (int)most ? most : (unsigned)code;
}

static uint64_t powers_of_two(const struct oracle_insn *x, double upper, double lower)
{
    return power_of_two(x, upper) << 8 | power_of_two(x, lower);
}

static uint64_t from_power_of_two(unsigned code)
{
    struct oracle_number n = {.kind = NUMBER_FINITE, .mantissa = 1, .exponent = (int)code - 127};
    if (code == 255)
        n.kind = NUMBER_NAN;
    return oracle_number_encode(TYPE_BF16, n, RND_RN);
}

static double scale_factor(unsigned code)
{
    return code == 255 ? NAN : ldexp(1, (int)code - 127);
}

/* s2f6: the nearest multiple of 1/64 that a signed byte can count; halves go to the even count. */
static uint64_t fixed_point(const struct oracle_insn *x, double value)
{
    if (isnan(value))
        return 127;
    double count = value * 64, below = floor(count), rest = count - below;
    if (isinf(count) || fabs(count) > 1000)
        below = count < 0 ? -1000 : 1000;
    else if (rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0))
        below++;
    double least = oracle_flag(x, FLAG_RELU) ? 0 : -128;
    return (uint64_t)(int64_t)fmin(fmax(below, least), 127) & 255;
}

static uint64_t fixed_points(const struct oracle_insn *x, double upper, double lower, uint64_t scale)
{
    return fixed_point(x, upper / scale_factor(scale >> 8 & 255)) << 8 |
           fixed_point(x, lower / scale_factor(scale & 255));
}

/* Packed numbers times powers of two, as bf16x2. */
static uint64_t scaled_pair(const struct oracle_insn *x, uint64_t a, uint64_t scale)
{
    enum type from = (enum type)x->origin->suffixes.type[1];
    double upper = (double)(int8_t)(a >> 8) / 64, lower = (double)(int8_t)a / 64;
    if (from != TYPE_S2F6X2) {
        struct narrow_format f = narrow_format(from);
        unsigned bits = field_bits(from);
        uint64_t used = oracle_mask(sign_position(&f) + 1);
        upper = decode(&f, (unsigned)(a >> bits & used));
        lower = decode(&f, (unsigned)(a & used));
    }
    return pair_of(x, upper * scale_factor(scale >> 8 & 255), lower * scale_factor(scale & 255));
}

/* cvt.pack: the value as an integer of the type, by saturation. */
static uint64_t clamped(const struct oracle_insn *x, uint64_t a)
{
    unsigned bits = type_table[x->type].bits;
    int64_t value = (int64_t)a, range = (int64_t)1 << bits;
    int64_t least = type_table[x->type].kind == KIND_SINT ? -range / 2 : 0, most = least + range - 1;
    return (uint64_t)(value < least ? least : value > most ? most : value) & oracle_mask(bits);
}

void oracle_narrow(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read_integer(t, &x->operand[1]), b = oracle_read_integer(t, &x->operand[2]);
    uint64_t c = oracle_read_integer(t, &x->operand[3]), d = 0;
    unsigned bits = type_table[x->type].bits;
    switch (x->op) {
    case OP_CVT_RELU:
    case OP_CVT_FINITE:
        d = encode_f32(x, a);
        break;
    case OP_CVT_PAIR:
    case OP_CVT_NARROW:
    case OP_CVT_NARROW_F4:
        d = pair_of(x, decode_f32(a), decode_f32(b));
        break;
    case OP_CVT_PAIR_RS:
        d = pair_by_chance(x, a, b, c);
        break;
    case OP_CVT_NARROW_PAIR:
    case OP_CVT_NARROW_PAIR_F4:
    case OP_CVT_WIDEN:
    case OP_CVT_WIDEN_F4:
        d = convert_packed(x, a);
        break;
    case OP_CVT_FOUR_RS:
    case OP_CVT_FOUR_RS_F4:
        d = four_by_chance(t, x);
        break;
    case OP_CVT_TO_SCALE:
        d = powers_of_two(x, decode_f32(a), decode_f32(b));
        break;
    case OP_CVT_TO_SCALE_PAIR:
        d = powers_of_two(x, decode_f32(a & 0xffff0000), decode_f32(a << 16 & 0xffff0000));
        break;
    case OP_CVT_FROM_SCALE:
        d = from_power_of_two(a >> 8 & 255) << 16 | from_power_of_two(a & 255);
        break;
    case OP_CVT_TO_FIXED:
    case OP_CVT_TO_FIXED_SCALED:
        d = fixed_points(x, decode_f32(a), decode_f32(b), oracle_flag(x, FLAG_SCALED) ? c : 0x7f7f);
        break;
    case OP_CVT_TO_FIXED_PAIR:
    case OP_CVT_TO_FIXED_PAIR_SCALED:
        d = fixed_points(x, decode_f32(a & 0xffff0000), decode_f32(a << 16 & 0xffff0000),
                         oracle_flag(x, FLAG_SCALED) ? b : 0x7f7f);
        break;
    case OP_CVT_TO_BF16 ... OP_CVT_TO_BF16_F4_SCALED:
        d = scaled_pair(x, a, oracle_flag(x, FLAG_SCALED) ? b : 0x7f7f);
        break;
    case OP_CVT_PACK:
        d = clamped(x, a) << bits | clamped(x, b);
        break;
    default: /* CVT_PACK_BELOW */
        d = c << 2 * bits | clamped(x, a) << bits | clamped(x, b);
        break;
    }
    oracle_write(t, &x->operand[0], d);
}
