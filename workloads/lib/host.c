/* Swaptions by paths of LIBOR rates; values are verified in double precision, slopes by changing each rate. */
#include "work.h"

#include <math.h>

enum { THREADS = 64, MOST_RATES = 80, MOST_OPTIONS = 15 };

struct market {
    int32_t rates, steps, options; /* as in kernels.cu */
    float interval;
    int32_t maturity[MOST_OPTIONS];
    float swap_rate[MOST_OPTIONS], volatility[MOST_RATES];
};

struct problem {
    unsigned blocks;
    int paths, steps;
    float more_volatility; /* from each volatility to the next */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.blocks = 2, .paths = 2 * 2 * THREADS, .steps = 8, .more_volatility = 0.005f},
    [WORK_SMALL] = {.blocks = 480, .paths = 480 * THREADS, .steps = 4},
    [WORK_PAPER] = {.blocks = 48, .paths = 48 * THREADS, .steps = 20},
};

/* As in the original, but for volatilities that grow; options that mature later than the rates reach are left out. */
static struct market open_market(int steps, float more_volatility)
{
    static const int maturities[] = {4, 8, 20, 28, 40};
    static const float swap_rates[] = {0.045f, 0.05f, 0.055f};
    struct market m = {.steps = steps, .rates = 2 * steps, .interval = 0.25f};
    for (int i = 0; i < 5 * 3; i++)
        if (maturities[i / 3] <= steps) {
            m.maturity[m.options] = maturities[i / 3];
            m.swap_rate[m.options++] = swap_rates[i % 3];
        }
    for (int i = 0; i < MOST_RATES; i++)
        m.volatility[i] = 0.2f + more_volatility * (float)i;
    return m;
}

/* The value at the end of the path on which rate `changed` begins at 0.05 + `change`. The rates of one maturity are
 * followed through all steps before those of the next: its drift needs only the sums that the maturities before have
 * left for each step. */
static double value_on_cpu(const struct market *m, int changed, double change)
{
    double rate[MOST_RATES], drift[MOST_RATES] = {0}, interval = m->interval;
    for (int i = 0; i < m->rates; i++) {
        rate[i] = 0.05f + (i == changed ? change : 0);
        for (int n = 0; n < m->steps && n < i; n++) {
            double sigma = m->volatility[i - n - 1];
            drift[n] += interval * sigma * rate[i] / (1 + interval * rate[i]);
            rate[i] *= exp(sigma * (interval * drift[n] + sqrt(interval) * 0.3f - interval * sigma / 2));
        }
    }
    double value = 0, discount = 1;
    for (int i = 0; i < m->options; i++) {
        double bond = 1, annuity = 0;
        for (int n = 0; n < m->maturity[i]; n++) {
            bond /= 1 + interval * rate[m->steps + n];
            annuity += interval * bond;
        }
        value += 100 * fmax(1 - bond - m->swap_rate[i] * annuity, 0);
    }
    for (int n = 0; n < m->steps; n++)
        discount /= 1 + interval * rate[n];
    return discount * value;
}

/* `want` has `count` values, which the paths have in turn. */
static void compare(struct work *w, const char *what, CUdeviceptr from, int paths, const double *want, int count)
{
    /* A step multiplies rates by an exponential that is off by 2^-21; 40 steps add to 2e-5. Rates are 0.05 or more, and
     * an option's value, in which nearly equal numbers are subtracted, may be off by some ten times as much. */
    const float tolerance = 3e-4f;
    float *got = work_buffer(w, (size_t)paths, sizeof *got), *wanted = work_buffer(w, (size_t)paths, sizeof *wanted);
    work_read(w, got, from, (size_t)paths * sizeof *got);
    for (int i = 0; i < paths; i++)
        wanted[i] = (float)want[i % count];
    work_compare_f32(w, what, got, wanted, (size_t)paths, tolerance, 0);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct market m = open_market(p->steps, p->more_volatility);
    work_write(w, work_symbol(w, "m", sizeof m), &m, sizeof m);
    int paths = p->paths;
    size_t bytes = (size_t)paths * sizeof(float);
    CUdeviceptr values = work_alloc(w, bytes), values_again = work_alloc(w, bytes), slopes = work_alloc(w, bytes);
    struct work_shape grid = {.x = p->blocks}, block = {.x = THREADS};
    work_launch(w, "value", grid, block, 0, (void *[]){&values, &paths});
    work_launch(w, "value_and_slopes", grid, block, 0, (void *[]){&values_again, &slopes, &paths});

    const double change = 1e-5;
    double value = value_on_cpu(&m, 0, 0), slope[MOST_RATES];
    for (int i = 0; i < m.rates; i++)
        slope[i] = (value_on_cpu(&m, i, change) - value_on_cpu(&m, i, -change)) / (2 * change);
    compare(w, "values", values, paths, &value, 1);
    compare(w, "values with slopes", values_again, paths, &value, 1);
    compare(w, "slopes", slopes, paths, slope, m.rates);
    work_say(w, "%d paths, %d rates, %d steps, %d options: value %.4f, last slope %.4f", paths, m.rates, m.steps,
             m.options, value, slope[m.rates - 1]);
}

const struct workload workload = {.name = "lib", .run = run};
