/*
 * Values of a texture fetch: formats of texels, and the arithmetic of filters.
 *
 * A filter adds up the products of texels and weights of 8 bits. Floating-point texels of a quad are aligned to the
 * largest exponent among those with a weight, with four more bits than their mantissas have, and cut; the sum is
 * exact. Several quads are aligned to the largest of their exponents, with two more bits, and rounded down. The sum
 * is rounded half away from zero, for half-precision texels to half precision. Unsigned integers that are read as
 * fractions are added as 16-bit numbers, signed ones as 15-bit numbers, and the sum is rounded half up.
 */
#include "image/sampler.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

/* A bit beside those of a half-precision texel that came from an sRGB byte. */
#define SRGB_ABOVE UINT32_C(0x80000000)

enum { WEIGHT_BITS = 8, ALIGNED_BITS = 4, QUAD_BITS = 2, NAN_BITS = 0x7fffffff };

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

/* ---- texels ---- */

/* What an H200 makes of sRGB bytes, in 65536ths: eight significant bits, not always the nearest ones. */
static const uint32_t srgb_values[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,   264,   288,   312,
    340,   368,   396,   428,   460,   492,   524,   560,   600,   636,   676,   720,   760,   804,   852,   896,
    944,   1000,  1048,  1104,  1160,  1216,  1272,  1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,
    1936,  2016,  2096,  2176,  2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,
    3360,  3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,  4992,  5120,
    5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,  6848,  7008,  7168,  7328,  7488,
    7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,  9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432,
    10624, 10816, 11008, 11264, 11456, 11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888,
    14144, 14400, 14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664, 18048,
    18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504, 21760, 22144, 22400, 22784,
    23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600, 25984, 26368, 26752, 27008, 27392, 27776, 28032,
    28416, 28800, 29184, 29568, 29952, 30336, 30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048,
    34560, 35072, 35328, 35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848, 47360, 47872, 48384,
    48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504, 54016, 54528, 55040, 55552, 56064, 56576,
    57088, 57600, 58112, 58624, 59392, 59904, 60416, 60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
};

/* Bytes whose values count as of the next exponent when texels are aligned. */
static bool is_srgb_above(uint32_t byte)
{
    return byte == 60 || (byte >= 64 && byte <= 70) || byte == 97 || byte == 98 || (byte >= 184 && byte <= 187) ||
           (byte >= 248 && byte <= 254);
}

static uint32_t raw_channel(const struct texture *t, const uint8_t *texel, int channel)
{
    unsigned bytes = type_bytes((enum type)t->texel_type);
    const uint8_t *from = texel + (unsigned)channel * bytes;
    uint32_t raw = 0;
    if (bytes == 4) /* of a constant size, a copy is one instruction of the host */
        memcpy(&raw, from, 4);
    else
        memcpy(&raw, from, bytes);
    return raw;
}

/* The nearest integer; of two, the one nearer to zero. */
static float nearest(float x)
{
    return copysignf(ceilf(fabsf(x) - 0.5f), x);
}

/* The border's colour as bits of the texture's format. */
static uint32_t border_channel(const struct texture *t, int channel)
{
    float c = t->border[channel], unit = fminf(fmaxf(c, 0), 1), both = fminf(fmaxf(c, -1), 1);
    enum type type = (enum type)t->texel_type;
    if (type_table[type].kind != KIND_FLOAT && !t->read_normalized) /* the low bits of the float */
        return float_bits(c) & (UINT32_MAX >> (32 - type_table[type].bits));
    switch (type) {
    case TYPE_U8:
        return (uint32_t)nearest(unit * 255);
    case TYPE_U16:
        return (uint32_t)nearest(unit * 65535);
    case TYPE_S8:
        return (uint32_t)(int32_t)nearest(both * 127);
    case TYPE_S16:
        return (uint32_t)(int32_t)nearest(both * 32767);
    case TYPE_F16:
        return half_cut_f32_bits(float_bits(c));
    default:
        return float_bits(c);
    }
}

static uint32_t channel_value(const struct texture *t, uint32_t raw, int channel)
{
    switch (t->texel_type) {
    case TYPE_U8:
        if (t->is_srgb && channel < 3)
            return float_bits((float)srgb_values[raw] / 65536.0f);
        return t->read_normalized ? float_bits((float)raw / 255.0f) : raw;
    case TYPE_U16:
        return t->read_normalized ? float_bits((float)raw / 65535.0f) : raw;
    case TYPE_S8:
        return t->read_normalized ? float_bits(fmaxf((float)(int8_t)raw / 127.0f, -1.0f)) : (uint32_t)(int8_t)raw;
    case TYPE_S16:
        return t->read_normalized ? float_bits(fmaxf((float)(int16_t)raw / 32767.0f, -1.0f)) : (uint32_t)(int16_t)raw;
    case TYPE_F16:
        if ((raw & 0x7fff) > 0x7c00) /* a NaN keeps its payload */
            return (raw & 0x8000) << 16 | 0x7f800000 | (raw & 0x3ff) << 13;
        return half_to_f32_bits((uint16_t)raw);
    default:
        return raw;
    }
}

uint32_t sampler_texel(const struct texture *t, const uint8_t *texel, int channel)
{
    if (channel >= t->channels)
        return 0;
    if (texel)
        return channel_value(t, raw_channel(t, texel, channel), channel);
    return channel_value(t, border_channel(t, channel), channel);
}

/* ---- sums of floating-point texels ---- */

/* A format: bits of the mantissa behind the point, the exponent that stands for infinity and NaN, and how many bits
 * more than the mantissa's the sum of a quad has. The texels of sRGB formats, in half precision, have eight bits. */
struct float_format {
    int mantissa_bits, special, more_bits;
};

static const struct float_format single = {23, 255, ALIGNED_BITS}, half = {10, 31, ALIGNED_BITS}, srgb = {10, 31, -3};

/* The value is mantissa * 2^exponent, the exponent being biased as the format's is, and counted from its last bit. */
struct float_sum {
    int64_t mantissa;
    int exponent;
    bool has_nan, has_plus, has_minus; /* infinities */
};

static int exponent_of(const struct float_format *f, uint32_t bits)
{
    return (int)(bits >> f->mantissa_bits) & f->special;
}

static bool is_negative(const struct float_format *f, uint32_t bits)
{
    return bits >> f->mantissa_bits & (uint32_t)(f->special + 1);
}

/* Half precision keeps subnormal numbers; single precision takes them as 0. */
static int64_t mantissa_of(const struct float_format *f, uint32_t bits)
{
    int64_t m = bits & ((1u << f->mantissa_bits) - 1);
    if (exponent_of(f, bits))
        return m | INT64_C(1) << f->mantissa_bits;
    return f != &single ? m : 0;
}

static struct float_sum sum_of_quad(const struct float_format *f, const uint32_t bits[SAMPLER_QUAD],
                                    const struct sampler_quad *q, int weight_bits)
{
    const int *weight = q->weight;
    struct float_sum s = {0};
    int largest = f != &single;
    for (int i = 0; i < SAMPLER_QUAD; i++) {
        int e = exponent_of(f, bits[i]);
        if (!weight[i] && !(q->takes_part >> i & 1))
            continue;
        if (e == f->special) {
            s.has_nan |= mantissa_of(f, bits[i]) != INT64_C(1) << f->mantissa_bits;
            *(is_negative(f, bits[i]) ? &s.has_minus : &s.has_plus) = true;
        } else if (weight[i] && e + (f == &srgb && (bits[i] & SRGB_ABOVE)) > largest) {
            largest = e + (f == &srgb && (bits[i] & SRGB_ABOVE));
        }
    }
    for (int i = 0; i < SAMPLER_QUAD; i++) {
        int e = exponent_of(f, bits[i]), shift = largest - (e ? e : f != &single);
        if (!weight[i] || e == f->special || shift > 40)
            continue;
        int64_t m = mantissa_of(f, bits[i]) << ALIGNED_BITS >> (shift + ALIGNED_BITS - f->more_bits);
        s.mantissa += (is_negative(f, bits[i]) ? -m : m) * weight[i];
    }
    s.exponent = largest - f->more_bits - weight_bits;
    return s;
}

/* m * 2^-shift, rounded down. */
static int64_t shift_down(int64_t m, int shift)
{
    if (shift <= 0)
        return (int64_t)((uint64_t)m << -shift);
    return shift > 62 ? -(m < 0) : m >> shift;
}

static void add_sum(struct float_sum *s, const struct float_sum *other, int unit)
{
    s->mantissa += shift_down(other->mantissa, unit - other->exponent);
    s->has_nan |= other->has_nan;
    s->has_plus |= other->has_plus;
    s->has_minus |= other->has_minus;
}

/* The sum as bits of a float, rounded to the format half away from zero. */
static uint32_t round_sum(const struct float_format *f, const struct float_sum *s)
{
    if (s->has_nan || (s->has_plus && s->has_minus))
        return f != &single ? 0x7fffe000 : NAN_BITS;
    if (s->has_plus || s->has_minus)
        return s->has_minus ? 0xff800000 : 0x7f800000;
    if (!s->mantissa)
        return 0;
    uint32_t sign = s->mantissa < 0 ? 0x80000000 : 0;
    uint64_t m = sign ? (uint64_t)-s->mantissa : (uint64_t)s->mantissa;
    int drop = 63 - __builtin_clzll(m) - f->mantissa_bits, exponent = s->exponent;
    if (f != &single && exponent + drop < 1)
        drop = 1 - exponent;
    m = drop > 0 ? (m + (UINT64_C(1) << (drop - 1))) >> drop : m << -drop;
    exponent += drop;
    if (m >> (f->mantissa_bits + 1)) {
        m >>= 1;
        exponent++;
    }
    if (exponent >= f->special)
        return sign | 0x7f800000;
    if (f != &single)
        return sign | float_bits((float)ldexp((double)m, exponent - 25));
    return exponent <= 0 ? sign : sign | (uint32_t)exponent << 23 | (uint32_t)(m & 0x7fffff);
}

static uint32_t blend_floats(const struct sampler_footprint *f, uint32_t bits[SAMPLER_MAX_QUADS][SAMPLER_QUAD],
                             const struct float_format *format)
{
    struct float_sum sum[SAMPLER_MAX_QUADS], all = {0};
    int unit = INT32_MIN;
    for (int q = 0; q < f->count; q++) {
        sum[q] = sum_of_quad(format, bits[q], &f->quad[q], f->weight_bits);
        unit = sum[q].exponent > unit ? sum[q].exponent : unit;
    }
    if (f->count == 1)
        return round_sum(format, &sum[0]);
    all.exponent = unit - QUAD_BITS;
    for (int q = 0; q < f->count; q++)
        add_sum(&all, &sum[q], all.exponent);
    return round_sum(format, &all);
}

/* ---- sums of integer texels ---- */

static int64_t integer_texel(enum type type, uint32_t raw)
{
    switch (type) {
    case TYPE_U8:
        return (int64_t)raw * 257;
    case TYPE_S8:
        return (int8_t)raw;
    case TYPE_S16:
        return (int16_t)raw;
    default:
        return raw;
    }
}

static uint32_t blend_integers(const struct texture *t, const struct sampler_footprint *f,
                               uint32_t raw[SAMPLER_MAX_QUADS][SAMPLER_QUAD])
{
    int64_t sum = 0;
    for (int q = 0; q < f->count; q++)
        for (int i = 0; i < SAMPLER_QUAD; i++)
            sum += integer_texel((enum type)t->texel_type, raw[q][i]) * f->quad[q].weight[i];
    if (t->texel_type == TYPE_S8) { /* 127 * 256 becomes 32767; the four low bits do not count in the difference */
        sum >>= f->weight_bits - WEIGHT_BITS;
        int64_t more = ((sum >> 4) * 257 + 1024) >> 11;
        return float_bits(fmaxf((float)(sum + more) / 32767.0f, -1));
    }
    int64_t rounded = (sum + (1 << (f->weight_bits - 1))) >> f->weight_bits;
    return float_bits(fmaxf((float)rounded / (t->texel_type == TYPE_S16 ? 32767.0f : 65535.0f), -1));
}

uint32_t sampler_gathered(const struct texture *t, const uint8_t *texel, int channel)
{
    if (channel >= t->channels || t->texel_type != TYPE_S8 || !t->read_normalized)
        return sampler_texel(t, texel, channel);
    const struct sampler_footprint one = {
        .count = 1, .weight_bits = WEIGHT_BITS, .quad = {{.weight = {1 << WEIGHT_BITS}}}};
    uint32_t raw[SAMPLER_MAX_QUADS][SAMPLER_QUAD] = {
        {texel ? raw_channel(t, texel, channel) : border_channel(t, channel)}};
    return blend_integers(t, &one, raw);
}

uint32_t sampler_channel(const struct texture *t, const struct sampler_footprint *f, sampler_texels texel, int channel)
{
    if (channel >= t->channels)
        return 0;
    if (f->is_single)
        return (f->is_between ? sampler_gathered : sampler_texel)(t, texel[0][0], channel);
    bool is_srgb = t->is_srgb && channel < 3; /* such texels are filtered in half precision */
    uint32_t bits[SAMPLER_MAX_QUADS][SAMPLER_QUAD];
    for (int q = 0; q < f->count; q++)
        for (int i = 0; i < SAMPLER_QUAD; i++) {
            const uint8_t *from = texel[q][i];
            bits[q][i] = from ? raw_channel(t, from, channel) : border_channel(t, channel);
            if (is_srgb)
                bits[q][i] = half_from_f32_bits(channel_value(t, bits[q][i], channel)) |
                             (is_srgb_above(bits[q][i]) ? SRGB_ABOVE : 0);
        }
    if (is_srgb || type_table[t->texel_type].kind == KIND_FLOAT)
        return blend_floats(f, bits, is_srgb ? &srgb : t->texel_type == TYPE_F16 ? &half : &single);
    return blend_integers(t, f, bits);
}
