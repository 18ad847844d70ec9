/* Jacobi iterations for Laplace's equation in a box; verified against a loop over points in double precision. */
#include "work.h"

enum { WIDTH = 32, HEIGHT = 4 }; /* of a block, as in kernels.cu */

struct problem {
    int columns, rows, planes, iterations;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.columns = 35, .rows = 7, .planes = 5, .iterations = 2},
    [WORK_SMALL] = {.columns = 100, .rows = 364, .planes = 6, .iterations = 1},
    [WORK_PAPER] = {.columns = 100, .rows = 100, .planes = 100, .iterations = 1},
};

static size_t point_count(const struct problem *p)
{
    return (size_t)p->columns * (size_t)p->rows * (size_t)p->planes;
}

static bool is_on_face(int at, int count)
{
    return at == 0 || at == count - 1;
}

static void iterate_by_loops(struct work *w, const struct problem *p, const float *first, float *last)
{
    size_t points = point_count(p), row = (size_t)p->columns, plane = row * (size_t)p->rows;
    double *now = work_buffer(w, points, sizeof *now), *next = work_buffer(w, points, sizeof *next);
    for (size_t i = 0; i < points; i++)
        now[i] = first[i];
    for (int done = 0; done < p->iterations; done++) {
        size_t i = 0;
        for (int z = 0; z < p->planes; z++)
            for (int y = 0; y < p->rows; y++)
                for (int x = 0; x < p->columns; x++, i++)
                    if (is_on_face(x, p->columns) || is_on_face(y, p->rows) || is_on_face(z, p->planes))
                        next[i] = now[i];
                    else
                        next[i] =
                            (now[i - plane] + now[i - row] + now[i - 1] + now[i + 1] + now[i + row] + now[i + plane]) /
                            6;
        double *swap = now;
        now = next;
        next = swap;
    }
    for (size_t i = 0; i < points; i++)
        last[i] = (float)now[i];
}

static void iterate_by_columns(struct work *w, const struct problem *p, const float *first, float *last)
{
    size_t bytes = point_count(p) * sizeof(float);
    int columns = p->columns, rows = p->rows, planes = p->planes;
    CUdeviceptr before = work_upload(w, first, bytes), after = work_alloc(w, bytes);
    for (int done = 0; done < p->iterations; done++) {
        work_launch(w, "jacobi",
                    (struct work_shape){.x = (unsigned)((columns + WIDTH - 1) / WIDTH),
                                        .y = (unsigned)((rows + HEIGHT - 1) / HEIGHT)},
                    (struct work_shape){.x = WIDTH, .y = HEIGHT}, 0,
                    (void *[]){&before, &after, &columns, &rows, &planes});
        CUdeviceptr swap = before;
        before = after;
        after = swap;
    }
    work_read(w, last, before, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t points = point_count(p);
    float *first = work_buffer(w, points, sizeof *first), *got = work_buffer(w, points, sizeof *got),
          *want = work_buffer(w, points, sizeof *want);
    for (size_t i = 0; i < points; i++)
        first[i] = work_random_unit(w);
    iterate_by_columns(w, p, first, got);
    iterate_by_loops(w, p, first, want);
    /* No term is negative, so the errors of five sums, a product and its rounded constant add up to less than eight
     * roundings, 2^-24 of the value each, and an iteration hands on the average of its neighbours' errors. */
    work_compare_f32(w, "points", got, want, points, 0x1p-21f * (float)p->iterations, 0);
    work_say(w, "%dx%dx%d points, iterations: %d", p->columns, p->rows, p->planes, p->iterations);
}

const struct workload workload = {.name = "lps", .run = run};
