/*
 * Cross sections of random neutrons in a reactor by the multipole method. The reference draws the neutrons in turn, and
 * computes with C's complex numbers in long double, in the opposite order.
 */
#include "../xsbench/reactor.h"

#include <complex.h>
#include <math.h>

enum { THREADS = 64, CHANNELS = 4, MOMENTA = 4, SERIES = 10 };

/* As in kernels.cu. */
struct pole {
    double energy[2], residue[3][2]; /* of the total, absorption and fission */
    int32_t momentum;
};

struct window {
    double background[3];
    int32_t first_pole, end_pole;
};

struct device_reactor {
    CUdeviceptr nuclides_in, nuclide, density, windows_in, radius, windows, poles;
    int32_t most_nuclides, most_windows, most_poles;
};

struct problem {
    int nuclides, poles, windows; /* of a reactor; of each nuclide on average */
    uint32_t blocks, lookups;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.nuclides = NUCLIDES_SMALL, .poles = 20, .windows = 10, .blocks = 1, .lookups = 160},
    [WORK_SMALL] = {.nuclides = NUCLIDES_SMALL, .poles = 20, .windows = 10, .blocks = 150, .lookups = 12288},
    [WORK_PAPER] = {.nuclides = NUCLIDES_LARGE, .poles = 1000, .windows = 100, .blocks = 15, .lookups = 3360},
};

struct reactor {
    struct materials materials;
    int nuclides, most_poles, most_windows;
    int32_t *windows_in;
    double *radius;
    struct window *windows;
    struct pole *poles;
};

/* Each has one; the others fall on random ones. Returns the most that one has. */
static int distribute(struct work *w, int32_t *count, int nuclides, int average)
{
    int most = 0;
    for (int i = 0; i < nuclides; i++)
        count[i] = 1;
    for (int i = 0; i < nuclides * (average - 1); i++)
        count[work_random_below(w, (uint32_t)nuclides)]++;
    for (int i = 0; i < nuclides; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

/* Poles lie in [0, spread) in both directions, so that one argument in 200 is in the circle where Faddeeva's function
 * needs its series. */
static const double spread = 152.5;

static void make_poles(struct work *w, struct pole *p, int count)
{
    for (int i = 0; i < count; i++, p++) {
        for (int k = 0; k < 2; k++)
            p->energy[k] = spread * random_double(w);
        for (int c = 0; c < 3; c++) {
            p->residue[c][0] = spread * random_double(w);
            p->residue[c][1] = random_double(w);
        }
        p->momentum = (int32_t)work_random_below(w, MOMENTA);
    }
}

static struct reactor build_reactor(struct work *w, const struct problem *p)
{
    struct reactor r = {.materials = make_materials(w, p->nuclides), .nuclides = p->nuclides};
    size_t nuclides = (size_t)p->nuclides;
    int32_t *poles_in = work_buffer(w, nuclides, sizeof *poles_in);
    r.windows_in = work_buffer(w, nuclides, sizeof *r.windows_in);
    r.most_poles = distribute(w, poles_in, p->nuclides, p->poles);
    r.most_windows = distribute(w, r.windows_in, p->nuclides, p->windows);
    r.radius = work_buffer(w, nuclides * MOMENTA, sizeof *r.radius);
    r.poles = work_buffer(w, nuclides * (size_t)r.most_poles, sizeof *r.poles);
    r.windows = work_buffer(w, nuclides * (size_t)r.most_windows, sizeof *r.windows);
    for (int n = 0; n < p->nuclides; n++) {
        make_poles(w, r.poles + n * r.most_poles, poles_in[n]);
        for (int i = 0; i < r.windows_in[n]; i++) {
            struct window *window = &r.windows[n * r.most_windows + i];
            for (int c = 0; c < 3; c++)
                window->background[c] = random_double(w);
            window->first_pole = (int32_t)((int64_t)poles_in[n] * i / r.windows_in[n]);
            window->end_pole = (int32_t)((int64_t)poles_in[n] * (i + 1) / r.windows_in[n]);
        }
        for (int l = 0; l < MOMENTA; l++)
            r.radius[n * MOMENTA + l] = random_double(w);
    }
    return r;
}

static void look_up_on_device(struct work *w, const struct problem *p, const struct reactor *r, double *totals,
                              uint32_t *largest)
{
    const struct materials *m = &r->materials;
    size_t slots = (size_t)MATERIALS * (size_t)m->most_nuclides, nuclides = (size_t)r->nuclides;
    struct device_reactor d = {
        .nuclides_in = work_upload(w, m->nuclides_in, sizeof m->nuclides_in),
        .nuclide = work_upload(w, m->nuclide, slots * sizeof *m->nuclide),
        .density = work_upload(w, m->density, slots * sizeof *m->density),
        .windows_in = work_upload(w, r->windows_in, nuclides * sizeof *r->windows_in),
        .radius = work_upload(w, r->radius, nuclides * MOMENTA * sizeof *r->radius),
        .windows = work_upload(w, r->windows, nuclides * (size_t)r->most_windows * sizeof *r->windows),
        .poles = work_upload(w, r->poles, nuclides * (size_t)r->most_poles * sizeof *r->poles),
        .most_nuclides = m->most_nuclides,
        .most_windows = r->most_windows,
        .most_poles = r->most_poles,
    };
    CUdeviceptr sums = work_alloc(w, p->lookups * sizeof *totals),
                channels = work_alloc(w, p->lookups * sizeof *largest);
    uint64_t seed = first_seed;
    uint32_t lookups = p->lookups;
    work_launch(w, "look_up", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&d, &seed, &lookups, &sums, &channels});
    work_read(w, totals, sums, p->lookups * sizeof *totals);
    work_read(w, largest, channels, p->lookups * sizeof *largest);
}

/* ---- the reference ---- */

typedef long double complex number;

/* With RSBench's rounded constants, and (1 + x / 4096)^4096 for e^x, which are part of what is computed. */
static number faddeeva(number z)
{
    static const double factor[SERIES] = {2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02,
                                          2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04},
                        square[SERIES] = {9.869604e+00, 3.947842e+01, 8.882644e+01, 1.579137e+02, 2.467401e+02,
                                          3.553058e+02, 4.836106e+02, 6.316547e+02, 7.994380e+02, 9.869604e+02};
    if (cabsl(z) >= 6)
        return I * z *
               (0.512424224754768 / (z * z - 0.275255128608411) + 0.051765358792988 / (z * z - 2.724744871391589));
    number turn = 12 * I * z;
    number power = powl(1 + creall(turn) / 4096, 4096) * cexpl(I * cimagl(turn)), sum = 0;
    for (int n = SERIES - 1; n >= 0; n--)
        sum += factor[n] * ((n % 2 ? power : -power) - 1) / (square[n] - 144 * z * z);
    return I * (1 - power) / (12 * z) + I * 8.124330e+01 * z * sum;
}

static number phase(double radius, double energy, int momentum)
{
    long double phi = radius * sqrtl(energy), square = phi * phi;
    long double shift[MOMENTA] = {0, -atanl(phi), atanl(3 * phi / (3 - square)),
                                  atanl(phi * (15 - square) / (15 - 6 * square))};
    return cexpl(-2 * I * (phi - shift[momentum]));
}

/* Adds density times the three sections to `sum`, and the absolute values of all terms to `size`. */
static void add_nuclide(const struct reactor *r, int n, double energy, double density, long double *sum,
                        long double *size)
{
    int window = (int)(energy / (1.0 / r->windows_in[n]));
    window = window < r->windows_in[n] ? window : r->windows_in[n] - 1;
    const struct window *at = &r->windows[n * r->most_windows + window];
    for (int i = at->end_pole - 1; i >= at->first_pole; i--) {
        const struct pole *p = &r->poles[n * r->most_poles + i];
        number broadened = faddeeva((energy - p->energy[0] - I * p->energy[1]) / 2);
        for (int c = 0; c < 3; c++) {
            number residue = p->residue[c][0] + I * p->residue[c][1],
                   term = density * residue * broadened *
                          (c == 0 ? phase(r->radius[n * MOMENTA + p->momentum], energy, p->momentum) : 1);
            sum[c] += creall(term);
            *size += cabsl(term);
        }
    }
    for (int c = 0; c < 3; c++)
        sum[c] += density * energy * at->background[c];
}

/* (1 + x / 4096)^4096 multiplies the rounding of its base, 2^-53, by 4096, and the terms of the series cancel, by a
 * factor of 32 at worst. The rest has some 30 roundings per term. So errors stay below 2^-36 of the sum of all terms'
 * absolute values. A missing pole makes 10^-4 of it. */
static const double tolerance = 0x1p-36;

/* Returns whether the lookup is right. */
static bool compare(struct work *w, const struct reactor *r, uint32_t lookup, double energy, int material, double got,
                    uint32_t largest)
{
    const struct materials *m = &r->materials;
    long double sum[CHANNELS] = {0}, total = 0, size = 0;
    int best = 0;
    for (int k = m->nuclides_in[material] - 1; k >= 0; k--)
        add_nuclide(r, m->nuclide[material * m->most_nuclides + k], energy, m->density[material * m->most_nuclides + k],
                    sum, &size);
    sum[3] = sum[0] - sum[1];
    for (int c = 0; c < CHANNELS; c++) {
        total += (c + 1) * sum[c];
        best = sum[c] > sum[best] ? c : best;
    }
    size += m->nuclides_in[material];
    bool has_sum = fabsl(got - total) <= 10 * tolerance * size,
         has_largest = largest < CHANNELS && sum[best] - sum[largest] <= 2 * tolerance * size;
    work_check(w, has_sum, "lookup %u: the sections' sum is %.17g, and not %.17g", lookup, got, (double)total);
    work_check(w, has_largest, "lookup %u: section %u is the largest, and not %d", lookup, largest, best);
    return has_sum && has_largest;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct reactor r = build_reactor(w, p);
    double *totals = work_buffer(w, p->lookups, sizeof *totals);
    uint32_t *largest = work_buffer(w, p->lookups, sizeof *largest);
    look_up_on_device(w, p, &r, totals, largest);
    uint64_t seed = first_seed;
    bool is_right = true;
    for (uint32_t i = 0; i < p->lookups && is_right; i++) {
        double energy = draw(&seed);
        is_right = compare(w, &r, i, energy, draw_material(&seed), totals[i], largest[i]);
    }
    work_say(w, "%u lookups in %d nuclides of %d poles in %d windows", p->lookups, p->nuclides, p->poles, p->windows);
}

const struct workload workload = {.name = "rsbench", .run = run};
