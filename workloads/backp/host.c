/* One step of training a neural network by back propagation; verified in double precision, unit by unit. */
#include "work.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 16, HEIGHT = 16, HIDDEN = 16 };
enum { COLUMNS = HIDDEN + 1 }; /* of the weights; column 0 is for the bias of the hidden layer, which has no inputs */

static const int inputs_of[] = {[WORK_TEST] = 64, [WORK_SMALL] = 4096, [WORK_PAPER] = 98304};
static const float target = 0.1f;
static const double rate = 0.3f, momentum = 0.3f; /* as in kernels.cu */

struct network {
    int inputs, rows; /* rows of weights: one per input and the bias */
    float *input, *weights, *changes;
    float output_weights[COLUMNS];
};

static double squash(double x)
{
    return 1 / (1 + exp(-x));
}

/* Inputs from 0 to 1, input 0 being the bias. Weights are small, so that sums over thousands of inputs do not drive
 * the hidden units to 0 or 1, where nothing would be learned. */
static struct network draw_network(struct work *w, int inputs)
{
    struct network n = {.inputs = inputs, .rows = inputs + 1};
    size_t weights = (size_t)n.rows * COLUMNS;
    n.input = work_buffer(w, (size_t)n.rows, sizeof *n.input);
    n.weights = work_buffer(w, weights, sizeof *n.weights);
    n.changes = work_buffer(w, weights, sizeof *n.changes);
    n.input[0] = 1;
    for (int i = 1; i <= inputs; i++)
        n.input[i] = work_random_unit(w);
    float scale = 4 / sqrtf((float)inputs);
    for (size_t i = 0; i < weights; i++) {
        n.weights[i] = scale * (work_random_unit(w) - 0.5f);
        n.changes[i] = 0.1f * scale * (work_random_unit(w) - 0.5f);
    }
    for (int i = 0; i < COLUMNS; i++)
        n.output_weights[i] = work_random_unit(w) - 0.5f;
    return n;
}

/* What the forward kernel leaves in the place of each weight: the sum of the products of its own row and as many rows
 * after it as the largest power of two that divides the row's number in its block; of the block's first row, all 16. */
static void check_products(struct work *w, const struct network *n, const float *left)
{
    float *want = work_buffer(w, (size_t)n->inputs * HIDDEN, sizeof *want);
    float *got = work_buffer(w, (size_t)n->inputs * HIDDEN, sizeof *got);
    for (int i = 0; i < n->inputs; i++)
        for (int h = 0; h < HIDDEN; h++) {
            int y = i % HEIGHT, span = y ? y & -y : HEIGHT;
            double sum = 0;
            for (int k = i; k < i + span; k++)
                sum += (double)n->input[k + 1] * n->weights[(k + 1) * COLUMNS + h + 1];
            want[i * HIDDEN + h] = (float)sum;
            got[i * HIDDEN + h] = left[(i + 1) * COLUMNS + h + 1];
        }
    /* Weights are below 2 / sqrt(inputs), and of 16 products each is rounded five times. */
    work_compare_f32(w, "sums of products", got, want, (size_t)n->inputs * HIDDEN, 0,
                     16 * 5 * 0x1p-24f * 2 / sqrtf((float)n->inputs));
}

/* The hidden units from the blocks' sums, and how each is to change: the errors of one output unit, carried back. */
static void find_deltas(const struct network *n, const float *partial, float delta[COLUMNS])
{
    double hidden[COLUMNS] = {1}, sum = 0;
    for (int h = 1; h <= HIDDEN; h++) {
        double in = n->weights[h];
        for (int b = 0; b < n->inputs / HEIGHT; b++)
            in += partial[b * HIDDEN + h - 1];
        hidden[h] = squash(in);
    }
    for (int h = 0; h <= HIDDEN; h++)
        sum += n->output_weights[h] * hidden[h];
    double output = squash(sum), error = output * (1 - output) * (target - output);
    for (int h = 1; h <= HIDDEN; h++)
        delta[h] = (float)(hidden[h] * (1 - hidden[h]) * error * n->output_weights[h]);
}

/* The same from the inputs and weights, in double precision: sums over all inputs, unit by unit. */
static void check_deltas(struct work *w, const struct network *n, const float *got)
{
    float *partial = work_buffer(w, (size_t)(n->inputs / HEIGHT) * HIDDEN, sizeof *partial), want[COLUMNS] = {0};
    for (int h = 0; h < HIDDEN; h++) {
        double sum = 0;
        for (int i = 1; i <= n->inputs; i++)
            sum += (double)n->input[i] * n->weights[i * COLUMNS + h + 1];
        partial[h] = (float)sum; /* as if the first block had had all */
    }
    find_deltas(n, partial, want);
    /* A hidden unit's sum is below 2 * sqrt(inputs), 627 at size paper, and mostly about 1; its error, about 1e-6,
     * changes a unit's activation, which is between 0 and 1, by less. */
    work_compare_f32(w, "deltas", got, want, COLUMNS, 1e-5f, 1e-7f);
}

static void forward_on_device(struct work *w, const struct network *n, CUdeviceptr input, float delta[COLUMNS])
{
    size_t weights = (size_t)n->rows * COLUMNS * sizeof *n->weights;
    size_t partials = (size_t)(n->inputs / HEIGHT) * HIDDEN * sizeof(float);
    CUdeviceptr products = work_upload(w, n->weights, weights), sums = work_alloc(w, partials);
    int hidden = HIDDEN;
    work_launch(w, "forward", (struct work_shape){.y = (unsigned)(n->inputs / HEIGHT)},
                (struct work_shape){.x = WIDTH, .y = HEIGHT}, 0, (void *[]){&input, &products, &sums, &hidden});
    float *left = work_buffer(w, (size_t)n->rows * COLUMNS, sizeof *left), *partial = work_buffer(w, 1, partials);
    work_read(w, left, products, weights);
    work_read(w, partial, sums, partials);
    check_products(w, n, left);
    find_deltas(n, partial, delta);
    check_deltas(w, n, delta);
}

static void adjust_on_device(struct work *w, const struct network *n, CUdeviceptr input, const float delta[COLUMNS],
                             float *weights, float *changes)
{
    size_t bytes = (size_t)n->rows * COLUMNS * sizeof *n->weights;
    CUdeviceptr deltas = work_upload(w, delta, COLUMNS * sizeof *delta), old = work_upload(w, n->weights, bytes),
                moved = work_upload(w, n->changes, bytes);
    int hidden = HIDDEN;
    work_launch(w, "adjust", (struct work_shape){.y = (unsigned)(n->inputs / HEIGHT)},
                (struct work_shape){.x = WIDTH, .y = HEIGHT}, 0, (void *[]){&deltas, &hidden, &input, &old, &moved});
    work_read(w, weights, old, bytes);
    work_read(w, changes, moved, bytes);
}

static void run(struct work *w, enum work_size size)
{
    struct network n = draw_network(w, inputs_of[size]);
    size_t count = (size_t)n.rows * COLUMNS;
    CUdeviceptr input = work_upload(w, n.input, (size_t)n.rows * sizeof *n.input);
    float delta[COLUMNS] = {0};
    forward_on_device(w, &n, input, delta);

    float *weights = work_buffer(w, count, sizeof *weights), *changes = work_buffer(w, count, sizeof *changes);
    float *want_weights = work_buffer(w, count, sizeof *weights),
          *want_changes = work_buffer(w, count, sizeof *changes);
    adjust_on_device(w, &n, input, delta, weights, changes);
    memcpy(want_weights, n.weights, count * sizeof *weights);
    memcpy(want_changes, n.changes, count * sizeof *changes);
    for (int i = 0; i < n.rows; i++)
        for (int h = 1; h <= HIDDEN; h++) {
            int at = i * COLUMNS + h;
            double change = rate * delta[h] * n.input[i] + momentum * n.changes[at];
            want_changes[at] = (float)change;
            want_weights[at] = (float)(n.weights[at] + change);
        }
    /* Three roundings of a sum of two products, and one more; terms of opposite signs may cancel, so not relative. */
    float unit = 4 / sqrtf((float)n.inputs);
    work_compare_f32(w, "changes", changes, want_changes, count, 0, 4 * 0x1p-24f * unit);
    work_compare_f32(w, "weights", weights, want_weights, count, 0, 6 * 0x1p-24f * unit);
    work_say(w, "%d input units, %d hidden units", n.inputs, HIDDEN);
}

const struct workload workload = {.name = "backp", .run = run};
