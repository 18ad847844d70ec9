/* A stencil of seven points from shared memory; verified against sums of differences in double precision. */
#include "work.h"

#include <string.h>

enum { BLOCK_X = 32, BLOCK_Y = 4, TILE_X = 2 * BLOCK_X };

struct problem {
    int columns, rows, layers, steps;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.columns = 106, .rows = 15, .layers = 7, .steps = 3},
    [WORK_SMALL] = {.columns = 256, .rows = 256, .layers = 8, .steps = 2},
    [WORK_PAPER] = {.columns = 128, .rows = 128, .layers = 32, .steps = 7},
};

/* A tenth of the difference to each neighbour flows in a step. The kernel subtracts the point's own share. */
static const float center = -0.4f, around = 0.1f;

static void diffuse_by_loops(struct work *w, const struct problem *p, const float *first, float *last)
{
    int row = p->columns, layer = p->columns * p->rows;
    size_t count = (size_t)layer * (size_t)p->layers;
    double *now = work_buffer(w, count, sizeof *now), *next = work_buffer(w, count, sizeof *next);
    for (size_t i = 0; i < count; i++)
        now[i] = first[i];
    for (int step = 0; step < p->steps; step++) {
        memcpy(next, now, count * sizeof *next);
        for (int z = 1; z < p->layers - 1; z++)
            for (int y = 1; y < p->rows - 1; y++)
                for (int x = 1; x < p->columns - 1; x++) {
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
static void diffuse_by_tiles(struct work *w, const struct problem *p, const float *first, float *last)
{
    int columns = p->columns, rows = p->rows, layers = p->layers;
    float at_center = center, at_sides = around;
    size_t bytes = (size_t)columns * (size_t)rows * (size_t)layers * sizeof *first;
    CUdeviceptr before = work_upload(w, first, bytes), after = work_upload(w, first, bytes);
    for (int step = 0; step < p->steps; step++) {
        work_launch(w, "step",
                    (struct work_shape){.x = (unsigned)((columns + TILE_X - 1) / TILE_X),
                                        .y = (unsigned)((rows + BLOCK_Y - 1) / BLOCK_Y)},
                    (struct work_shape){.x = BLOCK_X, .y = BLOCK_Y}, 0,
                    (void *[]){&before, &after, &columns, &rows, &layers, &at_center, &at_sides});
        CUdeviceptr swap = before;
        before = after;
        after = swap;
    }
    work_read(w, last, before, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t count = (size_t)p->columns * (size_t)p->rows * (size_t)p->layers;
    float *first = work_buffer(w, count, sizeof *first), *got = work_buffer(w, count, sizeof *got),
          *want = work_buffer(w, count, sizeof *want);
    for (size_t i = 0; i < count; i++)
        first[i] = work_random_unit(w);
    diffuse_by_tiles(w, p, first, got);
    diffuse_by_loops(w, p, first, want);
    /* Values stay between 0 and 1. A step adds six values, the sum below 6, so it is off by 5 * 2^-22 at most, of which
     * a tenth counts; the two products and the last sum add 2^-23. The constants are off by 2^-26 and 2^-28, the former
     * once and the latter six times. A step averages the errors of the last: 2^-21 a step covers all. A wrong neighbour
     * is off by a thirtieth on average. */
    work_compare_f32(w, "values", got, want, count, 0, 0x1p-21f * (float)p->steps);
    work_say(w, "%dx%dx%d points, %d steps", p->columns, p->rows, p->layers, p->steps);
}

const struct workload workload = {.name = "stencil", .run = run};
