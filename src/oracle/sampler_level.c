/*
 * The oracle's levels of detail, as an NVIDIA H200 was seen to take them, in double precision.
 */
#include "oracle/sampler.h"

#include <math.h>
#include <string.h>

/* The H200's logarithms of 1 to 2 in 256 steps, in 256ths: those of the middles of the steps, rounded; in some
 * steps one less. */
static int table_logarithm(int step)
{
    static const uint8_t less[] = {0, 61, 86, 108, 109, 110, 111, 115, 116, 117, 141, 162, 170, 255};
    int rounded = (int)floor(log2(1 + (step + 0.5) / 256) * 256 + 0.5);
    for (size_t i = 0; i < sizeof less; i++)
        rounded -= less[i] == step;
    return rounded;
}

/* ---- numbers of ten bits ---- */

/* A part of a positive number as a multiple of 2^-bits of the power of two above the number, `nearest` or below. */
static double part_of(double x, double part, int bits, bool nearest)
{
    if (x == 0)
        return 0;
    int exponent;
    frexp(x, &exponent);
    double unit = ldexp(1, exponent - bits);
    return floor(x * part / unit + (nearest ? 0.5 : 0)) * unit;
}

/* Ten significant bits, cut. */
static double ten_bits(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-126)
        return 0;
    return isinf(x) ? x : copysign(part_of(fabs(x), 1, 10, false), x);
}

/* The product of two numbers of ten bits. Products of two bits that count less than 64 are not added up; in their place
 * stand 448, which is 7/8 of the last place that is kept. */
static double product_of(double a, double b)
{
    if (a == 0 || b == 0)
        return 0;
    if (isinf(a) || isinf(b))
        return a * b;
    int exponent[2];
    unsigned m = (unsigned)ldexp(frexp(fabs(a), &exponent[0]), 10),
             n = (unsigned)ldexp(frexp(fabs(b), &exponent[1]), 10);
    double sum = 448;
    for (int i = 0; i < 10; i++)
        for (int j = i < 6 ? 6 - i : 0; j < 10; j++)
            sum += (m >> i & 1) && (n >> j & 1) ? ldexp(1, i + j) : 0;
    return copysign(ten_bits(ldexp(floor(sum / 512), exponent[0] + exponent[1] - 11)), a * b);
}

/* The sum of two numbers of ten bits: of the smaller, one bit more counts than of the larger. */
static double sum_of(double a, double b)
{
    double large = fabs(b) > fabs(a) ? b : a, small = a + b - large;
    if (isinf(large))
        return isinf(a) && isinf(b) && a != b ? 0 : large;
    if (large == 0)
        return 0;
    double unit = ldexp(1, ilogb(large) - 10);
    return ten_bits(large + trunc(small / unit) * unit);
}

/* ---- lengths ---- */

/* Estimates the length of a vector; `of_sum`: 11/16 of it. */
static double estimate_length(const double v[3], bool of_sum)
{
    double large = 0, small = INFINITY, sum = 0;
    for (int i = 0; i < 3; i++) {
        large = fmax(large, fabs(v[i]));
        small = fmin(small, fabs(v[i]));
        sum += fabs(v[i]);
    }
    if (isinf(large))
        return large;
    double middle = sum - large - small;
    if (of_sum)
        return ten_bits(part_of(large, 11 / 16.0, 11, true)) + part_of(middle, 121 / 512.0, 13, true) +
               part_of(small, 11 / 64.0, 13, true);
    return large + part_of(middle, 11 / 32.0, 12, true) + part_of(small, 1 / 4.0, 11, false);
}

/* By how many texels the position moves along the axes; false: the place leaves the face of a cube. */
static bool find_slopes(const struct oracle_fetch *f, double slope[2][3])
{
    const struct texture_level *l = &f->texture->level[0];
    const double size[3] = {l->width, l->height ? l->height : 1, l->depth ? l->depth : 1};
    memset(slope, 0, sizeof(double[2][3]));
    if (f->shape.is_cube) {
        double on_face[2][2];
        bool stays = oracle_cube_slopes(f, on_face);
        for (int i = 0; i < 4; i++)
            slope[i / 2][i % 2] = product_of(ten_bits(on_face[i / 2][i % 2]), size[0]);
        return stays;
    }
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < f->shape.axes; i++) {
            double step = (double)f->gradient[d][i];
            if (f->shape.axes == 3 || f->has_depth) { /* the driver moves the position itself */
                float at, moved;
                memcpy(&at, &f->coordinate[i], sizeof at);
                moved = at + f->gradient[d][i];
                step = (isnan(moved) ? 0 : (double)moved) - (isnan(at) ? 0 : (double)at);
                if (fabs((double)at * size[i]) >= 0x1p128) /* no number of texels */
                    step = INFINITY;
            }
            slope[d][i] =
                f->texture->normalized_coordinates ? product_of(ten_bits(step), ten_bits(size[i])) : ten_bits(step);
        }
    return true;
}

/* The logarithm of a length in 256ths. */
static int logarithm(double length)
{
    if (isinf(length) || length == 0)
        return length > 0 ? 128 * 256 : -127 * 256;
    int exponent = ilogb(length);
    return exponent * 256 + table_logarithm((int)floor((length / exp2(exponent) - 1) * 256));
}

/* The longest of both derivatives and, unless a cube's edge is between, of 11/16 of their sum and difference. Of
 * lengths that are equal in ten bits the earlier wins: first derivative, sum, second derivative, difference. */
static double find_longest(double slope[2][3], bool has_sums, double longest[3])
{
    double best = -1;
    for (int k = 0; k < 4; k++) {
        double v[3];
        bool is_sum = k == 1 || k == 3;
        if (is_sum && !has_sums)
            continue;
        for (int i = 0; i < 3; i++)
            v[i] = k == 0 ? slope[0][i] : k == 2 ? slope[1][i] : sum_of(slope[0][i], (2 - k) * slope[1][i]);
        double length = estimate_length(v, is_sum);
        if (ten_bits(length) <= ten_bits(best) && best >= 0)
            continue;
        best = length;
        for (int i = 0; i < 3; i++) {
            double part = isinf(v[i]) ? INFINITY : ten_bits(part_of(fabs(v[i]), 11 / 16.0, 11, true));
            longest[i] = is_sum ? copysign(part, v[i]) : v[i];
        }
    }
    return best;
}

/* ---- levels ---- */

static int cut_detail(float level)
{
    return (int)trunc(fmin(fmax((double)level, -65536), 65536) * 256);
}

static int keep_within(const struct texture *t, int detail)
{
    if (detail > cut_detail(t->most_level))
        detail = cut_detail(t->most_level);
    if (detail < cut_detail(t->least_level))
        detail = cut_detail(t->least_level);
    int last = (t->level_count - 1) * 256;
    return detail < 0 ? 0 : detail > last ? last : detail;
}

/* Anisotropic textures prefer whole levels: what is between two is stretched around its middle. */
static int prefer_whole(const struct texture *t, int detail)
{
    if (t->max_anisotropy < 2)
        return detail;
    double slope = t->max_anisotropy < 4 ? 1.5 : t->max_anisotropy < 8 ? 1.75 : 2, start = floor(128 - 128 / slope);
    int whole = (int)floor(detail / 256.0) * 256;
    return whole + (int)fmin(fmax(floor((detail - whole - start) * slope), 0), 256);
}

/* ---- anisotropic filters ---- */

/* The logarithm of the greatest ratio, in steps of 1/16. A ratio of 14 counts as 12. */
static int greatest_ratio(int max_anisotropy)
{
    int even = max_anisotropy / 2 * 2;
    return (int)floor(log2(even == 14 ? 12 : even) * 16) * 16;
}

/* A unit vector, in 64ths: the components count as the middles of sixteenths of the power of two above the larger one.
 * A component below a quarter of a sixteenth is none. */
static void find_direction(const double v[2], double direction[2])
{
    double middle[2], large = fmax(fabs(v[0]), fabs(v[1])), unit = ldexp(1, ilogb(large) - 3);
    for (int i = 0; i < 2; i++)
        middle[i] = fabs(v[i]) < unit / 4 ? 0 : floor(fabs(v[i]) / unit) + 0.5;
    for (int i = 0; i < 2; i++)
        direction[i] = copysign(floor(middle[i] / hypot(middle[0], middle[1]) * 64 + 0.5) / 64, v[i]);
}

static struct oracle_detail anisotropic_detail(const struct texture *t, double slope[2][3], bool has_sums)
{
    struct oracle_detail d = {0};
    double longest[3];
    int length = logarithm(find_longest(slope, has_sums, longest));
    double area = fabs(sum_of(product_of(slope[0][0], slope[1][1]), -product_of(slope[0][1], slope[1][0])));
    int across = logarithm(area) - length;
    if (across > length)
        across = length;
    if (length - across > greatest_ratio(t->max_anisotropy))
        across = length - greatest_ratio(t->max_anisotropy);
    int bias = cut_detail(t->level_bias);
    if (across < -bias) /* the level of detail is 0 at least */
        across = -bias;
    d.level = keep_within(t, prefer_whole(t, across + bias));
    if (!t->filters_levels) /* the level is as near as one between levels can be */
        d.level = (d.level + 128) / 256 * 256;
    d.ratio = length > across ? length - across : 0;
    if (d.ratio)
        find_direction(longest, d.direction);
    return d;
}

struct oracle_detail oracle_find_detail(const struct oracle_fetch *f)
{
    const struct texture *t = f->texture;
    struct oracle_detail d = {0};
    float named;
    memcpy(&named, &f->level, sizeof named);
    if (f->has_level && !isnan(named))
        d.level = cut_detail(named);
    if (f->has_gradient) {
        double slope[2][3], longest[3];
        bool has_sums = find_slopes(f, slope);
        if (t->max_anisotropy > 1 && (f->shape.axes < 3 || f->shape.is_cube) && has_sums)
            return anisotropic_detail(t, slope, has_sums);
        d.level = logarithm(find_longest(slope, has_sums, longest));
    }
    if (f->has_level || f->has_gradient)
        d.level += cut_detail(t->level_bias);
    d.level = keep_within(t, prefer_whole(t, d.level));
    return d;
}

/* What a part of so many samples' weight is, counted from the middle. */
static int part_up_to(int weight, int part)
{
    return (int)floor(weight * part / 256.0 + 0.5);
}

int oracle_find_samples(const struct oracle_detail *d, bool above, int part,
                        struct oracle_sample sample[ORACLE_MAX_SAMPLES])
{
    int between = d->level % 256, ratio = above ? d->ratio - (256 - between) : d->ratio, count = 0;
    if (ratio <= 0) {
        sample[0] = (struct oracle_sample){.weight = part, .unit = 4};
        return 1;
    }
    double texels = above ? 1 : floor(exp2(between / 256.0) * 64 + 0.25) / 64, step[2];
    for (int i = 0; i < 2; i++)
        step[i] = trunc(texels * d->direction[i] * 64) / 64;
    int inverse = (int)floor(floor(exp2(-(ratio % 256) / 256.0) * 256 + 0.5) * 4 / exp2(ratio / 256));
    bool is_near = inverse > 512;
    int unit = is_near ? 4 : inverse > 256 ? 2 : 1, half = 512 / unit, each = is_near ? half : inverse / unit;
    for (int inner = 0; inner < half; inner += each) {
        int outer = inner + each < half ? inner + each : half,
            weight = part_up_to(outer, part) - part_up_to(inner, part);
        double way = is_near ? 1 - inverse / 4 / 256.0 : count / 2 + 0.5;
        for (int side = 0; side < 2; side++, count++) {
            sample[count] = (struct oracle_sample){.weight = weight, .unit = unit, .half = is_near ? side + 1 : 0};
            if (is_near && side)
                sample[count].weight = part - weight;
            for (int i = 0; i < 2; i++)
                sample[count].shift[i] = (side ? -way : way) * step[i];
        }
    }
    return count;
}
