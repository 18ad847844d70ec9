/* Diffusion on a grid: see diffusion.h. */
#include "diffusion.h"

#include <string.h>

static void diffuse_by_loops(struct work *w, const struct diffusion *d, const float *first, float *last)
{
    int row = d->columns, layer = d->columns * d->rows;
    size_t count = (size_t)layer * (size_t)d->layers;
    double *now = work_buffer(w, count, sizeof *now), *next = work_buffer(w, count, sizeof *next);
    for (size_t i = 0; i < count; i++)
        now[i] = first[i];
    for (int step = 0; step < d->steps; step++) {
        memcpy(next, now, count * sizeof *next);
        for (int z = 1; z < d->layers - 1; z++)
            for (int y = 1; y < d->rows - 1; y++)
                for (int x = 1; x < d->columns - 1; x++) {
                    const double *t = now + z * layer + y * row + x;
                    double flow = 0;
                    const int away[] = {1, row, layer};
                    for (int k = 0; k < 3; k++)
                        flow += t[away[k]] - t[0] + t[-away[k]] - t[0];
                    next[z * layer + y * row + x] = t[0] + 0.1 * flow;
                }
        double *swap = now;
        now = next;
        next = swap;
    }
    for (size_t i = 0; i < count; i++)
        last[i] = (float)now[i];
}

/* Both arrays start with the same values, so both have the faces, which no step writes. */
static void diffuse_by_kernel(struct work *w, const struct diffusion *d, const float *first, float *last)
{
    int columns = d->columns, rows = d->rows, layers = d->layers;
    float center = d->center, around = 0.1f;
    size_t bytes = (size_t)columns * (size_t)rows * (size_t)layers * sizeof *first;
    CUdeviceptr before = work_upload(w, first, bytes), after = work_upload(w, first, bytes);
    for (int step = 0; step < d->steps; step++) {
        work_launch(w, "step",
                    (struct work_shape){.x = (((unsigned)columns + d->points_x - 1) / d->points_x),
                                        .y = (((unsigned)rows + d->block.y - 1) / d->block.y)},
                    d->block, 0, (void *[]){&before, &after, &columns, &rows, &layers, &center, &around});
        CUdeviceptr swap = before;
        before = after;
        after = swap;
    }
    work_read(w, last, before, bytes);
}

void diffusion_run(struct work *w, const struct diffusion *d)
{
    size_t count = (size_t)d->columns * (size_t)d->rows * (size_t)d->layers;
    float *first = work_buffer(w, count, sizeof *first), *got = work_buffer(w, count, sizeof *got),
          *want = work_buffer(w, count, sizeof *want);
    for (size_t i = 0; i < count; i++)
        first[i] = work_random_unit(w);
    diffuse_by_kernel(w, d, first, got);
    diffuse_by_loops(w, d, first, want);
    /* Values stay between 0 and 1. A step adds six values, the sum below 6, so it is off by 5 * 2^-22 at most, of which
     * a tenth counts; the two products and the last sum add 2^-23. The constants are off by 2^-26 and 2^-28, the former
     * once and the latter six times. A step averages the errors of the last: 2^-21 a step covers all. A wrong neighbour
     * is off by a thirtieth on average. */
    work_compare_f32(w, "values", got, want, count, 0, 0x1p-21f * (float)d->steps);
    work_say(w, "%dx%dx%d points, %d steps", d->columns, d->rows, d->layers, d->steps);
}
