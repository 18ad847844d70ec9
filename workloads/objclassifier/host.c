/*
 * Objects in a picture by a forest of decision trees: the host draws examples of the classes, grows the forest from
 * them, and draws a picture with objects; the kernel classifies all windows of the picture, at several scales.
 *
 * The reference adds up the pixels of rectangles one by one, without the table of sums, and walks the trees
 * recursively. All is integers and compared exactly.
 */
#include "work.h"

#include <string.h>

enum { BLOCK_X = 16, BLOCK_Y = 8 };
enum { BACKGROUND, DISC, RING, CROSS, STRIPES, CLASSES };
enum {
    WINDOW = 24,
    EXAMPLES = 1200,
    MOST_DEPTH = 14,
    LEAST_EXAMPLES = 3, /* in a node that is split */
    TRIES = 12,         /* random tests per node, of which the best is taken */
    LEAF_VOTES = 240,   /* of a leaf, over all classes */
};

/* As the kernel has them. */
struct node {
    uint8_t corners[4], size[4];
    int32_t threshold, first;
};

struct forest {
    CUdeviceptr nodes, roots, votes;
    int32_t trees;
};

struct picture {
    CUdeviceptr sums;
    int32_t pitch, scale, stride, columns, rows;
};

struct image {
    uint8_t *pixel;
    int width, height;
};

struct wood { /* the host's forest */
    struct node *node;
    uint8_t (*votes)[CLASSES];
    int32_t *root;
    int nodes, leaves, trees, deepest;
    struct image example;   /* all examples, one below the other */
    uint8_t *example_class; /* of each */
};

static const struct {
    int trees, columns, rows, scales, objects; /* columns, rows: of windows at scale 1 */
} problem_of[] = {
    [WORK_TEST] = {.trees = 6, .columns = 20, .rows = 18, .scales = 1, .objects = 6},
    [WORK_SMALL] = {.trees = 5, .columns = 144, .rows = 160, .scales = 1, .objects = 60},
    [WORK_PAPER] = {.trees = 16, .columns = 112, .rows = 112, .scales = 2, .objects = 60},
};

enum { STRIDE = 4 };

/* ---- pictures ---- */

static bool is_on(int class, int x, int y, int side)
{
    int dx = 2 * x - side + 1, dy = 2 * y - side + 1, squared = dx * dx + dy * dy;
    switch (class) {
    case DISC:
        return squared < side * side * 7 / 10;
    case RING:
        return squared < side * side * 8 / 10 && squared > side * side * 3 / 10;
    case CROSS:
        return (dx < side / 3 && -dx < side / 3) || (dy < side / 3 && -dy < side / 3);
    case STRIPES:
        return 6 * x / side % 2;
    default:
        return false;
    }
}

static uint8_t clamped(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void add_to(struct image *to, int left, int top, int value)
{
    uint8_t *pixel = &to->pixel[top * to->width + left];
    *pixel = clamped(*pixel + value);
}

/* Clutter: rectangles of any brightness over each other, about one for 128 pixels, and noise. */
static void draw_background(struct work *w, struct image *to, int top, int height)
{
    for (int i = 0; i < to->width * height; i++)
        to->pixel[top * to->width + i] = 110;
    for (int i = 0; i < to->width * height / 128; i++) {
        int left = (int)work_random_below(w, (uint32_t)to->width), low = (int)work_random_below(w, (uint32_t)height);
        int right = left + 4 + (int)work_random_below(w, 24), high = low + 4 + (int)work_random_below(w, 24);
        int value = (int)work_random_below(w, 81) - 40;
        for (int y = low; y < high && y < height; y++)
            for (int x = left; x < right && x < to->width; x++)
                add_to(to, x, top + y, value);
    }
    for (int i = 0; i < to->width * height; i++)
        add_to(to, i % to->width, top + i / to->width, (int)work_random_below(w, 31) - 15);
}

static void draw_object(struct work *w, struct image *to, int class, int left, int top, int side)
{
    int brightness = 50 + (int)work_random_below(w, 70), sign = work_random_below(w, 4) ? 1 : -1;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            if (is_on(class, x, y, side))
                add_to(to, left + x, top + y, sign * brightness);
}

static struct image new_image(struct work *w, int width, int height)
{
    return (struct image){work_buffer(w, (size_t)width * (size_t)height, 1), width, height};
}

/* Windows with an object that does not quite fill them, or with background alone. */
static void draw_examples(struct work *w, struct wood *f)
{
    f->example = new_image(w, WINDOW, WINDOW * EXAMPLES);
    f->example_class = work_buffer(w, EXAMPLES, 1);
    for (int i = 0; i < EXAMPLES; i++) {
        int class = (int)work_random_below(w, CLASSES + 1) % CLASSES; /* background twice as often */
        int side = WINDOW - (int)work_random_below(w, 6), room = WINDOW - side + 1;
        draw_background(w, &f->example, WINDOW * i, WINDOW);
        int down = (int)work_random_below(w, (uint32_t)room), left = (int)work_random_below(w, (uint32_t)room);
        draw_object(w, &f->example, class, left, WINDOW * i + down, side);
        f->example_class[i] = (uint8_t) class;
    }
}

/* ---- growing the forest ---- */

static int sum_pixels(const struct image *i, int left, int top, int width, int height)
{
    int sum = 0;
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++)
            sum += i->pixel[y * i->width + x];
    return sum;
}

static int difference(const struct image *i, const struct node *n, int left, int top, int scale)
{
    int width = scale * n->size[0], height = scale * n->size[1];
    return sum_pixels(i, left + scale * n->corners[0], top + scale * n->corners[1], width, height) -
           sum_pixels(i, left + scale * n->corners[2], top + scale * n->corners[3], width, height);
}

/* Two rectangles of one size, and a threshold that one of the node's examples has. */
static struct node draw_test(struct work *w, const struct wood *f, const int *example, int count)
{
    struct node n = {.first = 0};
    n.size[0] = (uint8_t)(2 + work_random_below(w, 9));
    n.size[1] = (uint8_t)(2 + work_random_below(w, 9));
    for (int k = 0; k < 4; k++)
        n.corners[k] = (uint8_t)work_random_below(w, WINDOW + 1u - n.size[k % 2]);
    n.threshold = difference(&f->example, &n, 0, WINDOW * example[work_random_below(w, (uint32_t)count)], 1);
    return n;
}

/* How well a test parts the classes: the sum over both sides of the squares of the classes' shares, by the side. */
static double purity(const struct wood *f, const struct node *n, const int *example, int count)
{
    int of[2][CLASSES] = {{0}}, on[2] = {0};
    for (int i = 0; i < count; i++) {
        int side = difference(&f->example, n, 0, WINDOW * example[i], 1) > n->threshold;
        of[side][f->example_class[example[i]]]++;
        on[side]++;
    }
    if (!on[0] || !on[1])
        return -1;
    double pure = 0;
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < CLASSES; c++)
            pure += (double)of[side][c] * of[side][c] / on[side];
    return pure;
}

static void make_leaf(struct wood *f, int at, const int *example, int count)
{
    int of[CLASSES] = {0};
    for (int i = 0; i < count; i++)
        of[f->example_class[example[i]]]++;
    for (int c = 0; c < CLASSES; c++)
        f->votes[f->leaves][c] = (uint8_t)(LEAF_VOTES * of[c] / count);
    f->node[at] = (struct node){.first = ~f->leaves++};
}

static bool is_pure(const struct wood *f, const int *example, int count)
{
    for (int i = 1; i < count; i++)
        if (f->example_class[example[i]] != f->example_class[example[0]])
            return false;
    return true;
}

static void grow(struct work *w, struct wood *f, int at, int *example, int count, int depth)
{
    struct node best = {.first = 0};
    double best_purity = -1;
    if (depth > f->deepest)
        f->deepest = depth;
    if (depth < MOST_DEPTH && count >= LEAST_EXAMPLES && !is_pure(f, example, count))
        for (int i = 0; i < TRIES; i++) {
            struct node n = draw_test(w, f, example, count);
            double pure = purity(f, &n, example, count);
            if (pure > best_purity) {
                best_purity = pure;
                best = n;
            }
        }
    if (best_purity < 0) {
        make_leaf(f, at, example, count);
        return;
    }
    int first = 0;
    for (int i = 0; i < count; i++)
        if (difference(&f->example, &best, 0, WINDOW * example[i], 1) <= best.threshold) {
            int swap = example[first];
            example[first++] = example[i];
            example[i] = swap;
        }
    best.first = f->nodes;
    f->nodes += 2;
    f->node[at] = best;
    grow(w, f, best.first, example, first, depth + 1);
    grow(w, f, best.first + 1, example + first, count - first, depth + 1);
}

/* Each tree from examples drawn with repetition, so that trees differ. */
static void grow_forest(struct work *w, struct wood *f, int trees)
{
    size_t most = (size_t)trees * 2 * EXAMPLES;
    *f = (struct wood){.trees = trees,
                       .node = work_buffer(w, most, sizeof *f->node),
                       .votes = work_buffer(w, most, sizeof *f->votes),
                       .root = work_buffer(w, (size_t)trees, sizeof *f->root)};
    draw_examples(w, f);
    int *example = work_buffer(w, EXAMPLES, sizeof *example);
    for (int t = 0; t < trees; t++) {
        for (int i = 0; i < EXAMPLES; i++)
            example[i] = (int)work_random_below(w, EXAMPLES);
        f->root[t] = f->nodes++;
        grow(w, f, f->root[t], example, EXAMPLES, 0);
    }
}

/* ---- the reference ---- */

static int walk(const struct wood *f, const struct image *i, int at, int x, int y, int scale, int *visited)
{
    const struct node *n = &f->node[at];
    if (n->first < 0)
        return ~n->first;
    ++*visited;
    bool is_second = difference(i, n, x, y, scale) > n->threshold * scale * scale;
    return walk(f, i, n->first + is_second, x, y, scale, visited);
}

static void classify(const struct wood *f, const struct image *i, int x, int y, int scale, uint32_t result[4])
{
    uint32_t votes[CLASSES] = {0}, best = 0;
    int visited = 0;
    for (int t = f->trees - 1; t >= 0; t--) {
        int leaf = walk(f, i, f->root[t], x, y, scale, &visited);
        for (int c = 0; c < CLASSES; c++)
            votes[c] += f->votes[leaf][c];
    }
    for (uint32_t c = CLASSES; c-- > 0;)
        if (votes[c] >= votes[best])
            best = c;
    memcpy(result, (uint32_t[]){best, votes[best], (uint32_t)visited, votes[0]}, 4 * sizeof *result);
}

/* ---- the picture ---- */

static struct image draw_picture(struct work *w, int width, int height, int objects, int most_scale)
{
    struct image i = new_image(w, width, height);
    draw_background(w, &i, 0, height);
    for (int k = 0; k < objects; k++) {
        int unscaled = WINDOW - (int)work_random_below(w, 6);
        int side = unscaled * (1 + (int)work_random_below(w, (uint32_t)most_scale));
        int left = (int)work_random_below(w, (uint32_t)(width - side)), top = height - side;
        draw_object(w, &i, 1 + k % (CLASSES - 1), left, (int)work_random_below(w, (uint32_t)top), side);
    }
    return i;
}

static CUdeviceptr upload_sums(struct work *w, const struct image *i)
{
    size_t pitch = (size_t)i->width + 1, rows = (size_t)i->height + 1;
    uint32_t *sum = work_buffer(w, pitch * rows, sizeof *sum);
    for (size_t y = 1; y < rows; y++)
        for (size_t x = 1; x < pitch; x++)
            sum[y * pitch + x] = sum[(y - 1) * pitch + x] + sum[y * pitch + x - 1] - sum[(y - 1) * pitch + x - 1] +
                                 i->pixel[(y - 1) * (size_t)i->width + x - 1];
    return work_upload(w, sum, pitch * rows * sizeof *sum);
}

/* Classifies all windows of one scale and compares; returns how many are not background. */
static uint32_t run_scale(struct work *w, const struct wood *f, struct forest *forest, const struct image *image,
                          struct picture *p)
{
    int side = WINDOW * p->scale;
    p->columns = (image->width - side) / p->stride + 1;
    p->rows = (image->height - side) / p->stride + 1;
    size_t windows = (size_t)p->columns * (size_t)p->rows;
    uint32_t *got = work_buffer(w, windows, 4 * sizeof *got), *want = work_buffer(w, windows, 4 * sizeof *want);
    CUdeviceptr results = work_alloc(w, windows * 4 * sizeof *got);
    work_launch(w, "objclassifier",
                (struct work_shape){(unsigned)(p->columns + BLOCK_X - 1) / BLOCK_X,
                                    (unsigned)(p->rows + BLOCK_Y - 1) / BLOCK_Y, 1},
                (struct work_shape){BLOCK_X, BLOCK_Y, 1}, 0, (void *[]){forest, p, &results});
    work_read(w, got, results, windows * 4 * sizeof *got);
    uint32_t objects = 0;
    for (int i = 0; i < (int)windows; i++) {
        classify(f, image, i % p->columns * p->stride, i / p->columns * p->stride, p->scale, want + 4 * i);
        objects += want[4 * i] != BACKGROUND;
    }
    work_compare_u32(w, "results", got, want, 4 * windows);
    return objects;
}

static void run(struct work *w, enum work_size size)
{
    int trees = problem_of[size].trees, scales = problem_of[size].scales;
    struct wood f;
    grow_forest(w, &f, trees);
    struct image image = draw_picture(w, (problem_of[size].columns - 1) * STRIDE + WINDOW,
                                      (problem_of[size].rows - 1) * STRIDE + WINDOW, problem_of[size].objects, scales);
    struct forest forest = {.nodes = work_upload(w, f.node, (size_t)f.nodes * sizeof *f.node),
                            .roots = work_upload(w, f.root, (size_t)trees * sizeof *f.root),
                            .votes = work_upload(w, f.votes, (size_t)f.leaves * sizeof *f.votes),
                            .trees = trees};
    struct picture p = {.sums = upload_sums(w, &image), .pitch = image.width + 1, .stride = STRIDE};
    uint32_t objects = 0;
    for (p.scale = 1; p.scale <= scales; p.scale++)
        objects += run_scale(w, &f, &forest, &image, &p);
    work_say(w, "%dx%d pixels, %d trees of %d nodes, %d deep, %u windows are objects", image.width, image.height, trees,
             f.nodes, f.deepest, objects);
}

const struct workload workload = {.name = "objclassifier", .run = run};
