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

/* The largest multiple of 2^(exponent - bits) up to a positive number below 2^exponent; with `half`, the nearest. */
static double keep_bits(double x, int bits, bool nearest, double scale)
{
    int exponent;
    frexp(x, &exponent);
    double unit = ldexp(1, exponent - bits);
    return floor(x * scale / unit + (nearest ? 0.5 : 0)) * unit;
}

/* Ten significant bits, without the sign's influence. */
static double ten_bits(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-126)
        return 0;
    return isinf(x) ? x : copysign(keep_bits(fabs(x), 10, false, 1), x);
}

/* A part of a number of ten bits, with so many bits. */
static double part_of(double x, double part, int bits)
{
    return x == 0 ? 0 : keep_bits(x, bits, true, part);
}

/* Estimates the length of a vector; `of_sum`: 11/16 of it. */
static double estimate_length(const double v[3], bool of_sum)
{
    double size[3], large = 0, small = INFINITY, sum = 0;
    for (int i = 0; i < 3; i++) {
        size[i] = fabs(v[i]);
        large = fmax(large, size[i]);
        small = fmin(small, size[i]);
        sum += size[i];
    }
    if (isinf(large))
        return large;
    double middle = sum - large - small;
    if (of_sum)
        return ten_bits(part_of(large, 11 / 16.0, 11)) + part_of(middle, 121 / 512.0, 13) +
               part_of(small, 11 / 64.0, 13);
    return large + part_of(middle, 11 / 32.0, 12) + part_of(small, 1 / 4.0, 12);
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
            slope[i / 2][i % 2] = ten_bits(on_face[i / 2][i % 2] * size[0]);
        return stays;
    }
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < f->shape.axes; i++) {
            double step = (double)f->gradient[d][i];
            if (f->shape.axes == 3) { /* the driver moves the position itself */
                float at, moved;
                memcpy(&at, &f->coordinate[i], sizeof at);
                at = isnan(at) ? 0 : at;
                moved = at + f->gradient[d][i];
                step = isnan(moved) ? (double)-at : (double)moved - (double)at;
            }
            slope[d][i] = ten_bits(step * (f->texture->normalized_coordinates ? size[i] : 1));
        }
    return true;
}

/* The longest of both derivatives and, unless a cube's edge is between, of 11/16 of their sum and difference. */
static int gradient_detail(const struct oracle_fetch *f)
{
    double slope[2][3], both[3], longest = 0;
    bool has_sums = find_slopes(f, slope);
    for (int d = 0; d < 2; d++)
        longest = fmax(longest, estimate_length(slope[d], false));
    for (int sign = -1; has_sums && sign <= 1; sign += 2) {
        for (int i = 0; i < 3; i++)
            both[i] = ten_bits(slope[0][i] + sign * slope[1][i]);
        longest = fmax(longest, estimate_length(both, true));
    }
    if (isinf(longest) || longest == 0)
        return longest > 0 ? 128 * 256 : -127 * 256;
    int exponent = ilogb(longest);
    return exponent * 256 + table_logarithm((int)floor((longest / exp2(exponent) - 1) * 256));
}

static int cut_detail(float level)
{
    return (int)trunc(fmin(fmax((double)level, -65536), 65536) * 256);
}

int oracle_detail(const struct oracle_fetch *f)
{
    const struct texture *t = f->texture;
    float named;
    memcpy(&named, &f->level, sizeof named);
    int detail = f->has_level ? isnan(named) ? 0 : cut_detail(named) : f->has_gradient ? gradient_detail(f) : 0;
    if (f->has_level || f->has_gradient)
        detail += cut_detail(t->level_bias);
    if (detail > cut_detail(t->most_level))
        detail = cut_detail(t->most_level);
    if (detail < cut_detail(t->least_level))
        detail = cut_detail(t->least_level);
    int last = (t->level_count - 1) * 256;
    return detail < 0 ? 0 : detail > last ? last : detail;
}
