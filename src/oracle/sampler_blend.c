/*
 * The oracle's texture unit: formats of texels and filters, as an NVIDIA H200 was seen to compute them, written here in
 * double precision, which holds every intermediate result exactly.
 */
#include "oracle/sampler.h"

#include <math.h>
#include <string.h>

static uint32_t to_bits(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static double from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* ---- formats ---- */

/* An sRGB byte as a linear value: eight significant bits of the formula's; dark bytes, and some others, differ. */
static double linear_of_srgb(uint32_t byte)
{
    static const struct {
        uint8_t byte;
        uint16_t value;
    } others[] = {
        {12, 240},    {15, 312},    {19, 428},    {20, 460},    {32, 944},    {33, 1000},
        {65, 3456},   {66, 3584},   {68, 3776},   {70, 4000},   {97, 7808},   {184, 31488},
        {186, 32256}, {249, 61952}, {250, 62464}, {251, 62976}, {252, 64000}, {253, 64512},
    };
    if (byte < 12)
        return byte * 20 / 65536.0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].byte == byte)
            return others[i].value / 65536.0;
    double c = byte / 255.0, exact = pow((c + 0.055) / 1.055, 2.4);
    int exponent;
    frexp(exact, &exponent);
    return ldexp(rint(ldexp(exact, 8 - exponent)), exponent - 8);
}

/* The largest value of an integer channel that is read as a fraction. */
static double most(const struct texture *t)
{
    const struct type_info *type = &type_table[t->texel_type];
    return ldexp(1, type->bits - (type->kind == KIND_SINT)) - 1;
}

static double value_of_half(uint32_t raw)
{
    double fraction = raw & 1023, exponent = raw >> 10 & 31;
    double magnitude = exponent > 0 ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
    return raw & 0x8000 ? -magnitude : magnitude;
}

uint32_t oracle_texel(const struct texture *t, int channel, uint32_t raw)
{
    if (t->texel_type == TYPE_F32 || t->texel_type == TYPE_U32 || t->texel_type == TYPE_S32)
        return raw;
    if (t->texel_type == TYPE_F16 && (raw & 0x7c00) == 0x7c00) /* infinity, or a NaN with its payload */
        return (raw & 0x8000) << 16 | 0xffu << 23 | (raw & 1023) << 13;
    if (t->texel_type == TYPE_F16)
        return to_bits(value_of_half(raw));
    int64_t value = (int64_t)oracle_extend(raw, (enum type)t->texel_type);
    if (t->is_srgb && channel < 3)
        return to_bits(linear_of_srgb(raw));
    if (!t->read_normalized)
        return (uint32_t)value;
    return to_bits(fmax((double)((float)value / (float)most(t)), -1));
}

uint32_t oracle_border(const struct texture *t, int channel)
{
    double colour = (double)t->border[channel];
    const struct type_info *type = &type_table[t->texel_type];
    if (t->texel_type == TYPE_F16)
        return (uint32_t)oracle_number_encode(TYPE_F16, oracle_number_decode(TYPE_F32, to_bits(colour)), RND_RZ);
    if (type->kind == KIND_FLOAT)
        return to_bits(colour);
    if (!t->read_normalized)
        return to_bits(colour) & (uint32_t)oracle_mask(type->bits);
    double least = type->kind == KIND_SINT ? -1 : 0, unit = colour > least ? colour < 1 ? colour : 1 : least;
    double scaled = (double)((float)unit * (float)most(t)), rounded = rint(scaled);
    if (fabs(scaled - trunc(scaled)) == 0.5) /* exact halves go toward zero */
        rounded = trunc(scaled);
    return (uint32_t)(int32_t)rounded & (uint32_t)oracle_mask(type->bits);
}

/* ---- filters ---- */

/* Rounds to so many significant bits, halves away from zero; no finer than 2^lowest. */
static double round_away(double value, int bits, int lowest)
{
    if (value == 0)
        return 0;
    int unit = ilogb(value) - bits + 1;
    unit = unit < lowest ? lowest : unit;
    double scaled = ldexp(fabs(value), -unit);
    return copysign(ldexp(floor(scaled + 0.5), unit), value);
}

/* How a floating-point format takes part in a filter. */
struct filter_format {
    int bits;   /* significant bits of the result */
    int kept;   /* bits behind the leading one of the largest texel that others are cut to */
    int lowest; /* exponents do not go below */
};

static double filter_value(const struct texture *t, int channel, uint32_t raw)
{
    double v = from_bits(oracle_texel(t, channel, raw));
    return t->texel_type == TYPE_F32 && fabs(v) < 0x1p-126 ? 0 : v;
}

/* sRGB bytes that a filter takes as if they were twice as large, when it aligns texels. */
static bool counts_above(uint32_t byte)
{
    static const uint8_t ranges[][2] = {{60, 60}, {64, 70}, {97, 98}, {184, 187}, {248, 254}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (byte >= ranges[i][0] && byte <= ranges[i][1])
            return true;
    return false;
}

/* The unit that the texels of a group are cut to; 0: the group has no texel with a weight. */
static double unit_of_group(const struct texture *t, int channel, const struct filter_format *f,
                            const struct oracle_tap *tap, const uint32_t *raw, int count, int group)
{
    int exponent = f->lowest;
    bool is_empty = true;
    for (int i = 0; i < count; i++) {
        double v = tap[i].group == group ? filter_value(t, channel, raw[i]) : 0;
        is_empty &= tap[i].group != group;
        bool is_raised = t->is_srgb && channel < 3 && counts_above(raw[i]);
        if (tap[i].weight && v != 0 && isfinite(v) && ilogb(v) + is_raised > exponent)
            exponent = ilogb(v) + is_raised;
    }
    return is_empty ? 0 : ldexp(1, exponent - f->kept);
}

/* All weights together: 256 or 1024. */
static double whole_weight(const struct oracle_tap *tap, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += tap[i].weight;
    return sum;
}

static double sum_of_group(const struct texture *t, int channel, const struct oracle_tap *tap, const uint32_t *raw,
                           int count, int group, double unit)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double v = tap[i].group == group && tap[i].weight ? filter_value(t, channel, raw[i]) : 0;
        if (isfinite(v))
            sum += trunc(v / unit) * tap[i].weight;
    }
    return sum * (unit / whole_weight(tap, count));
}

static uint32_t filter_floats(const struct texture *t, int channel, const struct filter_format *f,
                              const struct oracle_tap *tap, const uint32_t *raw, int count)
{
    double unit[ORACLE_MAX_GROUPS], coarsest = 0, all = 0;
    int groups = 0;
    for (int g = 0; g < ORACLE_MAX_GROUPS; g++) {
        unit[g] = unit_of_group(t, channel, f, tap, raw, count, g);
        coarsest = fmax(coarsest, unit[g]);
        groups += unit[g] > 0;
    }
    double grid = coarsest / whole_weight(tap, count) / 4; /* sums of several groups are rounded down to this */
    for (int g = 0; g < ORACLE_MAX_GROUPS; g++) {
        if (unit[g] == 0)
            continue;
        double sum = sum_of_group(t, channel, tap, raw, count, g, unit[g]);
        all += groups > 1 ? floor(sum / grid) * grid : sum;
    }
    double rounded = round_away(all, f->bits, f->bits == 24 ? -1000 : -24);
    if (f->bits != 24 && fabs(rounded) >= 65536)
        rounded = copysign(INFINITY, rounded);
    if (fabs(rounded) < 0x1p-126)
        return rounded < 0 ? UINT32_C(1) << 31 : 0;
    return to_bits(rounded);
}

/* NaN, or infinities; false: all texels that take part are finite. */
static bool is_special(const struct texture *t, int channel, const struct oracle_tap *tap, const uint32_t *raw,
                       int count, uint32_t *result)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double v = tap[i].counts ? filter_value(t, channel, raw[i]) : 0;
        if (!isfinite(v))
            sum += v;
    }
    *result = isnan(sum) ? t->texel_type == TYPE_F16 ? 0x7fffe000 : 0x7fffffff : to_bits(sum);
    return !isfinite(sum);
}

/* Signed bytes are stretched from 127 * 256 to 32767 after the sum. */
static double filter_integers(const struct texture *t, const struct oracle_tap *tap, const uint32_t *raw, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double v = (double)(int64_t)oracle_extend(raw[i], (enum type)t->texel_type);
        sum += v * (t->texel_type == TYPE_U8 ? 257 : 1) * tap[i].weight;
    }
    sum *= 256 / whole_weight(tap, count);
    if (t->texel_type == TYPE_S8)
        return fmax((floor(sum) + floor(floor(floor(sum) / 16) * 257 / 2048 + 0.5)) / 32767, -1);
    return fmax(floor(sum / 256 + 0.5) / (t->texel_type == TYPE_S16 ? 32767 : 65535), -1);
}

uint32_t oracle_blend(const struct texture *t, int channel, const struct oracle_tap *tap, const uint32_t *raw,
                      int count)
{
    static const struct filter_format single = {24, 27, -126}, half = {11, 14, -14}, srgb = {11, 7, -14};
    bool is_srgb = t->is_srgb && channel < 3;
    uint32_t special;
    if (!is_srgb && type_table[t->texel_type].kind != KIND_FLOAT)
        return to_bits(filter_integers(t, tap, raw, count));
    if (is_special(t, channel, tap, raw, count, &special))
        return special;
    return filter_floats(t, channel, is_srgb ? &srgb : t->texel_type == TYPE_F16 ? &half : &single, tap, raw, count);
}
