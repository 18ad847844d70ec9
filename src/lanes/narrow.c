/*
 * Conversions of f32 to narrower floating-point formats with .relu, .satfinite or stochastic rounding, of packed pairs
 * and fours, and back from the formats of 4, 6 and 8 bits; conversions to integer fields of a word (cvt.pack).
 *
 * One handler serves all forms of a row: the form is the instruction's control constant (lanes_control()). The pairs
 * that compiled code is full of (cvt.rn.f16x2.f32, cvt.rn.bf16x2.f32) have vectorised handlers.
 */
#include "lanes/narrow.h"

#include "lanes/lane_loop.h"
#include <math.h>

/* A narrow format. Numbers above `most` are infinity and NaN, if the format has them. */
struct narrow_format {
    uint8_t precision;      /* bits of the significand, the hidden one included */
    int8_t least;           /* exponent of the least normal number */
    uint8_t bits;           /* of a number, the sign included */
    uint8_t field;          /* bits that a number takes in a packed register */
    uint16_t most;          /* the largest finite number */
    uint16_t infinity, nan; /* what an infinity and a NaN become */
};

enum narrow_name {
    NARROW_NONE,
    NARROW_F16,
    NARROW_BF16,
    NARROW_E5M2,
    NARROW_E4M3,
    NARROW_E3M2,
    NARROW_E2M3,
    NARROW_E2M1
};

static const struct narrow_format formats[] = {
    [NARROW_F16] = {11, -14, 16, 16, 0x7bff, 0x7c00, NAN_F16},
    [NARROW_BF16] = {8, -126, 16, 16, 0x7f7f, 0x7f80, NAN_BF16},
    [NARROW_E5M2] = {3, -14, 8, 8, 0x7b, 0x7c, 0x7f},
    [NARROW_E4M3] = {4, -6, 8, 8, 0x7e, 0x7e, 0x7f},
    [NARROW_E3M2] = {3, -2, 6, 8, 0x1f, 0x1f, 0x1f},
    [NARROW_E2M3] = {4, 0, 6, 8, 0x1f, 0x1f, 0x1f},
    [NARROW_E2M1] = {2, 0, 4, 4, 0x07, 0x07, 0x07},
};

static enum narrow_name format_of(enum type t)
{
    switch (t) {
    case TYPE_F16:
    case TYPE_F16X2:
        return NARROW_F16;
    case TYPE_BF16:
    case TYPE_BF16X2:
        return NARROW_BF16;
    case TYPE_E5M2X2:
    case TYPE_E5M2X4:
        return NARROW_E5M2;
    case TYPE_E4M3X2:
    case TYPE_E4M3X4:
        return NARROW_E4M3;
    case TYPE_E3M2X2:
    case TYPE_E3M2X4:
        return NARROW_E3M2;
    case TYPE_E2M3X2:
    case TYPE_E2M3X4:
        return NARROW_E2M3;
    case TYPE_E2M1X2:
    case TYPE_E2M1X4:
        return NARROW_E2M1;
    default:
        return NARROW_NONE;
    }
}

/* The form of a conversion, as it stands in the control constant. */
struct narrow_control {
    uint8_t from, to; /* enum narrow_name */
    uint8_t rounding; /* enum mod; 0: stochastic */
    bool relu, satfinite, is_signed;
    uint8_t field; /* cvt.pack: bits of a result */
    uint8_t
        widths; /* lanes of the destination and of three sources, two bits each: 0 for 16 bits, 1 for 32, 2 for 64 */
};
_Static_assert(sizeof(struct narrow_control) == sizeof(uint64_t), "the form is one constant");

static unsigned width_code(const struct ref *r)
{
    unsigned bits = ref_lane_bits(r);
    return bits == 64 ? 2 : bits == 32 ? 1 : 0;
}

bool narrow_control(const struct insn *insn, uint64_t *control)
{
    if (insn->op < OP_CVT_RELU || insn->op > OP_CVT_PACK_BELOW)
        return false;
    const struct suffixes *s = &insn->suffixes;
    const struct type_info *to = &type_table[s->type[0]];
    unsigned widths = width_code(&insn->dest[0]);
    for (int i = 0; i < insn->source_count && i < 3; i++)
        widths |= width_code(&insn->source[i]) << 2 * (i + 1);
    struct narrow_control c = {.from = (uint8_t)format_of((enum type)s->type[1]),
                               .to = (uint8_t)format_of((enum type)s->type[0]),
                               .rounding = s->mod[GROUP_RND],
                               .relu = suffixes_has(s, FLAG_RELU),
                               .satfinite = suffixes_has(s, FLAG_SATFINITE),
                               .is_signed = to->kind == KIND_SINT,
                               .field = to->bits,
                               .widths = (uint8_t)widths};
    memcpy(control, &c, sizeof c);
    return true;
}

static struct narrow_control control_of(const void *plane)
{
    struct narrow_control c;
    memcpy(&c, plane, sizeof c);
    return c;
}

/* Whether a magnitude whose bits below `shift` are cut off is rounded up. Stochastic rounding adds the random bits, of
 * which the uppermost is worth half of what the last kept bit is worth, to what is cut off. */
static bool rounds_up(uint32_t significand, int shift, const struct narrow_control *c, uint32_t random, int random_bits)
{
    uint32_t cut = shift < 32 ? significand & ((1u << shift) - 1) : significand;
    if (c->rounding == RND_RZ || shift <= 0)
        return false;
    if (!c->rounding) {
        uint32_t uppermost = shift - random_bits < 32 ? cut >> (shift - random_bits) : 0;
        return (uppermost + random) >> random_bits;
    }
    uint32_t half = shift <= 32 ? 1u << (shift - 1) : UINT32_MAX;
    bool is_odd = shift < 32 && significand >> shift & 1;
    return cut > half || (cut == half && is_odd);
}

/* An f32 in a narrow format. A NaN has no sign there. */
static uint32_t narrow(uint32_t raw, const struct narrow_format *f, const struct narrow_control *c, uint32_t random,
                       int random_bits)
{
    uint32_t magnitude = raw & 0x7fffffffu, sign = raw >> 31 << (f->bits - 1);
    if (magnitude > 0x7f800000u)
        return f->nan;
    if (c->relu && sign)
        return 0;
    if (magnitude == 0x7f800000u)
        return sign | (c->satfinite ? f->most : f->infinity);
    int biased = (int)(magnitude >> 23), exponent = (biased ? biased : 1) - 127;
    uint32_t significand = (magnitude & 0x7fffffu) | (biased ? 0x800000u : 0);
    int below = exponent < f->least ? f->least - exponent : 0;
    int shift = 24 - f->precision + below;
    uint32_t kept = shift < 32 ? significand >> shift : 0;
    kept += rounds_up(significand, shift, c, random, random_bits);
    /* Adding the hidden one raises the exponent field by 1; so does a carry out of rounding. */
    uint32_t bits = below ? kept : ((uint32_t)(exponent - f->least) << (f->precision - 1)) + kept;
    if (bits > f->most)
        bits = c->satfinite || c->rounding == RND_RZ ? f->most : f->infinity;
    return sign | bits;
}

/* A number of a narrow format as an f32, which holds it exactly. */
static uint32_t widen(uint32_t raw, const struct narrow_format *f)
{
    uint32_t magnitude = raw & ((1u << (f->bits - 1)) - 1), sign = raw >> (f->bits - 1) << 31;
    if (magnitude > f->most)
        return magnitude == f->infinity ? sign | 0x7f800000u : NAN_F32;
    uint32_t biased = magnitude >> (f->precision - 1), significand = magnitude & ((1u << (f->precision - 1)) - 1);
    if (biased)
        significand |= 1u << (f->precision - 1);
    int exponent = (biased ? (int)biased - 1 : 0) + f->least - (f->precision - 1);
    if (!significand)
        return sign;
    int leading = 31 - __builtin_clz(significand), top = leading + exponent; /* exponent of the highest bit */
    if (top < -126)
        return sign | significand << (exponent + 149);
    return sign | ((uint32_t)(top + 127) << 23) | ((significand << (23 - leading)) & 0x7fffffu);
}

/* The power of two next to the magnitude, below or (.rp) above it; 255 is NaN, and stands for what is too large. */
static uint32_t to_scale(uint32_t raw, const struct narrow_control *c)
{
    uint32_t magnitude = raw & 0x7fffffffu, biased = magnitude >> 23, fraction = magnitude & 0x7fffffu;
    if (magnitude > 0x7f800000u)
        return 255;
    if (c->rounding == RND_RP && (biased ? fraction != 0 : fraction > 0x400000u))
        biased++; /* 2^-127 has the exponent 0, but is a subnormal f32 */
    return biased == 255 && c->satfinite ? 254 : biased;
}

static uint32_t from_scale(uint32_t scale)
{
    return scale == 255 ? NAN_BF16 : scale ? scale << 7 : 0x0040u;
}

/* Lane i of a source or of the destination, whose register may be wider than its type. */
static uint32_t take(const struct lanes *x, const struct narrow_control *c, int source, int i)
{
    unsigned bits = 16u << (c->widths >> 2 * (source + 1) & 3);
    return (uint32_t)lanes_value(x->source[source], bits, i);
}

static void put(const struct lanes *x, const struct narrow_control *c, int i, uint32_t value)
{
    unsigned width = c->widths & 3;
    if (width == 2)
        ((uint64_t *)x->dest[0])[i] = value;
    else if (width == 1)
        ((uint32_t *)x->dest[0])[i] = value;
    else
        ((uint16_t *)x->dest[0])[i] = (uint16_t)value;
}

/* The destination may be wider than a source whose plane it is, so all results are computed before one is written. */
#define EACH_RESULT(x, c, i, result)                   \
    do {                                               \
        uint32_t results_[ROW_LANES];                  \
        EACH_LANE_SERIAL(i) results_[i] = (result);    \
        EACH_LANE_SERIAL(i) put(x, c, i, results_[i]); \
    } while (0)

static void narrow_single(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[1]);
    EACH_RESULT(x, &c, i, narrow(take(x, &c, 0, i), &formats[c.to], &c, 0, 0));
}

static void narrow_pair(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[2]);
    const struct narrow_format *f = &formats[c.to];
    EACH_RESULT(x, &c, i, narrow(take(x, &c, 0, i), f, &c, 0, 0) << f->field | narrow(take(x, &c, 1, i), f, &c, 0, 0));
}

static void narrow_pair_rs(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[3]);
    const struct narrow_format *f = &formats[c.to];
    const uint32_t *random = x->source[2];
    const int bits = c.to == NARROW_F16 ? 13 : 16;
    const uint32_t mask = (1u << bits) - 1;
    EACH_RESULT(x, &c, i,
                narrow(take(x, &c, 0, i), f, &c, random[i] >> 16 & mask, bits) << 16 |
                    narrow(take(x, &c, 1, i), f, &c, random[i] & mask, bits));
}

static void narrow_halves(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[1]);
    const struct narrow_format *f = &formats[c.to], *from = &formats[c.from];
    const uint32_t *a = x->source[0];
    uint16_t *d = x->dest[0];
    EACH_LANE_SERIAL(i)
    {
        uint32_t upper = narrow(widen(a[i] >> 16, from), f, &c, 0, 0);
        d[i] = (uint16_t)(upper << f->field | narrow(widen(a[i] & 0xffff, from), f, &c, 0, 0));
    }
}

/* The source lanes are narrower than the destination's, and so are copied first. */
static void widen_pair(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[1]);
    const struct narrow_format *f = &formats[c.to], *from = &formats[c.from];
    const uint32_t mask = (1u << from->bits) - 1;
    LANES_NARROW(uint16_t, a, 0);
    uint32_t *d = x->dest[0];
    EACH_LANE_SERIAL(i)
    {
        uint32_t upper = narrow(widen(a[i] >> from->field & mask, from), f, &c, 0, 0);
        d[i] = upper << 16 | narrow(widen(a[i] & mask, from), f, &c, 0, 0);
    }
}

static uint32_t reverse_16(uint32_t a)
{
    uint32_t d = 0;
    for (int k = 0; k < 16; k++)
        d |= (a >> k & 1) << (15 - k);
    return d;
}

/* The first two values and the last two share 16 random bits each: half of the operand, or, if the result has 16 bits,
 * the upper or lower byte of each half. The first value of the two takes them in reverse order (published measurements
 * of a B200; the manual leaves the order open). */
static void narrow_four_rs(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[5]);
    const struct narrow_format *f = &formats[c.to];
    const uint32_t *random = x->source[4];
    EACH_LANE_SERIAL(i)
    {
        uint32_t r = random[i], shared[2] = {r >> 16, r & 0xffff}, d = 0;
        if (f->field == 4) {
            shared[0] = (r >> 16 & 0xff00) | (r >> 8 & 0xff);
            shared[1] = (r >> 8 & 0xff00) | (r & 0xff);
        }
        for (int k = 0; k < 4; k++) {
            uint32_t a = ((const uint32_t *)x->source[k])[i], bits = shared[k / 2];
            d = d << f->field | narrow(a, f, &c, k % 2 ? bits : reverse_16(bits), 16);
        }
        if (f->field == 4)
            ((uint16_t *)x->dest[0])[i] = (uint16_t)d;
        else
            ((uint32_t *)x->dest[0])[i] = d;
    }
}

static void scale_pair(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[2]);
    EACH_RESULT(x, &c, i, to_scale(take(x, &c, 0, i), &c) << 8 | to_scale(take(x, &c, 1, i), &c));
}

static void scale_halves(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[1]);
    const uint32_t *a = x->source[0];
    uint16_t *d = x->dest[0];
    EACH_LANE_SERIAL(i) d[i] = (uint16_t)(to_scale(a[i] & 0xffff0000u, &c) << 8 | to_scale(a[i] << 16, &c));
}

static void scale_widen(const struct lanes *x)
{
    LANES_NARROW(uint16_t, a, 0);
    uint32_t *d = x->dest[0];
    EACH_LANE_SERIAL(i) d[i] = from_scale(a[i] >> 8) << 16 | from_scale(a[i] & 0xff);
}

/* A power of two as an f32. */
static float scale_value(uint32_t scale)
{
    return f32_of_bits(scale == 255 ? NAN_F32 : scale ? scale << 23 : 0x400000u);
}

enum { SCALE_ONE = 0x7f7f };

/* f32 to fixed point, in units of 1/64; a NaN becomes the largest number. */
static uint32_t to_fixed(uint32_t raw, uint32_t scale, const struct narrow_control *c)
{
    double value = rint((double)f32_of_bits(raw) / (double)scale_value(scale) * 64.0);
    if (value != value)
        return 127;
    double least = c->relu ? 0.0 : -128.0;
    return (uint32_t)(int32_t)(value < least ? least : value > 127.0 ? 127.0 : value) & 255;
}

static void fix_pair(const struct lanes *x, const struct narrow_control *c, const uint16_t *scale)
{
    EACH_RESULT(x, c, i,
                to_fixed(take(x, c, 0, i), scale[i] >> 8, c) << 8 | to_fixed(take(x, c, 1, i), scale[i] & 255, c));
}

static void fix_halves(const struct lanes *x, const struct narrow_control *c, const uint16_t *scale)
{
    const uint32_t *a = x->source[0];
    EACH_RESULT(x, c, i, to_fixed(a[i] & 0xffff0000u, scale[i] >> 8, c) << 8 | to_fixed(a[i] << 16, scale[i] & 255, c));
}

/* A number of a narrow format, or a fixed-point number, times a power of two, as bf16. The product is exact in f32, or
 * too large for either. */
static uint32_t to_bf16(uint32_t raw, uint32_t scale, const struct narrow_control *c)
{
    float value = c->from ? f32_of_bits(widen(raw, &formats[c->from])) : (float)(int8_t)raw / 64.0f;
    return narrow(bits_of_f32(value * scale_value(scale)), &formats[NARROW_BF16], c, 0, 0);
}

static void widen_bf16(const struct lanes *x, const struct narrow_control *c, const uint16_t *scale)
{
    const struct narrow_format *from = &formats[c->from];
    const unsigned field = c->from ? from->field : 8;
    const uint32_t mask = (1u << (c->from ? from->bits : 8)) - 1;
    LANES_NARROW(uint16_t, a, 0);
    EACH_RESULT(x, c, i,
                to_bf16(a[i] >> field & mask, scale[i] >> 8, c) << 16 | to_bf16(a[i] & mask, scale[i] & 255, c));
}

/* The handlers with a scale, which is the last operand, and those without. */
#define SCALED_HANDLERS(name, handle, sources)                                \
    static void name(const struct lanes *x)                                   \
    {                                                                         \
        const struct narrow_control c = control_of(x->source[sources]);       \
        uint16_t one[ROW_LANES];                                              \
        EACH_LANE_SERIAL(i) one[i] = SCALE_ONE;                               \
        handle(x, &c, one);                                                   \
    }                                                                         \
    static void name##_scaled(const struct lanes *x)                          \
    {                                                                         \
        const struct narrow_control c = control_of(x->source[(sources) + 1]); \
        LANES_NARROW(uint16_t, scale, sources);                               \
        handle(x, &c, scale);                                                 \
    }
SCALED_HANDLERS(to_fixed_pair, fix_pair, 2)
SCALED_HANDLERS(to_fixed_halves, fix_halves, 1)
SCALED_HANDLERS(to_bf16_pair, widen_bf16, 1)

static uint32_t clamp_field(uint32_t raw, const struct narrow_control *c)
{
    int32_t a = (int32_t)raw;
    int32_t most = (int32_t)((1u << (c->field - c->is_signed)) - 1), least = c->is_signed ? -most - 1 : 0;
    int32_t clamped = a < least ? least : a > most ? most : a;
    return (uint32_t)clamped & ((1u << c->field) - 1);
}

static void pack_two(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[2]);
    EACH_RESULT(x, &c, i, clamp_field(take(x, &c, 0, i), &c) << 16 | clamp_field(take(x, &c, 1, i), &c));
}

static void pack_below(const struct lanes *x)
{
    const struct narrow_control c = control_of(x->source[3]);
    EACH_RESULT(x, &c, i,
                take(x, &c, 2, i) << 2 * c.field | clamp_field(take(x, &c, 0, i), &c) << c.field |
                    clamp_field(take(x, &c, 1, i), &c));
}

/* The frequent pairs: rounded to nearest even, without .relu and .satfinite. */
static inline uint32_t bf16_of(uint32_t a)
{
    uint32_t rounded = (a + 0x7fffu + (a >> 16 & 1)) >> 16;
    return (a & 0x7fffffffu) > 0x7f800000u ? NAN_BF16 : rounded;
}

/* A number below the least normal one, 2^-14, is added to 0.5, whose last bit is 2^-24, as that of a subnormal f16 is:
 * the host's addition rounds. */
static inline uint32_t f16_of(uint32_t a)
{
    uint32_t magnitude = a & 0x7fffffffu, sign = a >> 16 & 0x8000u;
    uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    uint32_t subnormal = bits_of_f32(f32_of_bits(magnitude < 0x38800000u ? magnitude : 0) + 0.5f) - 0x3f000000u;
    uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    uint32_t number = magnitude < 0x477ff000u ? finite : 0x7c00u;
    return magnitude > 0x7f800000u ? NAN_F16 : sign | number;
}

LANES_BINARY(pair_bf16, uint32_t, uint32_t, bf16_of(a) << 16 | bf16_of(b))
LANES_BINARY(pair_f16, uint32_t, uint32_t, f16_of(a) << 16 | f16_of(b))

#define SINGLE(name, S, D, expression)                  \
    SIMD_CLONES static void name(const struct lanes *x) \
    {                                                   \
        const S *pa = x->source[0];                     \
        D *d = x->dest[0];                              \
        EACH_LANE(i)                                    \
        {                                               \
            const S a = pa[i];                          \
            d[i] = (D)(expression);                     \
        }                                               \
    }
SINGLE(single_bf16, uint32_t, uint16_t, bf16_of(a))
SINGLE(single_f16, uint32_t, uint16_t, f16_of(a))

/* The plain conversions of one f32, which have a row of their own. */
static lane_fn *find_single(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    bool is_plain = s->mod[GROUP_RND] == RND_RN && !s->flags && s->type[1] == TYPE_F32 &&
                    ref_lane_bits(&insn->source[0]) == 32 && ref_lane_bits(&insn->dest[0]) == 16;
    return !is_plain ? NULL : s->type[0] == TYPE_F16 ? single_f16 : s->type[0] == TYPE_BF16 ? single_bf16 : NULL;
}

static lane_fn *find_pair(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    bool is_plain = s->mod[GROUP_RND] == RND_RN && !s->flags && ref_lane_bits(&insn->dest[0]) == 32 &&
                    ref_lane_bits(&insn->source[0]) == 32 && ref_lane_bits(&insn->source[1]) == 32;
    return !is_plain ? narrow_pair : s->type[0] == TYPE_F16X2 ? pair_f16 : pair_bf16;
}

lane_fn *lanes_find_narrow(const struct insn *insn)
{
    enum mod rounding = (enum mod)insn->suffixes.mod[GROUP_RND];
    bool is_nearest = rounding == RND_RN, is_zero = rounding == RND_RZ;
    switch (insn->op) {
    case OP_CVT_FLOAT:
        return find_single(insn);
    case OP_CVT_RELU:
    case OP_CVT_FINITE:
        return is_nearest || is_zero ? narrow_single : NULL;
    case OP_CVT_PAIR:
        return is_nearest || is_zero ? find_pair(insn) : NULL;
    case OP_CVT_NARROW:
    case OP_CVT_NARROW_F4:
        return is_nearest ? narrow_pair : NULL;
    case OP_CVT_PAIR_RS:
        return narrow_pair_rs;
    case OP_CVT_NARROW_PAIR:
    case OP_CVT_NARROW_PAIR_F4:
        return is_nearest ? narrow_halves : NULL;
    case OP_CVT_WIDEN:
    case OP_CVT_WIDEN_F4:
        return is_nearest ? widen_pair : NULL;
    case OP_CVT_FOUR_RS:
    case OP_CVT_FOUR_RS_F4:
        return narrow_four_rs;
    case OP_CVT_TO_SCALE:
        return is_zero || rounding == RND_RP ? scale_pair : NULL;
    case OP_CVT_TO_SCALE_PAIR:
        return is_zero || rounding == RND_RP ? scale_halves : NULL;
    case OP_CVT_FROM_SCALE:
        return is_nearest ? scale_widen : NULL;
    case OP_CVT_TO_FIXED:
        return is_nearest ? to_fixed_pair : NULL;
    case OP_CVT_TO_FIXED_SCALED:
        return is_nearest ? to_fixed_pair_scaled : NULL;
    case OP_CVT_TO_FIXED_PAIR:
        return is_nearest ? to_fixed_halves : NULL;
    case OP_CVT_TO_FIXED_PAIR_SCALED:
        return is_nearest ? to_fixed_halves_scaled : NULL;
    case OP_CVT_TO_BF16:
    case OP_CVT_TO_BF16_F4:
        return is_nearest ? to_bf16_pair : NULL;
    case OP_CVT_TO_BF16_SCALED:
    case OP_CVT_TO_BF16_F4_SCALED:
        return is_nearest ? to_bf16_pair_scaled : NULL;
    case OP_CVT_PACK:
        return pack_two;
    case OP_CVT_PACK_BELOW:
        return pack_below;
    default:
        return NULL;
    }
}
