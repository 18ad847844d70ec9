/* Faces in a generated picture, by a generated cascade; verified against sums over rows of pixels, stage by stage. */
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 22, BLOCK_WIDTH = 32, BLOCK_HEIGHT = 6 };
enum { SIDE = 20, STEP = 2 };        /* of windows at the first scale, in pixels */
enum { SCREENED = 3 };               /* stages of the first kernel */
enum { FEWEST = 16, REDRAWN = 512 }; /* windows with which a stage of the cascade is made */
enum { MOST_FEATURES = 213 };        /* of a stage */
enum { MOST_SIDE = 257 };            /* up to this side the sum of a window's squares fits in 32 bits */
enum { FACE_EVERY = 480 };           /* pixels: a face per square of this side */
enum { VOTE_UNIT = 256 };            /* votes are multiples of 1/256: their sums are exact in any order */
static const double scale_factor = 1.2;

/* Features of each stage as in a cascade that is in wide use: OpenCV's haarcascade_frontalface_alt. */
static const int features_of[STAGES] = {3,   16,  21,  39,  33,  44,  50,  51,  56,  71,  80,
                                        103, 111, 102, 135, 137, 140, 160, 177, 182, 211, 213};

/* Up to struct scene as in kernels.cu. */
struct rectangle {
    int32_t top_left, top_right, bottom_left, bottom_right;
};

struct kernel_feature {
    struct rectangle part[3];
    int32_t weight[3];
    float threshold, below, above;
};

struct stage {
    int32_t first_feature, features;
    float threshold;
};

struct scene {
    int32_t pitch, columns, rows, step, side;
};

/* A feature at some scale, in pixels from the corner of the window. */
struct feature {
    struct {
        int x, y, width, height;
    } part[3];
    int weight[3]; /* weight[2] is 0 if there are two rectangles */
    float threshold, below, above;
};

/* A feature before it is scaled: a pattern of across x down cells, each of width x height pixels of the 20x20. */
struct pattern {
    int across, down, x, y, width, height;
    float threshold, below, above;
};

struct picture {
    int width, height;
    uint8_t *pixels;
    uint32_t *row_sums, *row_squares; /* of the pixels of a row before each column, for the CPU */
};

struct cascade {
    int feature_count;
    struct pattern *patterns;
    struct stage stages[STAGES];
};

struct problem {
    int width, height, scales;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 48, .height = 36, .scales = 2},
    [WORK_SMALL] = {.width = 448, .height = 320, .scales = 1},
    [WORK_PAPER] = {.width = 880, .height = 640, .scales = 20},
};

/* ---- the picture ---- */

/* Adds noise whose grains have the given size, smooth in between. */
static void add_grains(struct work *w, float *light, int width, int height, int grain, float strength)
{
    int across = width / grain + 2, down = height / grain + 2;
    float *knots = work_buffer(w, (size_t)across * (size_t)down, sizeof *knots);
    for (int i = 0; i < across * down; i++)
        knots[i] = strength * (work_random_unit(w) - 0.5f);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float *k = knots + y / grain * across + x / grain;
            float fx = (float)(x % grain) / (float)grain, fy = (float)(y % grain) / (float)grain;
            light[y * width + x] +=
                (1 - fy) * ((1 - fx) * k[0] + fx * k[1]) + fy * ((1 - fx) * k[across] + fx * k[across + 1]);
        }
}

/* A bright oval with two dark eyes and a mouth; what is around it stays. */
static void paint_face(uint8_t *pixels, int width, int left, int top)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int dx = 2 * x - SIDE + 1, dy = 2 * y - SIDE + 1;
            bool is_eye = y >= 6 && y < 9 && ((x >= 4 && x < 8) || (x >= 12 && x < 16));
            bool is_mouth = y >= 14 && y < 16 && x >= 7 && x < 13;
            if (dx * dx * 5 + dy * dy * 4 < SIDE * SIDE * 4)
                pixels[(top + y) * width + left + x] = is_eye ? 50 : is_mouth ? 90 : (uint8_t)(190 - 3 * y);
        }
}

/* Noise whose strength falls with its frequency, as in photographs. */
static struct picture paint(struct work *w, int width, int height)
{
    size_t count = (size_t)width * (size_t)height, padded = (size_t)(width + 1) * (size_t)height;
    struct picture p = {.width = width,
                        .height = height,
                        .pixels = work_buffer(w, count, 1),
                        .row_sums = work_buffer(w, padded, sizeof *p.row_sums),
                        .row_squares = work_buffer(w, padded, sizeof *p.row_squares)};
    float *light = work_buffer(w, count, sizeof *light), strength = 160;
    for (int grain = 64; grain; grain /= 2, strength *= 0.6f)
        add_grains(w, light, width, height, grain, strength);
    for (size_t i = 0; i < count; i++)
        p.pixels[i] = (uint8_t)fminf(fmaxf(128 + light[i], 0), 255);
    return p;
}

static void sum_rows(struct picture *p)
{
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            uint32_t pixel = p->pixels[y * p->width + x];
            int at = y * (p->width + 1) + x;
            p->row_sums[at + 1] = p->row_sums[at] + pixel;
            p->row_squares[at + 1] = p->row_squares[at] + pixel * pixel;
        }
}

/* ---- windows on the CPU: a rectangle is summed row by row ---- */

static uint32_t sum_rectangle(const struct picture *p, const uint32_t *row_sums, int x, int y, int width, int height)
{
    uint32_t sum = 0;
    for (const uint32_t *row = row_sums + y * (p->width + 1) + x; height; height--, row += p->width + 1)
        sum += row[width] - row[0];
    return sum;
}

static int32_t feature_value(const struct picture *p, const struct feature *f, int x, int y)
{
    int32_t value = 0;
    for (int i = 0; i < 3; i++)
        if (f->weight[i])
            value += f->weight[i] * (int32_t)sum_rectangle(p, p->row_sums, x + f->part[i].x, y + f->part[i].y,
                                                           f->part[i].width, f->part[i].height);
    return value;
}

static float window_contrast(const struct picture *p, int x, int y, int side)
{
    float area = (float)(side * side), mean = (float)sum_rectangle(p, p->row_sums, x, y, side, side) / area;
    float variance = (float)sum_rectangle(p, p->row_squares, x, y, side, side) / area - mean * mean;
    return (variance > 0 ? sqrtf(variance) : 1) * area;
}

static float stage_votes(const struct picture *p, const struct feature *features, int count, int x, int y,
                         float contrast)
{
    int votes = 0;
    for (int i = 0; i < count; i++) {
        bool is_below = (float)feature_value(p, features + i, x, y) < features[i].threshold * contrast;
        votes += (int)(VOTE_UNIT * (is_below ? features[i].below : features[i].above));
    }
    return (float)votes / VOTE_UNIT;
}

/* ---- the cascade ---- */

static int scaled(int length, double scale)
{
    return (int)lround(length * scale);
}

/* Cells are scaled, not the whole: so all cells of a pattern have the same size, and no light gives the value 0. */
static struct feature scale_pattern(const struct pattern *t, double scale, int side)
{
    int width = scaled(t->width, scale), height = scaled(t->height, scale);
    while (width * t->across > side)
        width--;
    while (height * t->down > side)
        height--;
    int x = scaled(t->x, scale), y = scaled(t->y, scale);
    x = x + width * t->across > side ? side - width * t->across : x;
    y = y + height * t->down > side ? side - height * t->down : y;
    struct feature f = {.threshold = t->threshold, .below = t->below, .above = t->above};
    for (int i = 0; i < 3; i++) {
        f.part[i].x = x;
        f.part[i].y = y;
        f.part[i].width = i ? width : width * t->across;
        f.part[i].height = i ? height : height * t->down;
    }
    f.weight[0] = -1;
    f.weight[1] = t->across * t->down;
    if (t->across == 3)
        f.part[1].x = x + width; /* the middle one of three */
    if (t->down == 3)
        f.part[1].y = y + height;
    if (t->across * t->down == 4) { /* two of four, at opposite corners */
        f.weight[1] = f.weight[2] = 2;
        f.part[2].x = x + width;
        f.part[2].y = y + height;
    }
    return f;
}

/* Two or three cells in a row or a column, or two by two. */
static struct pattern draw_pattern(struct work *w)
{
    static const int shapes[][2] = {{2, 1}, {1, 2}, {3, 1}, {1, 3}, {2, 2}};
    const int *shape = shapes[work_random_below(w, 5)];
    struct pattern t = {.across = shape[0], .down = shape[1]};
    t.width = 2 + (int)work_random_below(w, (uint32_t)(SIDE / t.across - 1));
    t.height = 2 + (int)work_random_below(w, (uint32_t)(SIDE / t.down - 1));
    t.x = (int)work_random_below(w, (uint32_t)(SIDE - t.width * t.across + 1));
    t.y = (int)work_random_below(w, (uint32_t)(SIDE - t.height * t.down + 1));
    return t;
}

struct sample {
    int x, y;
    float contrast, votes;
};

struct samples {
    int count;
    struct sample *windows;
};

static int compare_votes(const void *a, const void *b)
{
    float x = ((const struct sample *)a)->votes, y = ((const struct sample *)b)->votes;
    return (x > y) - (x < y);
}

/* Draws the features of a stage. A feature's threshold is its value in some window of the sample; on the side of the
 * threshold where the face is, it votes for a face. */
static void draw_features(struct work *w, const struct picture *p, struct sample face, const struct samples *all,
                          struct pattern *patterns, int count)
{
    for (int i = 0; i < count; i++) {
        patterns[i] = draw_pattern(w);
        struct feature f = scale_pattern(&patterns[i], 1, SIDE);
        struct sample at = all->windows[work_random_below(w, (uint32_t)all->count)];
        float threshold = (float)feature_value(p, &f, at.x, at.y) / at.contrast;
        float against = -(float)(64 + work_random_below(w, 192)) / VOTE_UNIT;
        float in_favour = (float)(64 + work_random_below(w, 192)) / VOTE_UNIT;
        bool is_below = (float)feature_value(p, &f, face.x, face.y) < threshold * face.contrast;
        patterns[i].threshold = threshold;
        patterns[i].below = is_below ? in_favour : against;
        patterns[i].above = is_below ? against : in_favour;
    }
}

static struct scene lay_windows(const struct picture *p, double scale)
{
    int side = scaled(SIDE, scale), step = scale > STEP ? scaled(1, scale) : STEP;
    return (struct scene){.pitch = p->width + 1,
                          .side = side,
                          .step = step,
                          .columns = (p->width - side) / step + 1,
                          .rows = (p->height - side) / step + 1};
}

static struct samples first_windows(struct work *w, const struct picture *p)
{
    struct scene s = lay_windows(p, 1);
    struct samples all = {.count = s.columns * s.rows};
    all.windows = work_buffer(w, (size_t)all.count, sizeof *all.windows);
    for (int i = 0; i < all.count; i++) {
        int x = i % s.columns * s.step, y = i / s.columns * s.step;
        all.windows[i] = (struct sample){.x = x, .y = y, .contrast = window_contrast(p, x, y, s.side)};
    }
    return all;
}

/* The features of a stage and its threshold: the median vote of the `count` windows in `left`. Those that pass go to
 * the front of `left`; returns how many they are. */
static int draw_stage(struct work *w, const struct picture *p, struct sample face, const struct samples *all,
                      struct pattern *patterns, struct stage *stage, struct sample *left, int count)
{
    struct feature features[MOST_FEATURES];
    draw_features(w, p, face, all, patterns, stage->features);
    for (int i = 0; i < stage->features; i++)
        features[i] = scale_pattern(&patterns[i], 1, SIDE);
    for (int i = 0; i < count; i++)
        left[i].votes = stage_votes(p, features, stage->features, left[i].x, left[i].y, left[i].contrast);
    qsort(left, (size_t)count, sizeof *left, compare_votes);
    stage->threshold = left[count / 2].votes;
    memmove(left, left + count / 2, (size_t)(count - count / 2) * sizeof *left);
    return count - count / 2;
}

/* A stage is made with the windows of the first scale that the stages before pass, as a cascade is trained: half of
 * them go on. When few are left, windows drawn from all stand for them. */
static struct cascade draw_cascade(struct work *w, const struct picture *p, const struct samples *all,
                                   struct sample face)
{
    struct cascade c = {0};
    for (int s = 0; s < STAGES; s++) {
        c.stages[s] = (struct stage){.first_feature = c.feature_count, .features = features_of[s]};
        c.feature_count += features_of[s];
    }
    c.patterns = work_buffer(w, (size_t)c.feature_count, sizeof *c.patterns);
    struct sample *left = work_buffer(w, (size_t)all->count + REDRAWN, sizeof *left);
    memcpy(left, all->windows, (size_t)all->count * sizeof *left);
    int count = all->count;
    for (int s = 0; s < STAGES; s++) {
        if (count < FEWEST)
            for (count = 0; count < REDRAWN; count++)
                left[count] = all->windows[work_random_below(w, (uint32_t)all->count)];
        count = draw_stage(w, p, face, all, c.patterns + c.stages[s].first_feature, &c.stages[s], left, count);
    }
    return c;
}

/* ---- one scale ---- */

/* Stage by stage over all windows, votes as integers. */
static void detect_on_cpu(struct work *w, const struct picture *p, const struct cascade *c,
                          const struct feature *features, const struct scene *s, uint32_t *passed)
{
    int windows = s->columns * s->rows;
    float *contrast = work_buffer(w, (size_t)windows, sizeof *contrast);
    for (int i = 0; i < windows; i++)
        contrast[i] = window_contrast(p, i % s->columns * s->step, i / s->columns * s->step, s->side);
    for (int stage = 0; stage < STAGES; stage++)
        for (int i = 0; i < windows; i++)
            if (passed[i] == (uint32_t)stage &&
                stage_votes(p, features + c->stages[stage].first_feature, c->stages[stage].features,
                            i % s->columns * s->step, i / s->columns * s->step,
                            contrast[i]) >= c->stages[stage].threshold)
                passed[i]++;
}

struct device {
    CUdeviceptr sums, squares;
};

static CUdeviceptr upload_features(struct work *w, const struct feature *features, int count, int pitch)
{
    struct kernel_feature *to = work_buffer(w, (size_t)count, sizeof *to);
    for (int i = 0; i < count; i++) {
        const struct feature *f = &features[i];
        for (int k = 0; k < 3; k++) {
            int corner = f->part[k].y * pitch + f->part[k].x, below = corner + f->part[k].height * pitch;
            to[i].part[k] = (struct rectangle){corner, corner + f->part[k].width, below, below + f->part[k].width};
            to[i].weight[k] = f->weight[k];
        }
        to[i].threshold = f->threshold;
        to[i].below = f->below;
        to[i].above = f->above;
    }
    return work_upload(w, to, (size_t)count * sizeof *to);
}

static void detect_on_device(struct work *w, const struct device *d, const struct feature *features, int feature_count,
                             struct scene *s, uint32_t *passed)
{
    int windows = s->columns * s->rows, screened = SCREENED, listed = 0;
    memset(passed, 0xff, (size_t)windows * sizeof *passed); /* so that a window that no thread takes is noticed */
    CUdeviceptr sums = d->sums, squares = d->squares, result = work_upload(w, passed, (size_t)windows * sizeof *passed),
                scaled_features = upload_features(w, features, feature_count, s->pitch);
    work_launch(w, "screen",
                (struct work_shape){.x = (unsigned)(s->columns + BLOCK_WIDTH - 1) / BLOCK_WIDTH,
                                    .y = (unsigned)(s->rows + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT},
                (struct work_shape){.x = BLOCK_WIDTH, .y = BLOCK_HEIGHT}, 0,
                (void *[]){&sums, &squares, &scaled_features, s, &screened, &result});
    work_read(w, passed, result, (size_t)windows * sizeof *passed);
    int32_t *list = work_buffer(w, (size_t)windows, sizeof *list);
    for (int i = 0; i < windows; i++)
        if (passed[i] == SCREENED)
            list[listed++] = i;
    if (!listed)
        return;
    CUdeviceptr listing = work_upload(w, list, (size_t)listed * sizeof *list);
    unsigned threads = BLOCK_WIDTH * BLOCK_HEIGHT;
    work_launch(w, "confirm", (struct work_shape){.x = ((unsigned)listed + threads - 1) / threads},
                (struct work_shape){.x = BLOCK_WIDTH, .y = BLOCK_HEIGHT}, 0,
                (void *[]){&sums, &squares, &scaled_features, s, &screened, &listing, &listed, &result});
    work_read(w, passed, result, (size_t)windows * sizeof *passed);
}

/* Integral images: each element is the sum of all pixels above it and to its left, modulo 2^32. */
static struct device upload_picture(struct work *w, const struct picture *p)
{
    size_t pitch = (size_t)p->width + 1, count = pitch * ((size_t)p->height + 1);
    uint32_t *sums = work_buffer(w, count, sizeof *sums), *squares = work_buffer(w, count, sizeof *squares);
    for (size_t y = 0; y < (size_t)p->height; y++)
        for (size_t x = 1; x < pitch; x++) {
            size_t above = y * pitch + x, at = above + pitch;
            uint32_t pixel = p->pixels[y * (size_t)p->width + x - 1];
            sums[at] = pixel + sums[above] + sums[at - 1] - sums[above - 1];
            squares[at] = pixel * pixel + squares[above] + squares[at - 1] - squares[above - 1];
        }
    return (struct device){.sums = work_upload(w, sums, count * sizeof *sums),
                           .squares = work_upload(w, squares, count * sizeof *squares)};
}

/* Paints faces at places that are corners of windows of the first scale; their places go to `faces`. */
static int paint_faces(struct work *w, struct picture *p, struct sample *faces)
{
    int count = 0;
    for (int y = 0; y + SIDE <= p->height; y += FACE_EVERY)
        for (int x = 0; x + SIDE <= p->width; x += FACE_EVERY) {
            int room_x = (p->width - x < FACE_EVERY ? p->width - x : FACE_EVERY) - SIDE;
            int room_y = (p->height - y < FACE_EVERY ? p->height - y : FACE_EVERY) - SIDE;
            faces[count].x = x + STEP * (int)work_random_below(w, (uint32_t)room_x / STEP + 1);
            faces[count].y = y + STEP * (int)work_random_below(w, (uint32_t)room_y / STEP + 1);
            paint_face(p->pixels, p->width, faces[count].x, faces[count].y);
            count++;
        }
    return count;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *problem = &problem_of[size];
    struct picture p = paint(w, problem->width, problem->height);
    size_t squares = (size_t)(p.width / FACE_EVERY + 1) * (size_t)(p.height / FACE_EVERY + 1);
    struct sample *faces = work_buffer(w, squares, sizeof *faces);
    int face_count = paint_faces(w, &p, faces), found = 0, scales = 0, windows = 0;
    sum_rows(&p);
    faces[0].contrast = window_contrast(&p, faces[0].x, faces[0].y, SIDE);
    struct samples all = first_windows(w, &p);
    struct cascade c = draw_cascade(w, &p, &all, faces[0]);
    struct device d = upload_picture(w, &p);
    work_write(w, work_symbol(w, "stages", sizeof c.stages), c.stages, sizeof c.stages);
    struct feature *features = work_buffer(w, (size_t)c.feature_count, sizeof *features);
    double scale = 1;
    for (; scales < problem->scales; scales++, scale *= scale_factor) {
        struct scene s = lay_windows(&p, scale);
        if (s.side > p.width || s.side > p.height || s.side > MOST_SIDE)
            break;
        for (int i = 0; i < c.feature_count; i++)
            features[i] = scale_pattern(&c.patterns[i], scale, s.side);
        size_t count = (size_t)(s.columns * s.rows);
        uint32_t *got = work_buffer(w, count, sizeof *got), *want = work_buffer(w, count, sizeof *want);
        detect_on_device(w, &d, features, c.feature_count, &s, got);
        detect_on_cpu(w, &p, &c, features, &s, want);
        work_compare_u32(w, "stages passed", got, want, count);
        for (size_t i = 0; i < count; i++)
            found += got[i] == STAGES;
        windows += (int)count;
        if (!scales)
            work_check(w, got[faces[0].y / STEP * s.columns + faces[0].x / STEP] == STAGES,
                       "the face that the cascade was made for was not found");
    }
    work_say(w, "%dx%d pixels, %d scales, %d windows, %d faces painted, %d windows pass all stages", p.width, p.height,
             scales, windows, face_count, found);
}

const struct workload workload = {.name = "fcdt", .run = run};
