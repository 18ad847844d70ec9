/* Prices of options by binomial trees; verified against the binomial distribution of the value at the end. */
#include "work.h"

#include <math.h>

enum { WINDOW = 256, DEPTH = 32, MOST_OPTIONS = 512, PADDING = 16 }; /* as in kernels.cu */

struct option {
    float stock, strike, growth, up, down; /* as in kernels.cu */
};

struct problem {
    unsigned options;
    int steps; /* a multiple of DEPTH */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.options = 4, .steps = 256},
    [WORK_SMALL] = {.options = 240, .steps = 128},
    [WORK_PAPER] = {.options = 256, .steps = 256},
};

static const double rate = 0.02, volatility = 0.30;

static float draw(struct work *w, float least, float most)
{
    return least + (most - least) * work_random_unit(w);
}

/* The tree of Cox, Ross and Rubinstein. */
static struct option draw_option(struct work *w, int steps)
{
    double stock = (double)draw(w, 5, 30), strike = (double)draw(w, 1, 100), years = (double)draw(w, 0.25f, 10);
    double step = years / steps, growth = volatility * sqrt(step), discount = exp(-rate * step);
    double rises = (exp(rate * step) - exp(-growth)) / (exp(growth) - exp(-growth));
    return (struct option){.stock = (float)stock,
                           .strike = (float)strike,
                           .growth = (float)growth,
                           .up = (float)(rises * discount),
                           .down = (float)((1 - rises) * discount)};
}

/* The value of an option after `step` steps of which `rises` went up: the sum over the leaves of the tree that can
 * still be reached, of the ways there, times their discounted probability, times what the option is worth there.
 * Logarithms keep the ways within range; log_factorial[n] is that of n!. */
static double value_by_leaves(const struct option *o, const double *log_factorial, int steps, int step, int rises)
{
    int left = steps - step;
    double sum = 0, log_up = log(o->up), log_down = log(o->down);
    for (int more = 0; more <= left; more++) {
        double gain = o->stock * exp((double)o->growth * (2 * (rises + more) - steps)) - o->strike;
        if (gain <= 0)
            continue;
        double log_ways = log_factorial[left] - log_factorial[more] - log_factorial[left - more];
        sum += gain * exp(log_ways + more * log_up + (left - more) * log_down);
    }
    return sum;
}

/* What the kernel leaves in an option's row; the padding stays 0. It goes back by DEPTH steps at a time, and after
 * `step` steps there are step + 1 nodes: so element i keeps the value of the last such stop that has a node i. */
static void fill_row(const struct option *o, const double *log_factorial, int steps, float *row)
{
    for (int i = 0; i <= steps; i++)
        row[i] = (float)value_by_leaves(o, log_factorial, steps, (i + DEPTH - 1) / DEPTH * DEPTH, i);
}

static void price_by_windows(struct work *w, const struct problem *p, const struct option *options, float *values,
                             float *prices)
{
    int steps = p->steps;
    size_t bytes = MOST_OPTIONS * sizeof *options,
           value_bytes = p->options * ((size_t)steps + PADDING) * sizeof *values;
    work_write(w, work_symbol(w, "options", bytes), options, bytes);
    CUdeviceptr rows = work_alloc(w, value_bytes), out = work_alloc(w, p->options * sizeof *prices);
    work_launch(w, "price", (struct work_shape){.x = p->options}, (struct work_shape){.x = WINDOW}, 0,
                (void *[]){&rows, &out, &steps});
    work_read(w, values, rows, value_bytes);
    work_read(w, prices, out, p->options * sizeof *prices);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t row = (size_t)p->steps + PADDING, count = p->options * row;
    struct option *options = work_buffer(w, MOST_OPTIONS, sizeof *options);
    double *log_factorial = work_buffer(w, row, sizeof *log_factorial);
    float *values = work_buffer(w, count, sizeof *values), *prices = work_buffer(w, p->options, sizeof *prices),
          *want_values = work_buffer(w, count, sizeof *want_values),
          *want_prices = work_buffer(w, p->options, sizeof *want_prices);
    for (size_t n = 1; n <= (size_t)p->steps; n++)
        log_factorial[n] = log_factorial[n - 1] + log((double)n);
    for (unsigned i = 0; i < p->options; i++) {
        options[i] = draw_option(w, p->steps);
        fill_row(&options[i], log_factorial, p->steps, want_values + i * row);
        want_prices[i] = want_values[i * row];
    }
    price_by_windows(w, p, options, values, prices);
    /* A step back is two roundings, each off by 2^-24 of the value at most, and values never cancel: no term is
     * negative. 2^-23 a step covers that, and 2^-19 the exponentials at the leaves. A leaf is a difference: its error
     * is that of the stock's price, which may be 2^-19 of 100 where the difference is small. */
    float relative = 0x1p-23f * (float)p->steps + 0x1p-19f, absolute = 100 * 0x1p-19f;
    work_compare_f32(w, "values", values, want_values, count, relative, absolute);
    work_compare_f32(w, "prices", prices, want_prices, p->options, relative, absolute);
    work_say(w, "%u options, %d steps", p->options, p->steps);
}

const struct workload workload = {.name = "binomial", .run = run};
