/*
 * Diffusion on a grid of points, for the programs whose kernel `step` adds a tenth of the difference to each of a point's
 * six neighbours; verified against sums of differences in double precision.
 */
#ifndef HEDDLE_WORKLOADS_DIFFUSION_H
#define HEDDLE_WORKLOADS_DIFFUSION_H

#include "work.h"

struct diffusion {
    int columns, rows, layers, steps;
    float center;            /* the kernel's factor of a point itself; that of a neighbour is 0.1 */
    struct work_shape block; /* of threads */
    unsigned points_x;       /* columns of a block; it has as many rows as threads */
};

/* Launches the steps from random values, and compares. Points on the faces keep their values. */
void diffusion_run(struct work *w, const struct diffusion *d);

#endif
