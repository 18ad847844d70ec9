/*
 * Levels of detail and anisotropic filters, as an NVIDIA H200 chooses them.
 *
 * The level of detail is the logarithm of a length in texels, in 256ths: of the longest derivative, or of 11/16 of the
 * sum or difference of both. An anisotropic filter takes the length across instead, which is the area between the
 * derivatives divided by the longest; but no less than one texel, and no less than the longest divided by the greatest
 * ratio that the texture allows. It moves levels toward whole numbers, so that fewer fetches read two levels. Along the
 * longest derivative it places pairs of samples one step from each other. A step has the length of a texel of the
 * level. All samples have the weight 1 / ratio but the outermost ones, which have what is left; at ratios below 2
 * there is one pair, which moves inward.
 */
#include "image/sampler_level.h"

#include "image/sampler_slope.h"

#include <math.h>
#include <string.h>

enum { LEVEL_BITS = 8, WHOLE = 1 << LEVEL_BITS, MANTISSA_BITS = 23 };

/* Logarithms of 1 + i/256, in 256ths, as an H200 takes them. */
static const uint8_t logarithm[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,  27,  28,  30,
    31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,  52,  53,  54,  55,  57,  58,
    59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,  75,  76,  77,  78,  79,  81,  82,  83,  84,
    85,  86,  88,  89,  90,  91,  92,  93,  94,  95,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109,
    110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
    132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153,
    154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173,
    174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193,
    194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211,
    212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229,
    229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245,
    246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255,
};

/* 256 / 2^(i/256), rounded, less 1. */
static const uint8_t inverse_power[256] = {
    255, 254, 254, 253, 252, 252, 251, 250, 250, 249, 248, 247, 247, 246, 245, 245, 244, 243, 243, 242, 242, 241,
    240, 240, 239, 238, 238, 237, 236, 236, 235, 234, 234, 233, 232, 232, 231, 231, 230, 229, 229, 228, 227, 227,
    226, 226, 225, 224, 224, 223, 223, 222, 221, 221, 220, 220, 219, 218, 218, 217, 217, 216, 215, 215, 214, 214,
    213, 213, 212, 211, 211, 210, 210, 209, 209, 208, 207, 207, 206, 206, 205, 205, 204, 203, 203, 202, 202, 201,
    201, 200, 200, 199, 199, 198, 197, 197, 196, 196, 195, 195, 194, 194, 193, 193, 192, 192, 191, 191, 190, 190,
    189, 189, 188, 188, 187, 187, 186, 185, 185, 184, 184, 183, 183, 182, 182, 181, 181, 181, 180, 180, 179, 179,
    178, 178, 177, 177, 176, 176, 175, 175, 174, 174, 173, 173, 172, 172, 171, 171, 170, 170, 170, 169, 169, 168,
    168, 167, 167, 166, 166, 165, 165, 165, 164, 164, 163, 163, 162, 162, 161, 161, 161, 160, 160, 159, 159, 158,
    158, 158, 157, 157, 156, 156, 155, 155, 155, 154, 154, 153, 153, 152, 152, 152, 151, 151, 150, 150, 150, 149,
    149, 148, 148, 148, 147, 147, 146, 146, 146, 145, 145, 144, 144, 144, 143, 143, 142, 142, 142, 141, 141, 140,
    140, 140, 139, 139, 139, 138, 138, 137, 137, 137, 136, 136, 136, 135, 135, 134, 134, 134, 133, 133, 133, 132,
    132, 132, 131, 131, 131, 130, 130, 129, 129, 129, 128, 128, 128, 127,
};

/* 64 * 2^(i/256), rounded down from three quarters on up. */
static const uint8_t power[256] = {
    64,  64,  64,  64,  64,  65,  65,  65,  65,  65,  66,  66,  66,  66,  66,  66,  67,  67,  67,  67,  67,  67,
    68,  68,  68,  68,  68,  69,  69,  69,  69,  69,  70,  70,  70,  70,  70,  70,  71,  71,  71,  71,  71,  72,
    72,  72,  72,  72,  73,  73,  73,  73,  73,  74,  74,  74,  74,  74,  75,  75,  75,  75,  75,  76,  76,  76,
    76,  76,  77,  77,  77,  77,  78,  78,  78,  78,  78,  79,  79,  79,  79,  79,  80,  80,  80,  80,  81,  81,
    81,  81,  81,  82,  82,  82,  82,  83,  83,  83,  83,  83,  84,  84,  84,  84,  85,  85,  85,  85,  85,  86,
    86,  86,  86,  87,  87,  87,  87,  88,  88,  88,  88,  89,  89,  89,  89,  90,  90,  90,  90,  91,  91,  91,
    91,  91,  92,  92,  92,  92,  93,  93,  93,  94,  94,  94,  94,  95,  95,  95,  95,  96,  96,  96,  96,  97,
    97,  97,  97,  98,  98,  98,  98,  99,  99,  99,  100, 100, 100, 100, 101, 101, 101, 101, 102, 102, 102, 103,
    103, 103, 103, 104, 104, 104, 105, 105, 105, 105, 106, 106, 106, 107, 107, 107, 107, 108, 108, 108, 109, 109,
    109, 109, 110, 110, 110, 111, 111, 111, 112, 112, 112, 112, 113, 113, 113, 114, 114, 114, 115, 115, 115, 116,
    116, 116, 116, 117, 117, 117, 118, 118, 118, 119, 119, 119, 120, 120, 120, 121, 121, 121, 122, 122, 122, 123,
    123, 123, 124, 124, 124, 125, 125, 125, 126, 126, 126, 127, 127, 127,
};

/* The logarithm of a length, in 256ths. */
static int logarithm_of(float length)
{
    uint32_t bits;
    memcpy(&bits, &length, 4);
    return ((int)(bits >> MANTISSA_BITS) - 127) * WHOLE + logarithm[bits >> (MANTISSA_BITS - LEVEL_BITS) & (WHOLE - 1)];
}

/* Cut toward zero; far away where the number is too large. */
static int in_256ths(float level)
{
    return (int)truncf(fminf(fmaxf(level, -0x1p16f), 0x1p16f) * WHOLE);
}

static int clamp_level(const struct texture *t, int level)
{
    int least = in_256ths(t->least_level), most = in_256ths(t->most_level), last = (t->level_count - 1) * WHOLE;
    level = level > most ? most : level;
    level = level < least ? least : level;
    return level < 0 ? 0 : level > last ? last : level;
}

/* ---- anisotropic filters ---- */

/* By half of the greatest ratio: its logarithm, in 256ths. */
static const int16_t ratio_limits[] = {0, 256, 512, 656, 768, 848, 912, 912, 1024};

/* Moves a level of detail toward whole numbers: with a slope of 3/2, 7/4 or 2 between them. */
static int sharpen(int level, int max_anisotropy)
{
    int slope = max_anisotropy < 4 ? 6 : max_anisotropy < 8 ? 7 : 8, start = (128 * slope - 512) / slope;
    int moved = (((level & (WHOLE - 1)) - start) * slope) >> 2;
    moved = moved < 0 ? 0 : moved > WHOLE ? WHOLE : moved;
    return (level & ~(WHOLE - 1)) + moved;
}

/* The direction of a vector, in 64ths: that of the middle of the square of which its components are, where the larger
 * one has four bits. */
static void find_direction(const float v[2], int direction[2])
{
    int major = fabsf(v[1]) > fabsf(v[0]), exponent;
    frexpf(v[major], &exponent);
    float unit = ldexpf(1, exponent - 4), x = floorf(fabsf(v[major]) / unit) + 0.5f, y = fabsf(v[!major]) / unit;
    y = y < 0.25f ? 0 : floorf(y) + 0.5f;
    if (y == 0)
        x = 1;
    double length = sqrt((double)(x * x + y * y));
    direction[major] = (int)floor(64 * (double)x / length + 0.5) * (v[major] < 0 ? -1 : 1);
    direction[!major] = (int)floor(64 * (double)y / length + 0.5) * (v[!major] < 0 ? -1 : 1);
}

static struct sampler_lod detail_along(const struct texture *t, const struct sampler_slopes *slopes)
{
    struct sampler_lod d = {.level = 0};
    float longest[3];
    int length = logarithm_of(sampler_longest(slopes, longest)), limit = ratio_limits[t->max_anisotropy / 2];
    int ratio = 2 * length - logarithm_of(sampler_area(slopes));
    ratio = ratio < 0 ? 0 : ratio > limit ? limit : ratio;
    int bias = in_256ths(t->level_bias), level = length - ratio + bias > 0 ? length - ratio : -bias;
    d.level = clamp_level(t, sharpen(level + bias, t->max_anisotropy));
    d.ratio = length > level ? length - level : 0;
    if (!t->filters_levels)
        d.level = (d.level + WHOLE / 2) & ~(WHOLE - 1);
    if (d.ratio)
        find_direction(longest, d.direction);
    return d;
}

struct sampler_spread sampler_find_spread(const struct sampler_lod *d, bool is_next)
{
    struct sampler_spread s = {.weight_bits = LEVEL_BITS};
    int between = d->level & (WHOLE - 1), ratio = is_next ? d->ratio + between - WHOLE : d->ratio;
    if (ratio <= 0)
        return s;
    for (int i = 0; i < 2; i++)
        s.step[i] = d->direction[i] * (is_next ? 64 : power[between]) / 64;
    int inverse = (inverse_power[ratio & (WHOLE - 1)] + 1) << 2 >> (ratio >> LEVEL_BITS); /* in 1024ths */
    if (inverse > 512) {
        s.pairs = 1;
        s.weight[0] = WHOLE / 2;
        s.offset[0] = WHOLE - (inverse >> 2);
        return s;
    }
    s.weight_bits = inverse > 256 ? 9 : 10;
    int weight = inverse >> (10 - s.weight_bits), left = 1 << (s.weight_bits - 1);
    for (; left > 0; s.pairs++, left -= weight) {
        s.weight[s.pairs] = left > weight ? weight : left;
        s.offset[s.pairs] = s.pairs * WHOLE + WHOLE / 2;
    }
    return s;
}

/* ---- levels ---- */

struct sampler_lod sampler_find_lod(const struct texture *t, const struct sampler_request *r)
{
    struct sampler_lod d = {.level = 0};
    if (r->detail == DETAIL_LEVEL) {
        float level;
        memcpy(&level, &r->level, 4);
        d.level = isnan(level) ? 0 : in_256ths(level);
    } else if (r->detail == DETAIL_GRADIENT) {
        struct sampler_slopes slopes = sampler_find_slopes(t, r);
        if (t->max_anisotropy > 1 && (r->shape.axes < 3 || r->shape.is_cube) && !slopes.crosses_edge)
            return detail_along(t, &slopes);
        d.level = logarithm_of(sampler_longest(&slopes, NULL));
    }
    if (r->detail != DETAIL_BASE)
        d.level += in_256ths(t->level_bias);
    if (t->max_anisotropy > 1)
        d.level = sharpen(d.level, t->max_anisotropy);
    d.level = clamp_level(t, d.level);
    return d;
}
