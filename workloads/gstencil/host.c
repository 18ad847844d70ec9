/* A stencil of seven points from global memory: see diffusion.h. */
#include "diffusion.h"

static void run(struct work *w, enum work_size size)
{
    static const struct {
        int columns, rows, layers, steps;
    } sizes[] = {
        [WORK_TEST] = {.columns = 44, .rows = 21, .layers = 7, .steps = 3},
        [WORK_SMALL] = {.columns = 256, .rows = 256, .layers = 8, .steps = 2},
        [WORK_PAPER] = {.columns = 256, .rows = 256, .layers = 32, .steps = 4},
    };
    diffusion_run(w, &(struct diffusion){
                         .columns = sizes[size].columns,
                         .rows = sizes[size].rows,
                         .layers = sizes[size].layers,
                         .steps = sizes[size].steps,
                         .center = 0.4f,
                         .block = {.x = 32, .y = 8},
                         .points_x = 32,
                     });
}

const struct workload workload = {.name = "gstencil", .run = run};
