/*
 * Faces of cube maps. The axis with the largest component chooses the face; of equal ones z goes before y, and y
 * before x. A component that is not a number counts as 0. With an infinite component the H200 takes the middle of a
 * face: of +z if x or y is infinite, else of +y. Of directions to an edge of the cube, the H200 moves 1 of 10 just
 * inside the face.
 */
#include "exec/sampler_cube.h"

#include <math.h>

/* By face: the axes that run along its rows and columns, and their signs. */
static const struct {
    int8_t major, major_sign, x, x_sign, y, y_sign;
} faces[] = {
    {0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
    {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1},
};

struct cube_place cube_find(const float direction[3])
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = isnan(direction[i]) ? 0 : (double)direction[i];
    if (isinf(d[0]) || isinf(d[1]) || isinf(d[2]))
        return (struct cube_place){.face = isinf(d[0]) || isinf(d[1]) ? 4 : 2, .x = 0.5, .y = 0.5};
    int major = fabs(d[2]) >= fabs(d[0]) && fabs(d[2]) >= fabs(d[1]) ? 2 : fabs(d[1]) >= fabs(d[0]);
    struct cube_place p = {.face = 2 * major + (signbit(d[major]) != 0), .x = 0.5, .y = 0.5};
    double length = fabs(d[major]);
    if (length > 0) {
        p.x = d[faces[p.face].x] * faces[p.face].x_sign / length * 0.5 + 0.5;
        p.y = d[faces[p.face].y] * faces[p.face].y_sign / length * 0.5 + 0.5;
    }
    return p;
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
