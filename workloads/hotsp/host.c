/* Temperatures of a chip, several time steps a launch; verified against a loop over cells in double precision. */
#include "work.h"

enum { TILE = 16 };

struct chip {
    float capacitance, resistance_x, resistance_y, resistance_z, seconds; /* as in kernels.cu */
};

struct problem {
    int columns, rows, steps, steps_a_launch;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.columns = 14, .rows = 10, .steps = 8, .steps_a_launch = 6},
    [WORK_SMALL] = {.columns = 44, .rows = 44, .steps = 24, .steps_a_launch = 6},
    [WORK_PAPER] = {.columns = 72, .rows = 72, .steps = 40, .steps_a_launch = 6},
};

static const float ambient = 80;

/* Silicon half a millimetre thick, cut into square cells; SI units. The step is so short that the highest power density
 * raises the temperature by a thousandth of a degree. Cells are so small that an eighth of the difference between two
 * neighbours flows in a step: a wrong neighbour shows at once. */
static const double cell_side = 16e-6, thickness = 0.0005, conductivity = 100, heat_capacity = 1.75e6, fitting = 0.5,
                    most_power_density = 3e6, precision = 0.001;

static struct chip cut_chip(void)
{
    double area = cell_side * cell_side;
    return (struct chip){
        .capacitance = (float)(fitting * heat_capacity * thickness * area),
        .resistance_x = (float)(1 / (2 * conductivity * thickness)),
        .resistance_y = (float)(1 / (2 * conductivity * thickness)),
        .resistance_z = (float)(thickness / (conductivity * area)),
        .seconds = (float)(precision * fitting * heat_capacity * thickness / most_power_density),
    };
}

/* The new temperature of a cell: the heat that came in through its sides, from above and by its own power. */
static double step_cell(const struct problem *p, const struct chip *c, const float *power, const double *t, int x,
                        int y)
{
    int cell = y * p->columns + x;
    double heat = power[cell] + (ambient - t[cell]) / c->resistance_z;
    if (x > 0)
        heat += (t[cell - 1] - t[cell]) / c->resistance_x;
    if (x < p->columns - 1)
        heat += (t[cell + 1] - t[cell]) / c->resistance_x;
    if (y > 0)
        heat += (t[cell - p->columns] - t[cell]) / c->resistance_y;
    if (y < p->rows - 1)
        heat += (t[cell + p->columns] - t[cell]) / c->resistance_y;
    return t[cell] + heat * c->seconds / c->capacitance;
}

static void heat_by_loops(struct work *w, const struct problem *p, const struct chip *c, const float *power,
                          const float *first, float *last)
{
    size_t cells = (size_t)p->columns * (size_t)p->rows;
    double *now = work_buffer(w, cells, sizeof *now), *next = work_buffer(w, cells, sizeof *next);
    for (size_t i = 0; i < cells; i++)
        now[i] = first[i];
    for (int step = 0; step < p->steps; step++) {
        for (int y = 0; y < p->rows; y++)
            for (int x = 0; x < p->columns; x++)
                next[y * p->columns + x] = step_cell(p, c, power, now, x, y);
        double *swap = now;
        now = next;
        next = swap;
    }
    for (size_t i = 0; i < cells; i++)
        last[i] = (float)now[i];
}

/* Tiles are laid for the steps of a full launch; a last launch of fewer steps lays fewer, larger ones. */
static void heat_by_tiles(struct work *w, const struct problem *p, struct chip *c, const float *power,
                          const float *first, float *last)
{
    size_t bytes = (size_t)p->columns * (size_t)p->rows * sizeof(float);
    int columns = p->columns, rows = p->rows;
    CUdeviceptr watts = work_upload(w, power, bytes), before = work_upload(w, first, bytes),
                after = work_alloc(w, bytes);
    for (int done = 0, steps; done < p->steps; done += steps) {
        steps = p->steps - done < p->steps_a_launch ? p->steps - done : p->steps_a_launch;
        int inner = TILE - 2 * steps;
        work_launch(w, "heat",
                    (struct work_shape){.x = (unsigned)((columns + inner - 1) / inner),
                                        .y = (unsigned)((rows + inner - 1) / inner)},
                    (struct work_shape){.x = TILE, .y = TILE}, 0,
                    (void *[]){&watts, &before, &after, &columns, &rows, &steps, c});
        CUdeviceptr swap = before;
        before = after;
        after = swap;
    }
    work_read(w, last, before, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct chip c = cut_chip();
    size_t cells = (size_t)p->columns * (size_t)p->rows;
    float *power = work_buffer(w, cells, sizeof *power), *first = work_buffer(w, cells, sizeof *first),
          *got = work_buffer(w, cells, sizeof *got), *want = work_buffer(w, cells, sizeof *want);
    for (size_t i = 0; i < cells; i++) {
        first[i] = 323 + 20 * work_random_unit(w);
        power[i] = (float)(most_power_density * cell_side * cell_side) * work_random_unit(w);
    }
    heat_by_tiles(w, p, &c, power, first, got);
    heat_by_loops(w, p, &c, power, first, want);
    /* Temperatures stay between 256 and 512, so the sum that ends a step is off by 2^-16 at most, and each of the two
     * sums of neighbours, of which an eighth counts, by 2^-15. The other terms are small, and a step averages the
     * errors of the last: 2^-15 a step covers all. */
    work_compare_f32(w, "temperatures", got, want, cells, 0, 0x1p-15f * (float)p->steps);
    work_say(w, "%dx%d cells, %d steps, %d a launch", p->columns, p->rows, p->steps, p->steps_a_launch);
}

const struct workload workload = {.name = "hotsp", .run = run};
