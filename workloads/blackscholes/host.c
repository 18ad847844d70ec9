/* Prices of European options; verified against the formula in double precision with erfc() of the C library. */
#include "work.h"

#include <math.h>

enum { THREADS = 128 };

struct problem {
    int options;
    unsigned blocks;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.options = 5000, .blocks = 15},
    [WORK_SMALL] = {.options = 200000, .blocks = 480},
    [WORK_PAPER] = {.options = 4000000, .blocks = 480},
};

static const float rate = 0.02f, volatility = 0.30f;

struct options {
    float *stocks, *strikes, *years, *calls, *puts;
};

static float draw(struct work *w, float least, float most)
{
    return least + (most - least) * work_random_unit(w);
}

static double cumulative_normal(double d)
{
    return 0.5 * erfc(-d / sqrt(2));
}

static void price_by_formula(const struct options *o, int count, float *calls, float *puts)
{
    for (int i = 0; i < count; i++) {
        double spread = (double)volatility * sqrt(o->years[i]);
        double forward = o->stocks[i] * exp((double)rate * o->years[i]); /* the expected price at the end */
        double d = log(forward / o->strikes[i]) / spread, discount = exp(-(double)rate * o->years[i]);
        double call = discount *
                      (forward * cumulative_normal(d + spread / 2) - o->strikes[i] * cumulative_normal(d - spread / 2));
        calls[i] = (float)call;
        puts[i] = (float)(call - o->stocks[i] + discount * o->strikes[i]); /* put-call parity */
    }
}

static void price_by_kernel(struct work *w, const struct problem *p, struct options *o)
{
    int count = p->options;
    float interest = rate, sigma = volatility;
    size_t bytes = (size_t)count * sizeof(float);
    CUdeviceptr stocks = work_upload(w, o->stocks, bytes), strikes = work_upload(w, o->strikes, bytes),
                years = work_upload(w, o->years, bytes), calls = work_alloc(w, bytes), puts = work_alloc(w, bytes);
    work_launch(w, "price", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&calls, &puts, &stocks, &strikes, &years, &interest, &sigma, &count});
    work_read(w, o->calls, calls, bytes);
    work_read(w, o->puts, puts, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t count = (size_t)p->options;
    struct options o = {
        .stocks = work_buffer(w, count, sizeof(float)),
        .strikes = work_buffer(w, count, sizeof(float)),
        .years = work_buffer(w, count, sizeof(float)),
        .calls = work_buffer(w, count, sizeof(float)),
        .puts = work_buffer(w, count, sizeof(float)),
    };
    float *calls = work_buffer(w, count, sizeof *calls), *puts = work_buffer(w, count, sizeof *puts);
    for (size_t i = 0; i < count; i++) {
        o.stocks[i] = draw(w, 5, 30);
        o.strikes[i] = draw(w, 1, 100);
        o.years[i] = draw(w, 0.25f, 10);
    }
    price_by_kernel(w, p, &o);
    price_by_formula(&o, p->options, calls, puts);
    /* The two terms of a price are below 100. The fast exponential and the polynomial put each off by some 1e-6 of
     * itself, and the fast logarithm moves d by up to 2^-21 / 0.15, which moves a term by less than 3e-5. Only options
     * that are nearly worthless are below the bound, and then their opposites are not. */
    work_compare_f32(w, "prices of calls", o.calls, calls, count, 0, 1e-4f);
    work_compare_f32(w, "prices of puts", o.puts, puts, count, 0, 1e-4f);
    work_say(w, "%d options, %u blocks", p->options, p->blocks);
}

const struct workload workload = {.name = "blackscholes", .run = run};
