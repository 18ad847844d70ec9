/* Prices of options by Monte Carlo integration; verified sample by sample, against sums in double precision, and
 * against the closed formula. */
#include "work.h"

#include <math.h>

enum { THREADS = 256, SAMPLE_BLOCKS = 128, SAMPLE_THREADS = 128, MOST_OPTIONS = 512 };

struct problem {
    int options, samples;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.options = 8, .samples = 1000},
    [WORK_SMALL] = {.options = 240, .samples = 4096},
    [WORK_PAPER] = {.options = 348, .samples = 262144},
};

struct option {
    float price, strike, drift, spread; /* as in kernels.cu */
};

static const double riskless = 0.06, volatility = 0.10;

static double normal_distribution(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Sample i of the reference, by bisection: the kernel's is a formula. */
static double sample_of(uint32_t i, uint32_t count)
{
    double p = ((double)(i + 1) * (double)(UINT32_MAX / (count + 1)) + 0.5) * 0x1p-32, low = -8, high = 8;
    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;
        if (normal_distribution(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The expected payoff by the formula of Black and Scholes, before it is discounted. */
static double expected_payoff(const struct option *o, double life)
{
    double d1 = (log((double)o->price / o->strike) + (riskless + volatility * volatility / 2) * life) / o->spread;
    return o->price * exp(riskless * life) * normal_distribution(d1) - o->strike * normal_distribution(d1 - o->spread);
}

static void check_option(struct work *w, const struct option *o, double life, const double *samples, int count,
                         const float sums[2])
{
    double sum = 0, squares = 0, highest = o->price * exp(o->drift + o->spread * samples[count - 1]);
    for (int i = 0; i < count; i++) {
        double paid = fmax(o->price * exp(o->drift + o->spread * samples[i]) - o->strike, 0);
        sum += paid;
        squares += paid * paid;
    }
    /* A payoff is off by some 2^-20 of the price at the end (exponential function, sample), and a sum by 2^-24 of it
     * for each addition. A thread that is missing changes a sum by 2^-8. */
    double per_payoff = 0x1p-19 * highest, per_sum = 0x1p-24 * (count / THREADS + 10);
    work_check(w, fabs(sums[0] - sum) <= count * per_payoff + sum * per_sum, "sum of payoffs %g, should be %g",
               (double)sums[0], sum);
    work_check(w, fabs(sums[1] - squares) <= 2 * sum * per_payoff + count * per_payoff * per_payoff + squares * per_sum,
               "sum of squares %g, should be %g", (double)sums[1], squares);
    /* The samples cut the distribution into `count` parts, and leave out a part above the last sample, since the steps
     * between them are whole numbers. */
    double last = (double)count * (UINT32_MAX / ((uint32_t)count + 1)) * 0x1p-32;
    double per_price = 2 * (1 - last) * highest + 4 * highest / count + per_payoff + sum / count * per_sum;
    work_check(w, fabs(sums[0] / count - expected_payoff(o, life)) <= per_price, "expected payoff %g, should be %g",
               sums[0] / (double)count, expected_payoff(o, life));
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    int count = p->samples, option_count = p->options;
    struct option options[MOST_OPTIONS] = {0};
    double life[MOST_OPTIONS];
    for (int i = 0; i < option_count; i++) {
        struct option *o = &options[i];
        o->price = 5 + 45 * work_random_unit(w);
        o->strike = 10 + 15 * work_random_unit(w);
        life[i] = 1 + 4 * (double)work_random_unit(w);
        o->drift = (float)((riskless - volatility * volatility / 2) * life[i]);
        o->spread = (float)(volatility * sqrt(life[i]));
    }
    work_write(w, work_symbol(w, "options", sizeof options), options, sizeof options);
    CUdeviceptr samples = work_alloc(w, (size_t)count * sizeof(float)),
                sums = work_alloc(w, (size_t)option_count * 2 * sizeof(float));
    work_launch(w, "make_samples", (struct work_shape){.x = SAMPLE_BLOCKS}, (struct work_shape){.x = SAMPLE_THREADS}, 0,
                (void *[]){&samples, &count});
    work_launch(w, "price_options", (struct work_shape){.x = (unsigned)option_count}, (struct work_shape){.x = THREADS},
                0, (void *[]){&sums, &samples, &count});

    float *got = work_buffer(w, (size_t)count, sizeof *got), *want = work_buffer(w, (size_t)count, sizeof *want),
          (*got_sums)[2] = work_buffer(w, (size_t)option_count, sizeof *got_sums);
    double *exact = work_buffer(w, (size_t)count, sizeof *exact);
    work_read(w, got, samples, (size_t)count * sizeof *got);
    work_read(w, got_sums, sums, (size_t)option_count * sizeof *got_sums);
    for (int i = 0; i < count; i++)
        want[i] = (float)(exact[i] = sample_of((uint32_t)i, (uint32_t)count));
    /* The kernel's p has 24 bits; in the tails the deviate moves by less than three times what p is off. Where the
     * rational function ends, its terms are eight times as large as their sum, and there are eight of them. */
    work_compare_f32(w, "samples", got, want, (size_t)count, 0x1p-18f, 0x1p-21f);
    for (int i = 0; i < option_count; i++)
        check_option(w, &options[i], life[i], exact, count, got_sums[i]);
    work_say(w, "%d options, %d samples", option_count, count);
}

const struct workload workload = {.name = "mc", .run = run};
