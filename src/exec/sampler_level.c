/*
 * Levels of detail, as an NVIDIA H200 takes them from derivatives.
 *
 * Derivatives in texels have ten significant bits. The length of one is estimated from its components: all of the
 * largest, 11/32 of the next, a quarter of the third. The level is the logarithm of the longest of four: of both
 * derivatives, and of 11/16 of their sum and of their difference. Each product is rounded half up to a number of bits
 * of its own.
 *
 * The texture unit takes derivatives of 1D and 2D textures only. For 3D textures and cube maps, the driver fetches at
 * the position and at two neighbours, which are the sums of position and derivatives, rounded to single precision;
 * what the unit then takes for derivatives are the differences of these positions.
 */
#include "exec/sampler_level.h"

#include "exec/sampler_cube.h"

#include <math.h>
#include <string.h>

enum { LEVEL_BITS = 8, WHOLE = 1 << LEVEL_BITS, MANTISSA_BITS = 23, SLOPE_BITS = 10 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

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

/* The logarithm of a length in texels, in 256ths. */
static int level_of_length(float length)
{
    uint32_t bits = bits_of(length);
    return ((int)(bits >> MANTISSA_BITS) - 127) * WHOLE + logarithm[bits >> (MANTISSA_BITS - LEVEL_BITS) & (WHOLE - 1)];
}

/* ---- numbers of ten bits ---- */

/* Ten significant bits, cut toward zero. NaN and subnormal numbers are 0. */
static float cut_slope(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-126)
        return 0;
    float single = (float)x;
    uint32_t bits = bits_of(single) & ~((UINT32_C(1) << (MANTISSA_BITS + 1 - SLOPE_BITS)) - 1);
    memcpy(&single, &bits, 4);
    return single;
}

/* A factor: numerator / 2^(shift + places). The product has so many places behind those of the number. */
struct factor {
    int numerator, shift, places;
};

static const struct factor second_part = {11, 3, 2}, third_part = {1, 0, 2};
static const struct factor sum_part = {11, 3, 1}, sum_second_part = {121, 6, 3}, sum_third_part = {11, 3, 3};

/* The product of a number of ten bits and a factor, rounded half up. */
static float multiply(float x, const struct factor *f)
{
    if (x == 0 || isinf(x))
        return x;
    int exponent;
    int mantissa = (int)ldexpf(frexpf(x, &exponent), SLOPE_BITS);
    int product = (mantissa * f->numerator + (1 << f->shift >> 1)) >> f->shift;
    return ldexpf((float)product, exponent - SLOPE_BITS - f->places);
}

/* ---- lengths ---- */

/* The absolute values of the components, the largest first. */
static void sort_components(const float v[3], float sorted[3])
{
    float a = fabsf(v[0]), b = fabsf(v[1]), c = fabsf(v[2]);
    sorted[0] = fmaxf(fmaxf(a, b), c);
    sorted[2] = fminf(fminf(a, b), c);
    sorted[1] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

static float length_of(const float v[3])
{
    float part[3];
    sort_components(v, part);
    return isinf(part[0]) ? part[0] : part[0] + multiply(part[1], &second_part) + multiply(part[2], &third_part);
}

/* 11/16 of the length of the sum of two derivatives; `sign` is -1 for their difference. */
static float length_of_sum(const float a[3], const float b[3], float sign)
{
    float sum[3], part[3];
    for (int i = 0; i < 3; i++)
        sum[i] = cut_slope((double)a[i] + (double)(sign * b[i]));
    sort_components(sum, part);
    if (isinf(part[0]))
        return part[0];
    return cut_slope((double)multiply(part[0], &sum_part)) + multiply(part[1], &sum_second_part) +
           multiply(part[2], &sum_third_part);
}

/* ---- derivatives ---- */

/* Two derivatives in texels of the first level. */
struct slopes {
    float slope[2][3];
    bool crosses_edge; /* of a cube map */
};

static float position_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return isnan(x) ? 0 : x;
}

/* The difference between a position and the neighbour that the driver fetches at. */
static double difference(float x, float derivative)
{
    float neighbour = x + derivative;
    return (double)(isnan(neighbour) ? 0 : neighbour) - (double)x;
}

static struct slopes find_slopes(const struct texture *t, const struct sampler_request *r)
{
    const struct texture_level *l = &t->level[0];
    const float extent[3] = {(float)l->width, (float)(l->height ? l->height : 1), (float)(l->depth ? l->depth : 1)};
    struct slopes s = {.crosses_edge = false};
    if (r->shape.is_cube) {
        float direction[3];
        double slope[2][2];
        memcpy(direction, r->coordinate, sizeof direction);
        s.crosses_edge = cube_find_slopes(direction, r->gradient, slope);
        for (int d = 0; d < 2; d++)
            for (int i = 0; i < 2; i++)
                s.slope[d][i] = cut_slope(slope[d][i] * (double)extent[0]);
        return s;
    }
    for (int i = 0; i < r->shape.axes; i++)
        for (int d = 0; d < 2; d++) {
            double x = r->shape.axes == 3 ? difference(position_of(r->coordinate[i]), r->gradient[d][i])
                                          : (double)r->gradient[d][i];
            s.slope[d][i] = cut_slope(t->normalized_coordinates ? x * (double)extent[i] : x);
        }
    return s;
}

/* ---- levels ---- */

/* Between derivatives that end on different faces, sum and difference do not count. */
static int gradient_level(const struct texture *t, const struct sampler_request *r)
{
    struct slopes s = find_slopes(t, r);
    const float *a = s.slope[0], *b = s.slope[1];
    float length = fmaxf(length_of(a), length_of(b));
    if (!s.crosses_edge)
        length = fmaxf(length, fmaxf(length_of_sum(a, b, 1), length_of_sum(a, b, -1)));
    return level_of_length(length);
}

/* Cut toward zero; far away where the number is too large. */
static int in_256ths(float level)
{
    return (int)truncf(fminf(fmaxf(level, -0x1p16f), 0x1p16f) * WHOLE);
}

int sampler_level(const struct texture *t, const struct sampler_request *r)
{
    int detail = 0;
    if (r->detail == DETAIL_LEVEL) {
        float level;
        memcpy(&level, &r->level, 4);
        detail = isnan(level) ? 0 : in_256ths(level);
    } else if (r->detail == DETAIL_GRADIENT) {
        detail = gradient_level(t, r);
    }
    if (r->detail != DETAIL_BASE)
        detail += in_256ths(t->level_bias);
    int least = in_256ths(t->least_level), most = in_256ths(t->most_level), last = (t->level_count - 1) * WHOLE;
    detail = detail > most ? most : detail;
    detail = detail < least ? least : detail;
    return detail < 0 ? 0 : detail > last ? last : detail;
}
