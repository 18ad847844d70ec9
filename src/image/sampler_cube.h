/* Cube maps: which face a direction meets, and where. */
#ifndef HEDDLE_IMAGE_SAMPLER_CUBE_H
#define HEDDLE_IMAGE_SAMPLER_CUBE_H

#include <stdbool.h>
#include <stdint.h>

/* A place on a face. Positions are parts of the face's extent, with CUBE_FRACTION_BITS bits behind the point. */
enum { CUBE_FRACTION_BITS = 21 };

struct cube_place {
    int face; /* +x, -x, +y, -y, +z, -z */
    int64_t x, y;
};

struct cube_place cube_find(const float direction[3]);
/* How far the place moves when a derivative is added to the direction, as a part of the face's extent. A neighbouring
 * face is taken as unfolded into the plane of the first. True: one of both ends on another face. */
bool cube_find_slopes(const float direction[3], const float derivative[2][3], double slope[2][2]);
/* The texel that stands beside (x, y) of a face when faces are joined; one of x and y is one step outside the face. */
void cube_step_over(int *face, int64_t *x, int64_t *y, int64_t extent);

#endif
