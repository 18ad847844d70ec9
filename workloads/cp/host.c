/* The potential of point charges on a plane; verified in double precision, charge by charge. */
#include "work.h"

#include <math.h>

enum { WIDTH = 16, HEIGHT = 8, POINTS = 2, MOST_CHARGES = 4000 };

struct charge {
    float x, y, z2, q; /* as in kernels.cu: z2 is the square of the distance from the plane */
};

struct problem {
    unsigned columns, rows; /* of grid points */
    int charges, charges_a_launch;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.columns = 64, .rows = 24, .charges = 100, .charges_a_launch = 60},
    [WORK_SMALL] = {.columns = 512, .rows = 256, .charges = 100, .charges_a_launch = MOST_CHARGES},
    [WORK_PAPER] = {.columns = 256, .rows = 256, .charges = 250, .charges_a_launch = MOST_CHARGES},
};

static const float spacing = 0.1f; /* angstroms */

/* Charges of both signs in a cube that stands on the plane, with positions as in the original: anywhere. */
static struct charge *scatter(struct work *w, const struct problem *p)
{
    struct charge *charges = work_buffer(w, (size_t)p->charges, sizeof *charges);
    for (int i = 0; i < p->charges; i++) {
        float z = spacing * (float)p->columns * work_random_unit(w);
        charges[i] = (struct charge){.x = spacing * (float)p->columns * work_random_unit(w),
                                     .y = spacing * (float)p->rows * work_random_unit(w),
                                     .z2 = z * z,
                                     .q = 4 * work_random_unit(w) - 2};
    }
    return charges;
}

static void sum_on_device(struct work *w, const struct problem *p, const struct charge *charges, float *potentials)
{
    size_t bytes = (size_t)p->columns * p->rows * sizeof *potentials;
    CUdeviceptr grid = work_alloc(w, bytes), symbol = work_symbol(w, "charges", MOST_CHARGES * sizeof *charges);
    float step = spacing;
    for (int first = 0, count; first < p->charges; first += count) {
        count = p->charges - first < p->charges_a_launch ? p->charges - first : p->charges_a_launch;
        work_write(w, symbol, charges + first, (size_t)count * sizeof *charges);
        work_launch(w, "add_charges", (struct work_shape){.x = p->columns / WIDTH / POINTS, .y = p->rows / HEIGHT},
                    (struct work_shape){.x = WIDTH, .y = HEIGHT}, 0, (void *[]){&count, &step, &grid});
    }
    work_read(w, potentials, grid, bytes);
}

/* The coordinates of a point and its distance from a charge are off by 2^-17 at most, since coordinates stay below 64:
 * the share of this in the distance is the share of its error in the potential. Each of the sums, one per charge, is
 * off by 2^-23 of all terms without signs; mostly up and down in turn, so a quarter of the charges covers it. */
static void compare(struct work *w, const struct problem *p, const struct charge *charges, const float *got)
{
    for (unsigned row = 0; row < p->rows; row++)
        for (unsigned column = 0; column < p->columns; column++) {
            double want = 0, most = 0;
            for (int i = 0; i < p->charges; i++) {
                double dx = (double)spacing * column - charges[i].x, dy = (double)spacing * row - charges[i].y;
                double distance = sqrt(dx * dx + dy * dy + charges[i].z2), term = charges[i].q / distance;
                want += term;
                most += fabs(term) * (0x1p-17 / distance + 0x1p-23 * (4 + p->charges / 4));
            }
            float is = got[row * p->columns + column];
            if (fabs(is - want) <= most)
                continue;
            work_check(w, false, "potential at column %u, row %u: %.9g instead of %.9g", column, row, (double)is, want);
            return;
        }
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct charge *charges = scatter(w, p);
    float *potentials = work_buffer(w, (size_t)p->columns * p->rows, sizeof *potentials);
    sum_on_device(w, p, charges, potentials);
    compare(w, p, charges, potentials);
    work_say(w, "%ux%u points, %d charges", p->columns, p->rows, p->charges);
}

const struct workload workload = {.name = "cp", .run = run};
