/*
 * Derivatives in texels, as an NVIDIA H200 handles them. They have ten significant bits. A product of two such numbers
 * leaves out the six lowest columns of the partial products and adds 7/8 of the last place instead; a sum keeps one bit
 * more of the smaller number. The length of a derivative is estimated from its components: all of the largest, 11/32 of
 * the next, a quarter of the third. Each of these products is rounded half up to a number of bits of its own.
 *
 * The texture unit takes derivatives of 1D and 2D textures only, and with no depth to compare. For other fetches, the
 * driver fetches at the position and at two neighbours, which are the sums of position and derivatives, rounded to
 * single precision; what the unit then takes for derivatives are the differences of these positions.
 */
#include "image/sampler_slope.h"

#include "image/sampler_cube.h"

#include <math.h>
#include <string.h>

enum { SLOPE_BITS = 10, DROPPED_COLUMNS = 6 };

/* ---- numbers of ten bits ---- */

/* Ten significant bits, cut toward zero. NaN and subnormal numbers are 0. */
static float cut(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-126)
        return 0;
    if (isinf(x))
        return (float)x;
    int exponent;
    double m = frexp(x, &exponent);
    return (float)ldexp(trunc(ldexp(m, SLOPE_BITS)), exponent - SLOPE_BITS);
}

/* The ten bits of a number that is neither 0 nor infinite, without its sign. */
static int mantissa_of(float x, int *exponent)
{
    return (int)ldexpf(frexpf(fabsf(x), exponent), SLOPE_BITS);
}

static float multiply(float a, float b)
{
    if (a == 0 || b == 0)
        return 0;
    if (isinf(a) || isinf(b))
        return a * b;
    int ea, eb, ma = mantissa_of(a, &ea), mb = mantissa_of(b, &eb);
    int sum = 7 << DROPPED_COLUMNS;
    for (int i = 0; i < SLOPE_BITS; i++)
        if (ma >> i & 1) {
            int dropped = i < DROPPED_COLUMNS ? DROPPED_COLUMNS - i : 0;
            sum += mb >> dropped << dropped << i;
        }
    float product = cut(ldexp(sum >> (SLOPE_BITS - 1), ea + eb - SLOPE_BITS - 1));
    return (a < 0) != (b < 0) ? -product : product;
}

static float add(float a, float b)
{
    float large = fabsf(a) >= fabsf(b) ? a : b, small = fabsf(a) >= fabsf(b) ? b : a;
    if (small == 0 || isinf(large))
        return isinf(small) && (large < 0) != (small < 0) ? 0 : large;
    int exponent;
    frexpf(large, &exponent);
    double unit = ldexp(1, exponent - SLOPE_BITS - 1);
    return cut((double)large + trunc((double)small / unit) * unit);
}

/* A factor: numerator / 2^(shift + places). The product has so many places behind those of the number; it is rounded
 * half up where `half` is half of the last place, and else down. */
struct factor {
    int numerator, half, shift, places;
};

static const struct factor second_part = {11, 4, 3, 2}, third_part = {1, 0, 1, 1};
static const struct factor sum_part = {11, 4, 3, 1}, sum_second_part = {121, 32, 6, 3}, sum_third_part = {11, 4, 3, 3};

static float scale(float x, const struct factor *f)
{
    if (x == 0 || isinf(x))
        return x;
    int exponent, mantissa = mantissa_of(x, &exponent);
    int product = (mantissa * f->numerator + f->half) >> f->shift;
    return copysignf(ldexpf((float)product, exponent - SLOPE_BITS - f->places), x);
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
    return isinf(part[0]) ? part[0] : part[0] + scale(part[1], &second_part) + scale(part[2], &third_part);
}

/* 11/16 of a vector's length. */
static float scaled_length(const float v[3])
{
    float part[3];
    sort_components(v, part);
    if (isinf(part[0]))
        return part[0];
    return cut((double)scale(part[0], &sum_part)) + scale(part[1], &sum_second_part) + scale(part[2], &sum_third_part);
}

/* Of lengths that agree in ten bits, the first derivative's goes first, then that of the sum, of the second derivative,
 * and of the difference. Between derivatives that end on different faces of a cube map, sum and difference do not
 * count. */
float sampler_longest(const struct sampler_slopes *s, float longest[3])
{
    float v[4][3], length[4];
    for (int i = 0; i < 3; i++) {
        v[0][i] = s->slope[0][i];
        v[1][i] = add(s->slope[0][i], s->slope[1][i]);
        v[2][i] = s->slope[1][i];
        v[3][i] = add(s->slope[0][i], -s->slope[1][i]);
    }
    int best = 0;
    for (int k = 0; k < 4; k++) {
        bool is_sum = k & 1;
        length[k] = !is_sum ? length_of(v[k]) : s->crosses_edge ? 0 : scaled_length(v[k]);
        if (cut((double)length[k]) > cut((double)length[best]))
            best = k;
    }
    for (int i = 0; longest && i < 3; i++)
        longest[i] = best & 1 ? cut((double)scale(v[best][i], &sum_part)) : v[best][i];
    return length[best];
}

float sampler_area(const struct sampler_slopes *s)
{
    const float *a = s->slope[0], *b = s->slope[1];
    return fabsf(add(multiply(a[0], b[1]), -multiply(a[1], b[0])));
}

/* ---- derivatives ---- */

static float number_or_0(float x)
{
    return isnan(x) ? 0 : x;
}

/* The difference between a position and the neighbour that the driver fetches at; infinite if the position in texels
 * is too large for a number. */
static double difference(uint32_t position, float derivative, float extent)
{
    float x;
    memcpy(&x, &position, 4);
    if (isinf(x * extent))
        return INFINITY;
    return (double)number_or_0(x + derivative) - (double)number_or_0(x);
}

struct sampler_slopes sampler_find_slopes(const struct texture *t, const struct sampler_request *r)
{
    const struct texture_level *l = &t->level[0];
    const float extent[3] = {(float)l->width, (float)(l->height ? l->height : 1), (float)(l->depth ? l->depth : 1)};
    struct sampler_slopes s = {.crosses_edge = false};
    if (r->shape.is_cube) {
        float direction[3];
        double slope[2][2];
        memcpy(direction, r->coordinate, sizeof direction);
        s.crosses_edge = cube_find_slopes(direction, r->gradient, slope);
        for (int d = 0; d < 2; d++)
            for (int i = 0; i < 2; i++)
                s.slope[d][i] = multiply(cut(slope[d][i]), extent[0]);
        return s;
    }
    for (int i = 0; i < r->shape.axes; i++)
        for (int d = 0; d < 2; d++) {
            double x = r->has_neighbours ? difference(r->coordinate[i], r->gradient[d][i], extent[i])
                                         : (double)r->gradient[d][i];
            s.slope[d][i] = t->normalized_coordinates ? multiply(cut(x), cut((double)extent[i])) : cut(x);
        }
    return s;
}
