/* Cube maps: which face a direction meets, and where. */
#ifndef HEDDLE_EXEC_SAMPLER_CUBE_H
#define HEDDLE_EXEC_SAMPLER_CUBE_H

#include <stdint.h>

/* A place on a face. Positions are parts of the face's extent, from 0 to 1. */
struct cube_place {
    int face; /* +x, -x, +y, -y, +z, -z */
    double x, y;
};

struct cube_place cube_find(const float direction[3]);
/* The texel that stands beside (x, y) of a face when faces are joined; one of x and y is one step outside the face. */
void cube_step_over(int *face, int64_t *x, int64_t *y, int64_t extent);

#endif
