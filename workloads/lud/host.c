/* LU decomposition by tiles; verified against one by dot products, row by row, in double precision. */
#include "work.h"

enum { TILE = 16 };

static const int side_of[] = {[WORK_TEST] = 48, [WORK_SMALL] = 272, [WORK_PAPER] = 256};

/* Elements between -1 and 1, and `side` more on the diagonal: such a matrix needs no pivots, and all elements stay
 * below 2 during the decomposition, those on the diagonal below 2 * side. */
static void make_matrix(struct work *w, float *matrix, int side)
{
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            matrix[row * side + column] = 2 * work_random_unit(w) - 1 + (row == column ? (float)side : 0);
}

/* L (its diagonal of ones left out) below the diagonal, U on it and above. */
static void factor_by_rows(struct work *w, const float *matrix, float *factors, int side)
{
    size_t count = (size_t)side * (size_t)side;
    double *lu = work_buffer(w, count, sizeof *lu);
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            double rest = matrix[row * side + column];
            int known = row < column ? row : column;
            for (int j = 0; j < known; j++)
                rest -= lu[row * side + j] * lu[j * side + column];
            lu[row * side + column] = column < row ? rest / lu[column * side + column] : rest;
        }
    for (size_t i = 0; i < count; i++)
        factors[i] = (float)lu[i];
}

static void factor_by_tiles(struct work *w, const float *matrix, float *factors, int side)
{
    size_t bytes = (size_t)side * (size_t)side * sizeof *matrix;
    CUdeviceptr device = work_upload(w, matrix, bytes);
    for (int first = 0; first < side; first += TILE) {
        unsigned more = (unsigned)((side - first) / TILE - 1);
        void **arguments = (void *[]){&device, &side, &first};
        work_launch(w, "factor_diagonal", (struct work_shape){.x = 1}, (struct work_shape){.x = TILE}, 0, arguments);
        if (!more)
            break;
        work_launch(w, "solve_perimeter", (struct work_shape){.x = more}, (struct work_shape){.x = 2 * TILE}, 0,
                    arguments);
        work_launch(w, "update_interior", (struct work_shape){.x = more, .y = more},
                    (struct work_shape){.x = TILE, .y = TILE}, 0, arguments);
    }
    work_read(w, factors, device, bytes);
}

/* Elements of L are quotients by pivots of about `side`: so scaled, they can be compared like those of U. */
static void scale_lower(float *factors, int side)
{
    for (int row = 0; row < side; row++)
        for (int column = 0; column < row; column++)
            factors[row * side + column] *= (float)side;
}

static void run(struct work *w, enum work_size size)
{
    int side = side_of[size];
    size_t count = (size_t)side * (size_t)side;
    float *matrix = work_buffer(w, count, sizeof *matrix), *got = work_buffer(w, count, sizeof *got),
          *want = work_buffer(w, count, sizeof *want);
    make_matrix(w, matrix, side);
    factor_by_tiles(w, matrix, got, side);
    factor_by_rows(w, matrix, want, side);
    scale_lower(got, side);
    scale_lower(want, side);
    /* An element off the diagonal stays below 2 and is changed at most `side` times, so the sum of its roundings is
     * below side * 2^-23; errors of the factors that it is computed from add less than as much again. A product that is
     * left out is about 1/(4 * side), about ten times the tolerance or more. Pivots are `side` times as large, and
     * so are their roundings: their tolerance is relative. */
    work_compare_f32(w, "factors", got, want, count, 0x1p-20f, (float)side * 0x1p-22f);
    work_say(w, "%dx%d elements", side, side);
}

const struct workload workload = {.name = "lud", .run = run};
