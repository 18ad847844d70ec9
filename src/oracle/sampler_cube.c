/*
 * The oracle's cube maps, as an NVIDIA H200 was seen to fetch from them: the compiled kernel divides a direction by its
 * largest component, approximately, and the texture unit takes what comes out for a point of the cube's surface.
 */
#include "oracle/sampler.h"

#include <math.h>
#include <string.h>

/* Directions of a face's centre, of its rows and of its columns. */
static const double face_axes[6][3][3] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The face with the largest component, of those that are numbers: of equal ones, z goes before y and y before x. */
static int face_of(const double d[3])
{
    int axis = 2;
    for (int i = 1; i >= 0; i--)
        if (!isnan(d[i]) && (isnan(d[axis]) || fabs(d[i]) > fabs(d[axis])))
            axis = i;
    return 2 * axis + (d[axis] < 0 ? 1 : 0);
}

/* The point of the cube's surface in a direction; returns its face. */
static int project(const float direction[3], double point[3])
{
    float largest = 0;
    for (int i = 0; i < 3; i++)
        largest = fabsf(direction[i]) > largest ? fabsf(direction[i]) : largest;
    float scale = oracle_special(OP_RCP_APPROX, true, largest);
    for (int i = 0; i < 3; i++)
        point[i] = (double)(direction[i] * scale);
    int face = face_of(point);
    for (int i = 0; i < 3; i++)
        point[i] = isnan(point[i]) || fabs(point[i]) < 0x1p-126 ? 0 : point[i];
    return face;
}

int oracle_meet_face(const struct oracle_fetch *f, double at[2])
{
    float direction[3];
    double point[3];
    memcpy(direction, f->coordinate, sizeof direction);
    int face = project(direction, point);
    for (int i = 0; i < 2; i++)
        at[i] = floor(fmin(fmax(dot(point, face_axes[face][i + 1]), -1), 1) * 0x1p20) / 0x1p21 + 0.5;
    return face;
}

/* ---- derivatives ---- */

/* What is left up to an edge, which is at 1, with ten significant bits. */
static double left_before_edge(double at)
{
    double left = at < 1 ? 1 - at : 0;
    int exponent;
    double fraction = frexp(left, &exponent);
    return ldexp(floor(ldexp(fraction, 10)), exponent - 10);
}

bool oracle_cube_slopes(const struct oracle_fetch *f, double slope[2][2])
{
    float direction[3], moved[3];
    double here[3], there[3];
    bool stays = true;
    memcpy(direction, f->coordinate, sizeof direction);
    const int face = project(direction, here);
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 3; i++)
            moved[i] = direction[i] + f->gradient[n][i];
        const int other = project(moved, there);
        const bool is_opposite = dot(face_axes[face][0], face_axes[other][0]) < 0;
        stays &= other == face;
        for (int i = 0; i < 2; i++) {
            const double *along = face_axes[face][i + 1];
            double side = dot(along, face_axes[other][0]); /* 1 or -1: the other face lies beyond this edge */
            double way = dot(there, along) - dot(here, along);
            if (side != 0)
                way = side *
                      (left_before_edge(side * dot(here, along)) + left_before_edge(dot(there, face_axes[face][0])));
            slope[n][i] = is_opposite ? INFINITY : way / 2;
        }
    }
    return stays;
}

/* ---- filters that go on ---- */

void oracle_go_on(int *face, int64_t *x, int64_t *y, int64_t size)
{
    double s = (2 * (double)*x + 1) / (double)size - 1, t = (2 * (double)*y + 1) / (double)size - 1, d[3];
    bool is_corner = fabs(s) > 1 && fabs(t) > 1;
    if (fabs(s) < 1 && fabs(t) < 1)
        return;
    if (is_corner) {
        *x = *x < 0 ? 0 : size - 1;
        *y = *y < 0 ? 0 : size - 1;
        return;
    }
    /* Over the edge, the outer component is 1, and the depth that of the row next to the edge. */
    double depth = 1 - 1 / (double)size;
    for (int i = 0; i < 3; i++)
        d[i] = depth * face_axes[*face][0][i] + fmin(fmax(s, -1), 1) * face_axes[*face][1][i] +
               fmin(fmax(t, -1), 1) * face_axes[*face][2][i];
    *face = face_of(d);
    *x = (int64_t)floor((dot(d, face_axes[*face][1]) * 0.5 + 0.5) * (double)size);
    *y = (int64_t)floor((dot(d, face_axes[*face][2]) * 0.5 + 0.5) * (double)size);
}
