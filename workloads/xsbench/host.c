/*
 * Cross sections of random neutrons in a reactor. The reference draws the neutrons in turn, searches each nuclide's own
 * table, and sums in the opposite order and in long double.
 */
#include "reactor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, CHANNELS = 5 };

/* As in kernels.cu. */
struct point {
    double energy, section[CHANNELS];
};

struct device_reactor {
    CUdeviceptr nuclides_in, nuclide, density, energies, place, tables;
    int32_t nuclides, points;
    int32_t most_nuclides;
};

struct problem {
    int nuclides, points; /* of a reactor; of each nuclide's table */
    uint32_t blocks, lookups;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.nuclides = NUCLIDES_SMALL, .points = 40, .blocks = 1, .lookups = 700},
    [WORK_SMALL] = {.nuclides = NUCLIDES_SMALL, .points = 200, .blocks = 60, .lookups = 30720},
    [WORK_PAPER] = {.nuclides = NUCLIDES_LARGE, .points = 300, .blocks = 60, .lookups = 76800},
};

struct reactor {
    int nuclides, points;
    struct materials materials;
    struct point *tables;
};

static int by_energy(const void *a, const void *b)
{
    const double *x = a, *y = b; /* of a point the energy comes first */
    return (*x > *y) - (*x < *y);
}

static struct reactor build_reactor(struct work *w, const struct problem *p)
{
    struct reactor r = {.nuclides = p->nuclides, .points = p->points, .materials = make_materials(w, p->nuclides)};
    size_t rows = (size_t)p->nuclides * (size_t)p->points;
    r.tables = work_buffer(w, rows, sizeof *r.tables);
    for (size_t i = 0; i < rows; i++) {
        r.tables[i].energy = random_double(w);
        for (int c = 0; c < CHANNELS; c++)
            r.tables[i].section[c] = random_double(w);
    }
    for (int n = 0; n < p->nuclides; n++)
        qsort(r.tables + (size_t)n * (size_t)p->points, (size_t)p->points, sizeof *r.tables, by_energy);
    return r;
}

/* The energies of all tables in one, and for each of them the place in every nuclide's table. */
static void unionise(struct work *w, const struct reactor *r, double *energies, int32_t *place)
{
    size_t rows = (size_t)r->nuclides * (size_t)r->points, nuclides = (size_t)r->nuclides;
    int32_t *reached = work_buffer(w, nuclides, sizeof *reached);
    for (size_t i = 0; i < rows; i++)
        energies[i] = r->tables[i].energy;
    qsort(energies, rows, sizeof *energies, by_energy);
    for (size_t row = 0; row < rows; row++)
        for (size_t n = 0; n < nuclides; n++) {
            const struct point *table = r->tables + n * (size_t)r->points;
            if (reached[n] + 1 < r->points && table[reached[n] + 1].energy <= energies[row])
                reached[n]++;
            place[row * nuclides + n] = reached[n];
        }
}

static void look_up_on_device(struct work *w, const struct problem *p, const struct reactor *r, double *totals,
                              uint32_t *largest)
{
    size_t rows = (size_t)r->nuclides * (size_t)r->points,
           slots = (size_t)MATERIALS * (size_t)r->materials.most_nuclides, places = rows * (size_t)r->nuclides;
    double *energies = work_buffer(w, rows, sizeof *energies);
    int32_t *place = work_buffer(w, places, sizeof *place);
    unionise(w, r, energies, place);
    struct device_reactor d = {
        .nuclides_in = work_upload(w, r->materials.nuclides_in, sizeof r->materials.nuclides_in),
        .nuclide = work_upload(w, r->materials.nuclide, slots * sizeof *r->materials.nuclide),
        .density = work_upload(w, r->materials.density, slots * sizeof *r->materials.density),
        .energies = work_upload(w, energies, rows * sizeof *energies),
        .place = work_upload(w, place, places * sizeof *place),
        .tables = work_upload(w, r->tables, rows * sizeof *r->tables),
        .nuclides = r->nuclides,
        .points = r->points,
        .most_nuclides = r->materials.most_nuclides,
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

/* The nuclide's cross section by a search from the top of its table. */
static long double section_of(const struct reactor *r, int nuclide, double energy, int channel)
{
    const struct point *table = r->tables + (size_t)nuclide * (size_t)r->points;
    int low = r->points - 2;
    while (low > 0 && table[low].energy > energy)
        low--;
    long double span = (long double)table[low + 1].energy - table[low].energy,
                above = ((long double)energy - table[low].energy) / span;
    return table[low].section[channel] * (1 - above) + table[low + 1].section[channel] * above;
}

/* Shares between two points cancel: where points lie close together, and outside of the table, they are large and of
 * opposite signs. So errors count against the sum of absolute values. It has up to 1605 terms of some 4 roundings of
 * 2^-53; as they point into different directions, 10^-15 is what is measured, and 10^-13 is allowed. One wrong nuclide
 * of 321 makes 10^-3 of the sum. */
static const double tolerance = 1e-13;

/* Returns whether the lookup is right. */
static bool compare(struct work *w, const struct reactor *r, uint32_t lookup, double energy, int material, double got,
                    uint32_t largest)
{
    long double sum[CHANNELS] = {0}, total = 0, size = 0;
    int best = 0;
    for (int k = r->materials.nuclides_in[material] - 1; k >= 0; k--)
        for (int c = 0; c < CHANNELS; c++) {
            long double part =
                section_of(r, r->materials.nuclide[material * r->materials.most_nuclides + k], energy, c) *
                r->materials.density[material * r->materials.most_nuclides + k];
            sum[c] += part;
            size += fabsl(part);
        }
    for (int c = 0; c < CHANNELS; c++) {
        total += sum[c];
        best = sum[c] > sum[best] ? c : best;
    }
    bool has_sum = fabsl(got - total) <= tolerance * size,
         has_largest = largest < CHANNELS && sum[best] - sum[largest] <= tolerance * size;
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
    work_say(w, "%u lookups in %d nuclides of %d points", p->lookups, p->nuclides, p->points);
}

const struct workload workload = {.name = "xsbench", .run = run};
