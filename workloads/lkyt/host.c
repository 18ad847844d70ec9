/* White blood cells, found in a frame and tracked in the next; verified against scores, maxima and fields in double
 * precision, and against the cells that were put into the frames. */
#include "work.h"

#include <math.h>
#include <stdlib.h>

enum {
    SAMPLES = 150,
    MOST_CIRCLES = 7,
    MOST_DISC_SIDE = 25,
    DILATE_THREADS = 175,
    FLOW_THREADS = 175,
    MOST_CELLS = 64
};

struct problem {
    int rows, columns;
    int least_radius, circles; /* radii grow by 2 from circle to circle */
    int disc_radius;
    int cell_radius, spacing, cells; /* cells stand in rows and columns this far apart */
    int most_iterations;
    double cutoff; /* of the mean change in an iteration */
};

/* At size test the cutoff lies a thousandth below the mean change of one cell in its second iteration: a sum of changes
 * without one thread's part would end that cell's iterations there, one too early. */
static const struct problem problem_of[] = {
    [WORK_TEST] = {.rows = 24,
                   .columns = 36,
                   .least_radius = 4,
                   .circles = 1,
                   .disc_radius = 3,
                   .cell_radius = 4,
                   .spacing = 12,
                   .cells = 2,
                   .most_iterations = 20,
                   .cutoff = 0.02117},
    [WORK_SMALL] = {.rows = 195,
                    .columns = 180,
                    .least_radius = 8,
                    .circles = 1,
                    .disc_radius = 4,
                    .cell_radius = 8,
                    .spacing = 40,
                    .cells = 12,
                    .most_iterations = 5,
                    .cutoff = 1e-5},
    [WORK_PAPER] = {.rows = 219,
                    .columns = 224,
                    .least_radius = 8,
                    .circles = 7,
                    .disc_radius = 12,
                    .cell_radius = 10,
                    .spacing = 40,
                    .cells = 6,
                    .most_iterations = 500,
                    .cutoff = 1e-5},
};

/* Where a cell is: of the planted ones in the first frame; and of those that were found. */
struct cell {
    int x, y;
};

struct search {
    const struct problem *p;
    int margin; /* no circle around a pixel that is further inside reaches the rim */
    size_t pixels;
    float *image, *gradient_x, *gradient_y; /* by column */
    float *scores, *dilated;                /* by column, by row */
    CUdeviceptr device_scores;
    struct cell planted[MOST_CELLS], found[MOST_CELLS];
};

/* Bright discs with a soft rim on a grey ground, all moved by so many pixels, and noise. */
static void make_image(struct work *w, struct search *s, int right, int down)
{
    const struct problem *p = s->p;
    for (int x = 0; x < p->columns; x++)
        for (int y = 0; y < p->rows; y++) {
            double light = 0.4;
            for (int i = 0; i < p->cells; i++) {
                double r = hypot(x - s->planted[i].x - right, y - s->planted[i].y - down);
                light += 0.4 / (1 + exp(2 * (r - p->cell_radius)));
            }
            s->image[x * p->rows + y] = (float)light + 0.2F * work_random_unit(w);
        }
}

static void find_gradients(struct search *s)
{
    int rows = s->p->rows, columns = s->p->columns;
    for (int x = 1; x < columns - 1; x++)
        for (int y = 1; y < rows - 1; y++) {
            s->gradient_x[x * rows + y] = (s->image[(x + 1) * rows + y] - s->image[(x - 1) * rows + y]) / 2;
            s->gradient_y[x * rows + y] = (s->image[x * rows + y + 1] - s->image[x * rows + y - 1]) / 2;
        }
}

static struct search begin_search(struct work *w, const struct problem *p)
{
    struct search s = {
        .p = p, .margin = p->least_radius + 2 * (p->circles - 1) + 2, .pixels = (size_t)p->rows * (size_t)p->columns};
    s.image = work_buffer(w, s.pixels, sizeof(float));
    s.gradient_x = work_buffer(w, s.pixels, sizeof(float));
    s.gradient_y = work_buffer(w, s.pixels, sizeof(float));
    s.scores = work_buffer(w, s.pixels, sizeof(float));
    s.dilated = work_buffer(w, s.pixels, sizeof(float));
    int a_row = (p->columns - 2 * s.margin) / p->spacing;
    for (int i = 0; i < p->cells; i++)
        s.planted[i] = (struct cell){.x = s.margin + p->spacing / 2 + i % a_row * p->spacing,
                                     .y = s.margin + p->spacing / 2 + i / a_row * p->spacing};
    make_image(w, &s, 0, 0);
    find_gradients(&s);
    return s;
}

static void write_symbol(struct work *w, const char *name, const void *data, size_t bytes)
{
    work_write(w, work_symbol(w, name, bytes), data, bytes);
}

/* Circles by their samples, and the disc of the dilation. */
static void write_shapes(struct work *w, const struct problem *p)
{
    float sine[SAMPLES], cosine[SAMPLES], disc[MOST_DISC_SIDE * MOST_DISC_SIDE] = {0};
    int32_t x[MOST_CIRCLES * SAMPLES] = {0}, y[MOST_CIRCLES * SAMPLES] = {0};
    for (int n = 0; n < SAMPLES; n++) {
        double angle = 6.283185307179586 * n / SAMPLES;
        sine[n] = (float)sin(angle);
        cosine[n] = (float)cos(angle);
        for (int k = 0; k < p->circles; k++) {
            x[k * SAMPLES + n] = (int32_t)(cos(angle) * (p->least_radius + 2 * k));
            y[k * SAMPLES + n] = (int32_t)(sin(angle) * (p->least_radius + 2 * k));
        }
    }
    int radius = p->disc_radius, side = 2 * radius + 1;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            disc[i * side + j] = hypot(i - radius, j - radius) <= radius;
    write_symbol(w, "sine", sine, sizeof sine);
    write_symbol(w, "cosine", cosine, sizeof cosine);
    write_symbol(w, "sample_x", x, sizeof x);
    write_symbol(w, "sample_y", y, sizeof y);
    write_symbol(w, "disc", disc, sizeof disc);
}

static void launch_score(struct work *w, struct search *s)
{
    const struct problem *p = s->p;
    int rows = p->rows, columns = p->columns, circles = p->circles, side = 2 * p->disc_radius + 1;
    size_t bytes = s->pixels * sizeof(float);
    CUtexObject x = work_texture(w, work_upload(w, s->gradient_x, bytes), bytes, CU_AD_FORMAT_FLOAT, 1),
                y = work_texture(w, work_upload(w, s->gradient_y, bytes), bytes, CU_AD_FORMAT_FLOAT, 1);
    s->device_scores = work_alloc(w, bytes);
    work_launch(w, "score", (struct work_shape){.x = (unsigned)(columns - 2 * s->margin)},
                (struct work_shape){.x = (unsigned)(rows - 2 * s->margin)}, 0,
                (void *[]){&rows, &s->margin, &circles, &s->device_scores, &x, &y});
    work_read(w, s->scores, s->device_scores, bytes);

    CUtexObject scores = work_texture(w, s->device_scores, bytes, CU_AD_FORMAT_FLOAT, 1);
    CUdeviceptr dilated = work_alloc(w, bytes);
    work_launch(w, "dilate", (struct work_shape){.x = (unsigned)((s->pixels + DILATE_THREADS - 1) / DILATE_THREADS)},
                (struct work_shape){.x = DILATE_THREADS}, 0,
                (void *[]){&rows, &columns, &side, &side, &dilated, &scores});
    work_read(w, s->dilated, dilated, bytes);
}

/* The score of a pixel from the mean and, in a second pass, the variance around it. */
static double find_score(const struct search *s, int x, int y)
{
    double best = 0;
    for (int k = 0; k < s->p->circles; k++) {
        double across[SAMPLES], mean = 0, variance = 0;
        for (int n = 0; n < SAMPLES; n++) {
            double angle = 6.283185307179586 * n / SAMPLES, radius = s->p->least_radius + 2 * k;
            int at = (x + (int)(cos(angle) * radius)) * s->p->rows + y + (int)(sin(angle) * radius);
            across[n] = s->gradient_x[at] * cos(angle) + s->gradient_y[at] * sin(angle);
            mean += across[n] / SAMPLES;
        }
        for (int n = 0; n < SAMPLES; n++)
            variance += (across[n] - mean) * (across[n] - mean) / (SAMPLES - 1);
        best = fmax(best, mean * mean / variance);
    }
    return best;
}

/* Scores: the mean of 150 gradients is off by some 150 roundings of 2^-24 of the largest, and so is the variance: 2^-15
 * of a score above 1, and as much absolutely of a lower one, with room for sines and cosines that are rounded. The
 * dilation takes the kernel's own scores, and is exact. */
static void check_scores(struct work *w, const struct search *s)
{
    const struct problem *p = s->p;
    float *want = work_buffer(w, s->pixels, sizeof *want);
    for (int x = s->margin; x < p->columns - s->margin; x++)
        for (int y = s->margin; y < p->rows - s->margin; y++)
            want[x * p->rows + y] = (float)find_score(s, x, y);
    work_compare_f32(w, "scores", s->scores, want, s->pixels, 0x1p-14f, 0x1p-14f);

    for (int y = 0; y < p->rows; y++)
        for (int x = 0; x < p->columns; x++) {
            float most = 0;
            for (int right = -p->disc_radius; right <= p->disc_radius; right++) {
                int reach = (int)sqrt(p->disc_radius * p->disc_radius - right * right);
                for (int at = y - reach; at <= y + reach; at++)
                    if (x + right >= 0 && x + right < p->columns && at >= 0 && at < p->rows)
                        most = fmaxf(most, s->scores[(x + right) * p->rows + at]);
            }
            want[y * p->columns + x] = most;
        }
    work_compare_f32(w, "dilated scores", s->dilated, want, s->pixels, 0, 0);
}

/* The highest of the local maxima, which are where the dilation changed nothing. Each planted cell must be among them,
 * a pixel off at most. */
static void find_cells(struct work *w, struct search *s)
{
    const struct problem *p = s->p;
    float below = INFINITY;
    for (int i = 0; i < p->cells; i++) {
        float most = 0;
        for (int x = 0; x < p->columns; x++)
            for (int y = 0; y < p->rows; y++) {
                float score = s->scores[x * p->rows + y];
                if (score == s->dilated[y * p->columns + x] && score > most && score < below) {
                    most = score;
                    s->found[i] = (struct cell){x, y};
                }
            }
        below = most;
    }
    for (int i = 0; i < p->cells; i++) {
        bool is_found = false;
        for (int k = 0; k < p->cells; k++)
            is_found |= abs(s->found[k].x - s->planted[i].x) <= 1 && abs(s->found[k].y - s->planted[i].y) <= 1;
        work_check(w, is_found, "the cell at (%d, %d) is not found", s->planted[i].x, s->planted[i].y);
    }
}

/* The field around a cell. */
struct field {
    int rows, columns;
    float *image; /* how strong edges are, from 0 to 1; by row */
};

static struct field cut_field(struct work *w, const struct search *s, struct cell c)
{
    const struct problem *p = s->p;
    int left = c.x - 4 * p->cell_radius, right = c.x + 4 * p->cell_radius, top = c.y - 2 * p->cell_radius,
        bottom = c.y + 2 * p->cell_radius;
    left = left < 0 ? 0 : left;
    top = top < 0 ? 0 : top;
    right = right >= p->columns ? p->columns - 1 : right;
    bottom = bottom >= p->rows ? p->rows - 1 : bottom;
    struct field f = {.rows = bottom - top + 1, .columns = right - left + 1};
    int elements = f.rows * f.columns;
    f.image = work_buffer(w, (size_t)elements, sizeof *f.image);
    float least = INFINITY, most = 0;
    for (int i = 0; i < elements; i++) {
        int at = (left + i % f.columns) * p->rows + top + i / f.columns;
        f.image[i] = hypotf(s->gradient_x[at], s->gradient_y[at]);
        least = fminf(least, f.image[i]);
        most = fmaxf(most, f.image[i]);
    }
    for (int i = 0; i < elements; i++)
        f.image[i] = (f.image[i] - least) / (most - least);
    return f;
}

static const double velocity = 1, epsilon = 1e-10;

/* One iteration from `old` to `new`; returns the mean change. */
static double spread(const struct field *f, const double *old, double *new)
{
    double change = 0;
    for (int i = 0; i < f->rows * f->columns; i++) {
        double sum = 0;
        for (int down = -1; down <= 1; down++)
            for (int right = -1; right <= 1; right++) {
                int row = i / f->columns + down, column = i % f->columns + right;
                row = row < 0 ? 0 : row == f->rows ? f->rows - 1 : row;
                column = column < 0 ? 0 : column == f->columns ? f->columns - 1 : column;
                double more = old[row * f->columns + column] - old[i];
                sum += (atan(more * (right * velocity + down * velocity) / epsilon) / 3.141592653589793 + 0.5) * more;
            }
        new[i] = old[i] + 0.1 * sum;
        new[i] -= 0.2 * f->image[i] * (new[i] - f->image[i]);
        change += fabs(new[i] - old[i]);
    }
    return change / (f->rows * f->columns);
}

/* Returns how many iterations it took. */
static int find_field(struct work *w, const struct field *f, const struct problem *p, float *want)
{
    size_t elements = (size_t)f->rows * (size_t)f->columns;
    double *now = work_buffer(w, elements, sizeof *now), *next = work_buffer(w, elements, sizeof *next), change = 1;
    int iterations = 0;
    for (size_t i = 0; i < elements; i++)
        now[i] = f->image[i];
    while (iterations < p->most_iterations && change >= p->cutoff) {
        change = spread(f, now, next);
        double *swap = now;
        now = next;
        next = swap;
        iterations++;
    }
    for (size_t i = 0; i < elements; i++)
        want[i] = (float)now[i];
    return iterations;
}

/* Each value of the field is a mean of old values, so an iteration adds its own roundings to errors, some 2^-22, and
 * does not enlarge those before. The inputs are fixed, and no cell's change comes so near to the cutoff that the kernel
 * and the CPU would stop at different iterations. */
static int track(struct work *w, const struct search *s)
{
    const struct problem *p = s->p;
    uint64_t fields[MOST_CELLS], images[MOST_CELLS];
    int32_t rows[MOST_CELLS], columns[MOST_CELLS];
    struct field field[MOST_CELLS];
    size_t count = (size_t)p->cells;
    for (size_t i = 0; i < count; i++) {
        field[i] = cut_field(w, s, s->found[i]);
        size_t bytes = (size_t)field[i].rows * (size_t)field[i].columns * sizeof(float);
        fields[i] = work_upload(w, field[i].image, bytes);
        images[i] = work_upload(w, field[i].image, bytes);
        rows[i] = field[i].rows;
        columns[i] = field[i].columns;
    }
    CUdeviceptr device_fields = work_upload(w, fields, count * sizeof *fields),
                device_images = work_upload(w, images, count * sizeof *images),
                device_rows = work_upload(w, rows, count * sizeof *rows),
                device_columns = work_upload(w, columns, count * sizeof *columns);
    float vx = (float)velocity, vy = (float)velocity, e = (float)epsilon, most_change = (float)p->cutoff;
    int most_iterations = p->most_iterations, iterations = 0;
    work_launch(w, "flow", (struct work_shape){.x = (unsigned)count}, (struct work_shape){.x = FLOW_THREADS}, 0,
                (void *[]){&device_fields, &device_images, &device_rows, &device_columns, &vx, &vy, &e,
                           &most_iterations, &most_change});
    for (size_t i = 0; i < count; i++) {
        size_t elements = (size_t)rows[i] * (size_t)columns[i];
        float *got = work_buffer(w, elements, sizeof *got), *want = work_buffer(w, elements, sizeof *want);
        work_read(w, got, fields[i], elements * sizeof *got);
        iterations += find_field(w, &field[i], p, want);
        work_compare_f32(w, "elements of a field", got, want, elements, 0, 0x1p-22f * (float)(most_iterations + 1));
    }
    return iterations;
}

static void run(struct work *w, enum work_size size)
{
    struct search s = begin_search(w, &problem_of[size]);
    write_shapes(w, s.p);
    launch_score(w, &s);
    check_scores(w, &s);
    find_cells(w, &s);
    make_image(w, &s, 2, 1);
    find_gradients(&s);
    int iterations = track(w, &s);
    work_say(w, "%dx%d pixels, %d circles; %d cells, %d iterations in all", s.p->columns, s.p->rows, s.p->circles,
             s.p->cells, iterations);
}

const struct workload workload = {.name = "lkyt", .run = run};
