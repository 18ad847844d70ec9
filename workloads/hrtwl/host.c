/* Points tracked through frames that move; verified against sums of products over every place of the pattern, in double
 * precision, and against the motion that was put into the frames. */
#include "work.h"

#include <math.h>

enum { THREADS = 512, MOST_MOVE = 10, MOST_FRAMES = 4, GREYS = 15, MARGIN = 16 };

struct point { /* as in kernels.cu, with addresses on the device */
    uint64_t pattern, pattern_squares, area, area_squares, correlation, padded, shifted, strips, shifted_strips, sums,
        square_sums, mask, masked, frame, rows, columns;
    int32_t row, column, frame_number, frame_rows, radius, reach;
    int32_t pattern_side, area_side, correlation_side, padded_side;
    int32_t pattern_elements, area_elements, correlation_elements, padded_elements, strip_elements;
    int32_t period;
    float keep;
};

struct problem {
    int radius, reach, frame_side, inner_points, outer_points, frames, period;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {4, 6, .frame_side = 64, .inner_points = 1, .outer_points = 1, .frames = 3, .period = 2},
    [WORK_SMALL] = {6, 10, .frame_side = 160, .inner_points = 24, .outer_points = 36, .frames = 2, .period = 10},
    [WORK_PAPER] = {25, 40, .frame_side = 600, .inner_points = 6, .outer_points = 9, .frames = 2, .period = 10},
};

/* Which arrays of all points the host reads back, and what it knows itself of each point. */
struct tracking {
    struct point s; /* the sizes that all points have */
    int frames;
    int count;
    CUdeviceptr points, addresses, frame, pattern, square_sums, masked, rows, columns;
    float *texture;               /* of which frames are parts */
    int moved_down[MOST_FRAMES];  /* by how many pixels a frame moved since the first */
    int moved_right[MOST_FRAMES]; /* the same, to the right */
    int32_t *row, *column;        /* of each point, where its pattern was cut; counted from 1 */
    int32_t *last_row, *last_column;
    double *pattern_of; /* the patterns of all points, by the CPU */
};

static struct point size_up(const struct problem *p)
{
    struct point s = {.frame_rows = p->frame_side,
                      .radius = p->radius,
                      .reach = p->reach,
                      .pattern_side = 2 * p->radius + 1,
                      .area_side = 2 * p->reach + 1,
                      .period = p->period,
                      .keep = 0.87F};
    s.correlation_side = s.pattern_side + s.area_side - 1;
    s.padded_side = s.area_side + 2 * s.pattern_side;
    s.pattern_elements = s.pattern_side * s.pattern_side;
    s.area_elements = s.area_side * s.area_side;
    s.correlation_elements = s.correlation_side * s.correlation_side;
    s.padded_elements = s.padded_side * s.padded_side;
    s.strip_elements = s.correlation_side * s.padded_side;
    return s;
}

/* An array for each point, one behind the other; writes each one's address where `field` points, in steps of points. */
static CUdeviceptr share_out(struct work *w, const struct tracking *t, uint64_t *field, int elements)
{
    size_t bytes = (size_t)elements * sizeof(float);
    CUdeviceptr all = work_alloc(w, bytes * (size_t)t->count);
    for (int i = 0; i < t->count; i++)
        field[(size_t)i * (sizeof(struct point) / sizeof *field)] = all + bytes * (size_t)i;
    return all;
}

/* Points on two ellipses, the inner and the outer wall of the heart. */
static void place_points(const struct problem *p, struct tracking *t)
{
    for (int i = 0; i < t->count; i++) {
        bool is_inner = i < p->inner_points;
        double angle = 6.283185307179586 *
                       (is_inner ? (double)i / p->inner_points : (double)(i - p->inner_points) / p->outer_points);
        double room = p->frame_side / 2.0 - p->reach - MARGIN;
        t->row[i] = t->last_row[i] = (int32_t)(p->frame_side / 2.0 + room * (is_inner ? 0.6 : 0.9) * sin(angle));
        t->column[i] = t->last_column[i] = (int32_t)(p->frame_side / 2.0 + room * (is_inner ? 0.5 : 0.9) * cos(angle));
    }
}

static struct tracking begin_tracking(struct work *w, const struct problem *p)
{
    struct tracking t = {.s = size_up(p), .frames = p->frames, .count = p->inner_points + p->outer_points};
    size_t count = (size_t)t.count, side = (size_t)p->frame_side + 2 * MARGIN;
    t.row = work_buffer(w, count, sizeof *t.row);
    t.column = work_buffer(w, count, sizeof *t.column);
    t.last_row = work_buffer(w, count, sizeof *t.last_row);
    t.last_column = work_buffer(w, count, sizeof *t.last_column);
    t.pattern_of = work_buffer(w, count * (size_t)t.s.pattern_elements, sizeof *t.pattern_of);
    t.texture = work_buffer(w, side * side, sizeof *t.texture);
    place_points(p, &t);
    for (size_t i = 0; i < side * side; i++)
        t.texture[i] = (float)(1 + work_random_below(w, GREYS));
    /* At most by 3 pixels from frame to frame, and never so far that a pattern leaves its area. */
    int room = (p->reach - p->radius) / (p->frames - 1), most = room < 3 ? room : 3;
    for (int i = 1; i < p->frames; i++) {
        t.moved_down[i] = t.moved_down[i - 1] + (int)work_random_below(w, (uint32_t)(2 * most + 1)) - most;
        t.moved_right[i] = t.moved_right[i - 1] + (int)work_random_below(w, (uint32_t)(2 * most + 1)) - most;
    }

    struct point *points = work_buffer(w, count, sizeof *points);
    const struct point *s = &t.s;
    t.frame = work_alloc(w, (size_t)p->frame_side * (size_t)p->frame_side * sizeof(float));
    for (int i = 0; i < t.count; i++) {
        points[i] = t.s;
        points[i].frame = t.frame;
        points[i].row = t.row[i];
        points[i].column = t.column[i];
    }
    t.pattern = share_out(w, &t, &points->pattern, s->pattern_elements);
    share_out(w, &t, &points->pattern_squares, s->pattern_elements);
    share_out(w, &t, &points->area, s->area_elements);
    share_out(w, &t, &points->area_squares, s->area_elements);
    share_out(w, &t, &points->correlation, s->correlation_elements);
    share_out(w, &t, &points->padded, s->padded_elements);
    share_out(w, &t, &points->shifted, s->strip_elements);
    share_out(w, &t, &points->strips, s->strip_elements);
    share_out(w, &t, &points->shifted_strips, s->correlation_elements);
    share_out(w, &t, &points->sums, s->correlation_elements);
    t.square_sums = share_out(w, &t, &points->square_sums, s->correlation_elements);
    share_out(w, &t, &points->mask, s->correlation_elements);
    t.masked = share_out(w, &t, &points->masked, s->correlation_elements);
    t.rows = share_out(w, &t, &points->rows, p->frames);
    t.columns = share_out(w, &t, &points->columns, p->frames);
    t.points = work_upload(w, points, count * sizeof *points);
    uint64_t *address = work_buffer(w, count, sizeof *address);
    for (size_t i = 0; i < count; i++)
        address[i] = t.points + i * sizeof *points;
    t.addresses = work_upload(w, address, count * sizeof *address);
    return t;
}

/* The texture, moved; one pixel in eight is noise. Frames have so few greys that all sums of products of pixels are
 * integers that a float holds. */
static void make_frame(struct work *w, const struct tracking *t, int number, float *frame)
{
    int side = t->s.frame_rows, stride = side + 2 * MARGIN;
    for (int column = 0; column < side; column++)
        for (int row = 0; row < side; row++) {
            int from = (column + MARGIN - t->moved_right[number]) * stride + row + MARGIN - t->moved_down[number];
            frame[column * side + row] =
                work_random_below(w, 8) ? t->texture[from] : (float)(1 + work_random_below(w, GREYS));
        }
}

/* The correlation of the pattern with what lies under it, at every place where the two overlap. */
static void correlate(const struct tracking *t, const float *frame, int point, float *want)
{
    const struct point *s = &t->s;
    const double *pattern = t->pattern_of + (size_t)point * (size_t)s->pattern_elements;
    double n = s->pattern_elements, total = 0, squares = 0;
    for (int e = 0; e < s->pattern_elements; e++) {
        total += pattern[e];
        squares += pattern[e] * pattern[e];
    }
    double deviation = sqrt(n - 1) * sqrt(squares / n - total / n * (total / n));
    for (int column = 0; column < s->correlation_side; column++)
        for (int row = 0; row < s->correlation_side; row++) {
            double sum = 0, sum_squares = 0, products = 0;
            int left = column - s->pattern_side + 1, top = row - s->pattern_side + 1; /* the pattern's, in the area */
            for (int x = left > 0 ? left : 0; x <= column && x < s->area_side; x++) {
                const float *pixel =
                    frame + (t->column[point] - s->reach - 1 + x) * s->frame_rows + (t->row[point] - s->reach - 1);
                for (int y = top > 0 ? top : 0; y <= row && y < s->area_side; y++) {
                    sum += pixel[y];
                    sum_squares += pixel[y] * pixel[y];
                    products += pixel[y] * pattern[(x - left) * s->pattern_side + y - top];
                }
            }
            want[column * s->correlation_side + row] =
                (float)((products - sum * total / n) / (sqrt(sum_squares - sum * sum / n) * deviation));
        }
}

/* Masks the correlation, and moves the point to where the rest is greatest. */
static void follow(struct tracking *t, int point, const float *correlation, float *masked)
{
    const struct point *s = &t->s;
    int best = 0, centre = s->reach + s->radius;
    int mask_row = centre + t->last_row[point] - t->row[point];
    int mask_column = centre + t->last_column[point] - t->column[point];
    for (int e = 0; e < s->correlation_elements; e++) {
        int down = e % s->correlation_side - mask_row, right = e / s->correlation_side - mask_column;
        bool is_near =
            down >= -MOST_MOVE / 2 && down < MOST_MOVE / 2 && right >= -MOST_MOVE / 2 && right < MOST_MOVE / 2;
        masked[e] = is_near ? correlation[e] : 0;
        best = fabsf(masked[e]) > fabsf(masked[best]) ? e : best;
    }
    t->last_row[point] = t->row[point] + best % s->correlation_side - centre;
    t->last_column[point] = t->column[point] + best / s->correlation_side - centre;
}

static void mix_pattern(struct tracking *t, const float *frame, int point, double keep)
{
    const struct point *s = &t->s;
    t->row[point] = t->last_row[point];
    t->column[point] = t->last_column[point];
    for (int e = 0; e < s->pattern_elements; e++) {
        int row = t->row[point] - s->radius - 1 + e % s->pattern_side;
        int column = t->column[point] - s->radius - 1 + e / s->pattern_side;
        double *element = &t->pattern_of[point * s->pattern_elements + e];
        *element = keep * *element + (1 - keep) * frame[column * s->frame_rows + row];
    }
}

/* Correlations are between -1 and 1. Their numerators and denominators are differences of sums. These are exact, unless
 * the pattern has been renewed: then each of its elements is off by 2^-20 at most, and a sum over n elements by n^2
 * roundings of 2^-24 of 200, of which half a dozen matter. A pixel changes a correlation by 1/n or more. */
static void check_frame(struct work *w, struct tracking *t, const float *frame, int number)
{
    const struct point *s = &t->s;
    size_t elements = (size_t)t->count * (size_t)s->correlation_elements, frames = (size_t)t->frames;
    float *got = work_buffer(w, elements, sizeof *got), *got_masked = work_buffer(w, elements, sizeof *got);
    float *want = work_buffer(w, elements, sizeof *want), *want_masked = work_buffer(w, elements, sizeof *want);
    int32_t *rows = work_buffer(w, (size_t)t->count * frames, sizeof *rows),
            *columns = work_buffer(w, (size_t)t->count * frames, sizeof *columns);
    work_read(w, got, t->square_sums, elements * sizeof *got);
    work_read(w, got_masked, t->masked, elements * sizeof *got);
    work_read(w, rows, t->rows, (size_t)t->count * frames * sizeof *rows);
    work_read(w, columns, t->columns, (size_t)t->count * frames * sizeof *columns);
    for (int i = 0; i < t->count; i++) {
        float *mine = want + i * s->correlation_elements;
        int down = t->moved_down[number] - t->moved_down[number - 1],
            right = t->moved_right[number] - t->moved_right[number - 1];
        int true_row = t->last_row[i] + down, true_column = t->last_column[i] + right;
        correlate(t, frame, i, mine);
        follow(t, i, mine, want_masked + i * s->correlation_elements);
        int row = rows[i * t->frames + number], column = columns[i * t->frames + number];
        work_check(w, row == t->last_row[i] && column == t->last_column[i] && row == true_row && column == true_column,
                   "point %d is at (%d, %d) in frame %d, was found at (%d, %d) by the CPU, and moved to (%d, %d)", i,
                   row, column, number, t->last_row[i], t->last_column[i], true_row, true_column);
        if (number % s->period == 0)
            mix_pattern(t, frame, i, (double)s->keep);
    }
    work_compare_f32(w, "correlations", got, want, elements, 0, 0x1p-14f);
    work_compare_f32(w, "masked correlations", got_masked, want_masked, elements, 0, 0x1p-14f);
}

static void check_patterns(struct work *w, const struct tracking *t)
{
    size_t elements = (size_t)t->count * (size_t)t->s.pattern_elements;
    float *got = work_buffer(w, elements, sizeof *got), *want = work_buffer(w, elements, sizeof *want);
    work_read(w, got, t->pattern, elements * sizeof *got);
    for (size_t i = 0; i < elements; i++)
        want[i] = (float)t->pattern_of[i];
    work_compare_f32(w, "elements of patterns", got, want, elements, 0, 0x1p-20f);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct tracking t = begin_tracking(w, p);
    size_t bytes = (size_t)p->frame_side * (size_t)p->frame_side * sizeof(float);
    float *frame = work_buffer(w, bytes, 1);
    for (int number = 0; number < p->frames; number++) {
        make_frame(w, &t, number, frame);
        work_write(w, t.frame, frame, bytes);
        for (int i = 0; i < t.count; i++)
            work_write(w, t.points + (size_t)i * sizeof(struct point) + offsetof(struct point, frame_number), &number,
                       sizeof(int32_t));
        work_launch(w, "track", (struct work_shape){.x = (unsigned)t.count}, (struct work_shape){.x = THREADS}, 0,
                    (void *[]){&t.addresses});
        if (number == 0)
            for (int i = 0; i < t.count; i++)
                mix_pattern(&t, frame, i, 0);
        else
            check_frame(w, &t, frame, number);
    }
    check_patterns(w, &t);
    work_say(w, "%d points, patterns of %dx%d, %d frames", t.count, t.s.pattern_side, t.s.pattern_side, p->frames);
}

const struct workload workload = {.name = "hrtwl", .run = run};
