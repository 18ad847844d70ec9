/* Corners of an image; verified against separable sums in double precision and a search for maxima on the CPU. */
#include "work.h"

#include <math.h>

enum { BLOCK = 16 };
enum { REACH = 2, WINDOW = 2 * REACH + 1 }; /* as in kernels.cu */

struct problem {
    int width, height, rectangles;
    uint32_t noise; /* levels of grey */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 56, .height = 40, .rectangles = 24, .noise = 128},
    [WORK_SMALL] = {.width = 256, .height = 240, .rectangles = 120, .noise = 8},
    [WORK_PAPER] = {.width = 640, .height = 480, .rectangles = 600, .noise = 8},
};

static const float sensitivity = 0.04f, least_response = 1e-4f;

/* What both sides compute. */
struct features {
    float *gradients_x, *gradients_y, *responses;
    uint32_t *marks, count;
};

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Rectangles of random greys on top of each other, and noise. */
static unsigned char *draw_image(struct work *w, const struct problem *p)
{
    size_t pixels = (size_t)p->width * (size_t)p->height;
    unsigned char *image = work_buffer(w, pixels, 1);
    for (int r = 0; r < p->rectangles; r++) {
        int grey = 8 + (int)work_random_below(w, 248 - p->noise), left = (int)work_random_below(w, (uint32_t)p->width),
            top = (int)work_random_below(w, (uint32_t)p->height), columns = 6 + (int)work_random_below(w, 24),
            rows = 6 + (int)work_random_below(w, 24);
        for (int y = top; y < top + rows && y < p->height; y++)
            for (int x = left; x < left + columns && x < p->width; x++)
                image[y * p->width + x] = (unsigned char)grey;
    }
    for (size_t i = 0; i < pixels; i++)
        image[i] = (unsigned char)(image[i] + work_random_below(w, p->noise));
    return image;
}

/* A bell of one pixel's standard deviation along one axis. */
static void make_bell(double bell[WINDOW])
{
    double sum = 0;
    for (int i = 0; i < WINDOW; i++)
        sum += bell[i] = exp(-0.5 * (i - REACH) * (i - REACH));
    for (int i = 0; i < WINDOW; i++)
        bell[i] /= sum;
}

/* Sobel's operator as a difference along one axis of a sum along the other. */
static void differentiate(const struct problem *p, const unsigned char *image, struct features *f)
{
    static const int weight[3] = {1, 2, 1};
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            int across = 0, down = 0;
            for (int i = -1; i <= 1; i++) {
                const unsigned char *row = image + clamp(y + i, p->height - 1) * p->width;
                int column = clamp(x + i, p->width - 1);
                across += weight[i + 1] * (row[clamp(x + 1, p->width - 1)] - row[clamp(x - 1, p->width - 1)]);
                down += weight[i + 1] * (image[clamp(y + 1, p->height - 1) * p->width + column] -
                                         image[clamp(y - 1, p->height - 1) * p->width + column]);
            }
            f->gradients_x[y * p->width + x] = (float)(across / 1020.0);
            f->gradients_y[y * p->width + x] = (float)(down / 1020.0);
        }
}

/* The product of two gradients, weighted by the bell along rows, then along columns. */
static double *smooth_product(struct work *w, const struct problem *p, const float *a, const float *b)
{
    size_t pixels = (size_t)p->width * (size_t)p->height;
    double *rows = work_buffer(w, pixels, sizeof *rows), *sums = work_buffer(w, pixels, sizeof *sums), bell[WINDOW];
    make_bell(bell);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int i = 0; i < WINDOW; i++) {
                int at = y * p->width + clamp(x + i - REACH, p->width - 1);
                rows[y * p->width + x] += bell[i] * (double)a[at] * (double)b[at];
            }
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int i = 0; i < WINDOW; i++)
                sums[y * p->width + x] += bell[i] * rows[clamp(y + i - REACH, p->height - 1) * p->width + x];
    return sums;
}

/* Leaves the squares of the traces of all windows in `squares`. */
static void respond(struct work *w, const struct problem *p, struct features *f, double *squares)
{
    double *xx = smooth_product(w, p, f->gradients_x, f->gradients_x),
           *xy = smooth_product(w, p, f->gradients_x, f->gradients_y),
           *yy = smooth_product(w, p, f->gradients_y, f->gradients_y);
    for (int i = 0; i < p->width * p->height; i++) {
        squares[i] = (xx[i] + yy[i]) * (xx[i] + yy[i]);
        f->responses[i] = (float)(xx[i] * yy[i] - xy[i] * xy[i] - (double)sensitivity * squares[i]);
    }
}

/* A pixel is a corner unless its response is small or that of a pixel around it is as large. */
static void pick(const struct problem *p, const float *responses, struct features *f)
{
    f->count = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            int rivals = 0, me = y * p->width + x;
            for (int row = clamp(y - 1, p->height - 1); row <= clamp(y + 1, p->height - 1); row++)
                for (int column = clamp(x - 1, p->width - 1); column <= clamp(x + 1, p->width - 1); column++)
                    rivals += responses[row * p->width + column] >= responses[me];
            f->marks[me] = responses[me] > least_response && rivals == 1; /* the one is the pixel itself */
            f->count += f->marks[me];
        }
}

static void detect_by_kernels(struct work *w, const struct problem *p, const unsigned char *image, struct features *f)
{
    int width = p->width, height = p->height;
    size_t pixels = (size_t)width * (size_t)height, bytes = pixels * sizeof(float);
    float weights[WINDOW][WINDOW], k = sensitivity, least = least_response;
    double bell[WINDOW];
    make_bell(bell);
    for (int y = 0; y < WINDOW; y++)
        for (int x = 0; x < WINDOW; x++)
            weights[y][x] = (float)(bell[y] * bell[x]);
    work_write(w, work_symbol(w, "window", sizeof weights), weights, sizeof weights);
    CUdeviceptr in = work_upload(w, image, pixels), gradients_x = work_alloc(w, bytes),
                gradients_y = work_alloc(w, bytes), responses = work_alloc(w, bytes), marks = work_alloc(w, pixels),
                count = work_alloc(w, sizeof f->count);
    struct work_shape block = {.x = BLOCK, .y = BLOCK},
                      grid = {.x = (unsigned)(width + BLOCK - 1) / BLOCK, .y = (unsigned)(height + BLOCK - 1) / BLOCK};
    work_launch(w, "differentiate", grid, block, 0, (void *[]){&in, &gradients_x, &gradients_y, &width, &height});
    work_launch(w, "respond", grid, block, 0, (void *[]){&gradients_x, &gradients_y, &responses, &width, &height, &k});
    work_launch(w, "pick", grid, block, 0, (void *[]){&responses, &marks, &count, &width, &height, &least});
    unsigned char *bytes_of_marks = work_buffer(w, pixels, 1);
    work_read(w, f->gradients_x, gradients_x, bytes);
    work_read(w, f->gradients_y, gradients_y, bytes);
    work_read(w, f->responses, responses, bytes);
    work_read(w, bytes_of_marks, marks, pixels);
    work_read(w, &f->count, count, sizeof f->count);
    for (size_t i = 0; i < pixels; i++)
        f->marks[i] = bytes_of_marks[i];
}

static struct features make_features(struct work *w, size_t pixels)
{
    return (struct features){.gradients_x = work_buffer(w, pixels, sizeof(float)),
                             .gradients_y = work_buffer(w, pixels, sizeof(float)),
                             .responses = work_buffer(w, pixels, sizeof(float)),
                             .marks = work_buffer(w, pixels, sizeof(uint32_t))};
}

/* Rounding puts a response off by a share of the window's squared trace, at a strong corner and on a plain surface: so
 * responses are compared as multiples of that square. */
static void scale_responses(struct features *f, const double *squares, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        if (squares[i] > 0)
            f->responses[i] = (float)((double)f->responses[i] / squares[i]);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t pixels = (size_t)p->width * (size_t)p->height;
    unsigned char *image = draw_image(w, p);
    struct features got = make_features(w, pixels), want = make_features(w, pixels);
    double *squares = work_buffer(w, pixels, sizeof *squares);
    detect_by_kernels(w, p, image, &got);
    differentiate(p, image, &want);
    respond(w, p, &want, squares);
    pick(p, got.responses, &want); /* maxima of the same responses: rounding must not decide between two pixels */
    work_compare_f32(w, "gradients across", got.gradients_x, want.gradients_x, pixels, 0x1p-22f, 0);
    work_compare_f32(w, "gradients down", got.gradients_y, want.gradients_y, pixels, 0x1p-22f, 0);
    scale_responses(&got, squares, pixels);
    scale_responses(&want, squares, pixels);
    /* A term of xx, xy or yy has up to nine roundings (of its weight, gradients and products), and 25 additions follow:
     * a sum is off by 34 * 2^-24 of its terms' sizes at most. These add up to the trace for xx and yy together, and to
     * half of it at most for xy. So the response is off by 1.1 * 34 * 2^-24 of the squared trace, and its own few
     * roundings, which is less than 2^-18. */
    work_compare_f32(w, "responses", got.responses, want.responses, pixels, 0, 0x1p-18f);
    work_compare_u32(w, "marks of corners", got.marks, want.marks, pixels);
    work_compare_u32(w, "numbers of corners", &got.count, &want.count, 1);
    work_check(w, 3 * want.count > (uint32_t)p->rectangles, "too few corners to test anything: %u", want.count);
    work_say(w, "%dx%d pixels, %u corners", p->width, p->height, want.count);
}

const struct workload workload = {.name = "features", .run = run};
