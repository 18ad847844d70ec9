/* The cheapest path through a grid, several rows per launch; verified against a loop that hands costs down from cell to
 * cell. */
#include "work.h"

#include <string.h>

enum { THREADS = 256, COSTS_BELOW = 10 };

struct problem {
    int columns, rows, rows_a_launch;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.columns = 900, .rows = 26, .rows_a_launch = 20},
    [WORK_SMALL] = {.columns = 40000, .rows = 41, .rows_a_launch = 20},
    [WORK_PAPER] = {.columns = 100000, .rows = 156, .rows_a_launch = 20},
};

static void descend_by_cells(struct work *w, const struct problem *p, const int32_t *grid, uint32_t *costs)
{
    size_t columns = (size_t)p->columns;
    uint32_t *above = work_buffer(w, columns, sizeof *above);
    for (size_t x = 0; x < columns; x++)
        costs[x] = (uint32_t)grid[x];
    for (size_t y = 1; y < (size_t)p->rows; y++) {
        memcpy(above, costs, columns * sizeof *above);
        memset(costs, 0xff, columns * sizeof *costs);
        for (size_t x = 0; x < columns; x++)
            for (size_t to = x ? x - 1 : 0; to <= x + 1 && to < columns; to++) {
                uint32_t cost = above[x] + (uint32_t)grid[y * columns + to];
                costs[to] = cost < costs[to] ? cost : costs[to];
            }
    }
}

/* Row 0 of the grid is where paths start. */
static void descend_by_blocks(struct work *w, const struct problem *p, const int32_t *grid, uint32_t *costs)
{
    int columns = p->columns;
    size_t row_bytes = (size_t)columns * sizeof *grid;
    CUdeviceptr cells = work_upload(w, grid, row_bytes * (size_t)p->rows), before = work_upload(w, grid, row_bytes),
                after = work_alloc(w, row_bytes);
    for (int first = 1, steps; first < p->rows; first += steps) {
        steps = p->rows - first < p->rows_a_launch ? p->rows - first : p->rows_a_launch;
        int inner = THREADS - 2 * steps;
        work_launch(w, "descend", (struct work_shape){.x = (unsigned)((columns + inner - 1) / inner)},
                    (struct work_shape){.x = THREADS}, 0,
                    (void *[]){&cells, &before, &after, &columns, &first, &steps});
        CUdeviceptr swap = before;
        before = after;
        after = swap;
    }
    work_read(w, costs, before, row_bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t columns = (size_t)p->columns, cells = columns * (size_t)p->rows;
    int32_t *grid = work_buffer(w, cells, sizeof *grid);
    uint32_t *got = work_buffer(w, columns, sizeof *got), *want = work_buffer(w, columns, sizeof *want);
    for (size_t i = 0; i < cells; i++)
        grid[i] = (int32_t)work_random_below(w, COSTS_BELOW);
    descend_by_blocks(w, p, grid, got);
    descend_by_cells(w, p, grid, want);
    work_compare_u32(w, "costs", got, want, columns);
    work_say(w, "%d columns, %d rows, %d per launch", p->columns, p->rows, p->rows_a_launch);
}

const struct workload workload = {.name = "pathfind", .run = run};
