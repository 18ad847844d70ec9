/*
 * Faces of cube maps. As compiled for an H200, a direction is multiplied by the approximate reciprocal of its largest
 * component before the texture unit sees it; the unit takes the result for a point of the cube's surface, though its
 * largest component may be some units in the last place beside 1. The axis with the largest component chooses the face;
 * of equal ones z goes before y, and y before x. Infinity times 0 is NaN, which is never the largest and counts as 0.
 */
#include "image/sampler_cube.h"

#include "lanes/special.h"

#include <math.h>
#include <string.h>

/* By face: the axes that run along its rows and columns, and their signs. */
static const struct {
    int8_t major, major_sign, x, x_sign, y, y_sign;
} faces[] = {
    {0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
    {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1},
};

static float reciprocal(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t at = special_rcp_reduce(bits);
    int64_t value = special_curve(&special_rcp_table[at >> 17], at & 0x1ffff, 8093) >> 17;
    bits = special_rcp_finish(bits, (uint32_t)value);
    memcpy(&x, &bits, 4);
    return x;
}

/* The size of a component; NaN is smaller than all others. */
static float magnitude(float x)
{
    return isnan(x) ? -1 : fabsf(x);
}

/* Moves a direction to the cube's surface, and returns its face. */
static int meet_face(const float direction[3], float d[3])
{
    float scale = reciprocal(fmaxf(fmaxf(fabsf(direction[0]), fabsf(direction[1])), fabsf(direction[2])));
    for (int i = 0; i < 3; i++)
        d[i] = direction[i] * scale;
    float x = magnitude(d[0]), y = magnitude(d[1]), z = magnitude(d[2]);
    int major = z >= x && z >= y ? 2 : y >= x;
    int face = 2 * major + (d[major] < 0);
    for (int i = 0; i < 3; i++)
        d[i] = isnan(d[i]) || fabsf(d[i]) < 0x1p-126f ? 0 : d[i];
    return face;
}

/* From -1 to 1, to a part of the extent, which is rounded down. */
static int64_t fixed_part(float x, int sign)
{
    float inside = fminf(fmaxf(x * (float)sign, -1), 1);
    return (int64_t)floorf(ldexpf(inside, CUBE_FRACTION_BITS - 1)) + (INT64_C(1) << (CUBE_FRACTION_BITS - 1));
}

struct cube_place cube_find(const float direction[3])
{
    float d[3];
    int face = meet_face(direction, d);
    return (struct cube_place){.face = face,
                               .x = fixed_part(d[faces[face].x], faces[face].x_sign),
                               .y = fixed_part(d[faces[face].y], faces[face].y_sign)};
}

/* ---- derivatives ---- */

/* Ten significant bits of a distance to an edge, from where a component has this value; 0 if it is beyond the edge. */
static double edge_distance(double component)
{
    int exponent;
    double m = frexp(fmax(1 - component, 0), &exponent);
    return ldexp(trunc(ldexp(m, 10)), exponent - 10);
}

bool cube_find_slopes(const float direction[3], const float derivative[2][3], double slope[2][2])
{
    float from[3], to[3], neighbour[3];
    int face = meet_face(direction, from);
    bool crosses = false;
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 3; i++)
            neighbour[i] = direction[i] + derivative[n][i];
        int other = meet_face(neighbour, to);
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = (double)to[i] - (double)from[i];
        int major = faces[face].major, outer = faces[other].major;
        if (other != face) { /* the way to the edge, and on from there */
            int sign = faces[other].major_sign;
            d[outer] = sign * (edge_distance((double)from[outer] * sign) +
                               edge_distance((double)to[major] * faces[face].major_sign));
            crosses = true;
            if (outer == major) /* the opposite face: farther than all others */
                d[faces[face].x] = d[faces[face].y] = INFINITY;
        }
        slope[n][0] = d[faces[face].x] * faces[face].x_sign * 0.5;
        slope[n][1] = d[faces[face].y] * faces[face].y_sign * 0.5;
    }
    return crosses;
}

/* Texel numbers are mapped to odd numbers from 1 - n to n - 1, the middle of the face being 0, so that the step
 * over the edge is a turn of integer coordinates in space. */
void cube_step_over(int *face, int64_t *x, int64_t *y, int64_t extent)
{
    int64_t at[3], n = extent;
    at[faces[*face].x] = (2 * *x + 1 - n) * faces[*face].x_sign;
    at[faces[*face].y] = (2 * *y + 1 - n) * faces[*face].y_sign;
    at[faces[*face].major] = n * faces[*face].major_sign;
    int outside = *x < 0 || *x >= n ? faces[*face].x : faces[*face].y;
    at[faces[*face].major] = (n - 1) * faces[*face].major_sign; /* the neighbour's texel next to the edge */
    int other = 2 * outside + (at[outside] < 0);
    *face = other;
    *x = (at[faces[other].x] * faces[other].x_sign + n - 1) / 2;
    *y = (at[faces[other].y] * faces[other].y_sign + n - 1) / 2;
}
