/* The product of two matrices by tiles; verified against sums of whole rows in integers. */
#include "work.h"

enum { TILE = 16 };
/* Elements are integers from -MOST_ELEMENT to MOST_ELEMENT: all sums are below 2^24, so floats hold them exactly. */
enum { MOST_ELEMENT = 50 };

struct problem {
    int rows, inner, columns; /* multiples of TILE */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.rows = 64, .inner = 48, .columns = 80},
    [WORK_SMALL] = {.rows = 256, .inner = 96, .columns = 256},
    [WORK_PAPER] = {.rows = 320, .inner = 320, .columns = 640},
};

static float *make_matrix(struct work *w, int rows, int columns)
{
    size_t count = (size_t)rows * (size_t)columns;
    float *m = work_buffer(w, count, sizeof *m);
    for (size_t i = 0; i < count; i++)
        m[i] = (float)((int)work_random_below(w, 2 * MOST_ELEMENT + 1) - MOST_ELEMENT);
    return m;
}

/* A row of the product is the sum of the rows of the right matrix, each times one element of the left. */
static void multiply_by_rows(struct work *w, const struct problem *p, const float *left, const float *right,
                             float *product)
{
    int32_t *sum = work_buffer(w, (size_t)p->columns, sizeof *sum);
    for (int row = 0; row < p->rows; row++) {
        for (int x = 0; x < p->columns; x++)
            sum[x] = 0;
        for (int k = 0; k < p->inner; k++)
            for (int x = 0; x < p->columns; x++)
                sum[x] += (int32_t)left[row * p->inner + k] * (int32_t)right[k * p->columns + x];
        for (int x = 0; x < p->columns; x++)
            product[row * p->columns + x] = (float)sum[x];
    }
}

static void multiply_by_tiles(struct work *w, const struct problem *p, const float *left, const float *right,
                              float *product)
{
    size_t row_bytes = (size_t)p->columns * sizeof(float);
    int inner = p->inner, columns = p->columns;
    CUdeviceptr l = work_upload(w, left, (size_t)(p->rows * p->inner) * sizeof(float)),
                r = work_upload(w, right, (size_t)p->inner * row_bytes),
                out = work_alloc(w, (size_t)p->rows * row_bytes);
    work_launch(w, "multiply", (struct work_shape){.x = (unsigned)p->columns / TILE, .y = (unsigned)p->rows / TILE},
                (struct work_shape){.x = TILE, .y = TILE}, 0, (void *[]){&l, &r, &out, &inner, &columns});
    work_read(w, product, out, (size_t)p->rows * row_bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t count = (size_t)p->rows * (size_t)p->columns;
    float *left = make_matrix(w, p->rows, p->inner), *right = make_matrix(w, p->inner, p->columns),
          *got = work_buffer(w, count, sizeof *got), *want = work_buffer(w, count, sizeof *want);
    multiply_by_tiles(w, p, left, right, got);
    multiply_by_rows(w, p, left, right, want);
    work_compare_f32(w, "elements of the product", got, want, count, 0, 0);
    work_say(w, "%dx%d times %dx%d", p->rows, p->inner, p->inner, p->columns);
}

const struct workload workload = {.name = "matmul", .run = run};
