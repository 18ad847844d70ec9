/*
 * What workloads/mc-gpu simulates: a body of voxels, X rays of a tube, and how matter and X rays interact. The formulas
 * are rough fits, good to some ten percent; the structure of the tables is that of the original's material files.
 */
#ifndef HEDDLE_WORKLOADS_MC_GPU_TABLES_H
#define HEDDLE_WORKLOADS_MC_GPU_TABLES_H

#include "work.h"

#include <math.h>

enum { MATERIALS = 3, MOST_SHELLS = 30, RAYLEIGH_POINTS = 128, MOST_LINES = 64 };
enum { AIR, TISSUE, BONE };
enum { ENERGY_BINS = 120, SIDE = 40, VOXELS = SIDE * SIDE * SIDE, LINES = 24, PIXELS = 64, IMAGES = 4 };

static const double first_energy = 5000, bin_width = 1000, rest_energy = 510998.918; /* eV */
static const double body_size = 20;                                                  /* cm */

/* ---- as in kernels.cu ---- */

struct vec3 {
    float x, y, z;
};

struct section {
    float total, compton, rayleigh;
};

struct voxel {
    int32_t material;
    float density;
};

struct shells {
    int32_t count[MATERIALS];
    float electrons[MOST_SHELLS * MATERIALS], ionisation[MOST_SHELLS * MATERIALS], profile[MOST_SHELLS * MATERIALS];
};

struct form_factors {
    float square[MATERIALS * RAYLEIGH_POINTS], sum[MATERIALS * RAYLEIGH_POINTS];
    float a[MATERIALS * RAYLEIGH_POINTS], b[MATERIALS * RAYLEIGH_POINTS];
    uint8_t low[MATERIALS * RAYLEIGH_POINTS], high[MATERIALS * RAYLEIGH_POINTS];
};

struct source {
    struct vec3 at;
    float lowest_cosine, cosine_range, lowest_angle, angle_range, most_slope;
};

struct detector {
    float distance, corner_x, corner_z, pixels_per_cm;
    int32_t columns, rows;
};

struct body {
    int32_t nx, ny, nz;
    struct vec3 size;
    float voxels_per_cm, first_energy, bins_per_ev;
};

struct spectrum {
    int32_t lines;
    float energy[MOST_LINES + 1], cutoff[MOST_LINES];
    int32_t alias[MOST_LINES];
};

struct world {
    struct voxel voxels[VOXELS];
    struct section base[ENERGY_BINS * MATERIALS], slope[ENERGY_BINS * MATERIALS];
    float woodcock[ENERGY_BINS][2], most_sum[ENERGY_BINS * MATERIALS];
    struct shells shells;
    struct form_factors factors;
    struct source source;
    struct detector detector;
    struct body body;
    struct spectrum spectrum;
};

/* ---- matter ---- */

static const float greatest_density[MATERIALS] = {[AIR] = 0.0012f, [TISSUE] = 1, [BONE] = 1.9f};

/* Cross sections per density, 1/cm / (g/cm3): Klein and Nishina's formula times electrons, and powers of the energy. */
static double compton_section(int material, double energy)
{
    static const double electrons[MATERIALS] = {[AIR] = 3.007e23, [TISSUE] = 3.343e23, [BONE] = 3.19e23};
    double k = energy / rest_energy, l = log(1 + 2 * k), square = 7.94079e-26; /* of the electron's radius, cm2 */
    return electrons[material] * 2 * M_PI * square *
           ((1 + k) / (k * k) * (2 * (1 + k) / (1 + 2 * k) - l / k) + l / (2 * k) -
            (1 + 3 * k) / ((1 + 2 * k) * (1 + 2 * k)));
}

static double rayleigh_section(int material, double energy)
{
    static const double at_10_kev[MATERIALS] = {[AIR] = 0.24, [TISSUE] = 0.23, [BONE] = 0.5};
    return at_10_kev[material] * pow(10e3 / energy, 1.7);
}

static double absorption_section(int material, double energy)
{
    static const double at_10_kev[MATERIALS] = {[AIR] = 4.6, [TISSUE] = 4.9, [BONE] = 26};
    return at_10_kev[material] * pow(10e3 / energy, 3.1);
}

static double total_section(int material, double energy)
{
    return compton_section(material, energy) + rayleigh_section(material, energy) +
           absorption_section(material, energy);
}

/* The mean free path in the densest matter of all. */
static double shortest_path(double energy)
{
    double most = 0;
    for (int m = 0; m < MATERIALS; m++)
        most = fmax(most, greatest_density[m] * total_section(m, energy));
    return 1 / most;
}

/* The line through the values at both ends of an energy bin. */
static void fit(double low, double at_low, double at_high, float *base, float *slope)
{
    *slope = (float)((at_high - at_low) / bin_width);
    *base = (float)(at_low - low * (at_high - at_low) / bin_width);
}

static void make_sections(struct world *world)
{
    for (int b = 0; b < ENERGY_BINS; b++) {
        double low = first_energy + b * bin_width, high = low + bin_width;
        fit(low, shortest_path(low), shortest_path(high), &world->woodcock[b][0], &world->woodcock[b][1]);
        for (int m = 0; m < MATERIALS; m++) {
            struct section *base = &world->base[b * MATERIALS + m], *slope = &world->slope[b * MATERIALS + m];
            fit(low, total_section(m, low), total_section(m, high), &base->total, &slope->total);
            fit(low, compton_section(m, low), compton_section(m, high), &base->compton, &slope->compton);
            fit(low, rayleigh_section(m, low), rayleigh_section(m, high), &base->rayleigh, &slope->rayleigh);
        }
    }
}

/* Electrons, ionisation energies in eV, and widths of momentum of the shells of air, water, and bone with water. */
static void make_shells(struct shells *s)
{
    static const struct {
        float electrons, ionisation, profile;
    } list[MATERIALS][7] = {
        [AIR] = {{2, 410, 15}, {2, 25, 60}, {3, 14, 95}},
        [TISSUE] = {{2, 538, 13}, {2, 28, 55}, {4, 13, 90}, {2, 13.6f, 116}},
        [BONE] = {{0.3f, 4038, 5},
                  {0.2f, 2149, 7},
                  {2.4f, 400, 20},
                  {1.2f, 538, 13},
                  {2, 30, 50},
                  {5, 13, 85},
                  {1, 13.6f, 116}},
    };
    static const int count[MATERIALS] = {[AIR] = 3, [TISSUE] = 4, [BONE] = 7};
    for (int m = 0; m < MATERIALS; m++) {
        s->count[m] = count[m];
        for (int i = 0; i < count[m]; i++) {
            s->electrons[m + i * MATERIALS] = list[m][i].electrons;
            s->ionisation[m + i * MATERIALS] = list[m][i].ionisation;
            s->profile[m + i * MATERIALS] = list[m][i].profile;
        }
    }
}

/* ---- Rayleigh's form factors: the density 1 / (1 + q / width)^2 of the square q up to the last point ---- */

static const double factor_width[MATERIALS] = {[AIR] = 6, [TISSUE] = 5, [BONE] = 12}, last_square = 400;

static double cumulated(int material, double square)
{
    double w = factor_width[material];
    return square / (w + square) * (w + last_square) / last_square;
}

static double density_of(int material, double square)
{
    double w = factor_width[material];
    return w / ((w + square) * (w + square)) * (w + last_square) / last_square;
}

/* Between two points the inverse of the cumulated density is a quotient of two polynomials that has the right slope at
 * both ends. */
static void make_form_factors(struct world *world)
{
    struct form_factors *f = &world->factors;
    for (int m = 0; m < MATERIALS; m++) {
        int first = m * RAYLEIGH_POINTS, last = RAYLEIGH_POINTS - 1;
        for (int i = 0; i <= last; i++) {
            double q = i ? last_square * pow(1e-6, 1 - (double)i / last) : 0;
            f->square[first + i] = (float)q;
            f->sum[first + i] = (float)cumulated(m, q);
        }
        for (int i = 0; i < last; i++) {
            double mean = ((double)f->sum[first + i + 1] - f->sum[first + i]) /
                          ((double)f->square[first + i + 1] - f->square[first + i]),
                   here = density_of(m, f->square[first + i]), there = density_of(m, f->square[first + i + 1]),
                   b = 1 - mean * mean / (here * there);
            f->b[first + i] = (float)b;
            f->a[first + i] = (float)(mean / here - b - 1);
        }
        for (int slot = 0; slot < last; slot++) {
            int low = 0, high = last;
            while (low < last - 1 && f->sum[first + low + 1] <= (double)slot / last)
                low++;
            while (high > low + 1 && f->sum[first + high - 1] >= (slot + 1.0) / last)
                high--;
            f->low[first + slot] = (uint8_t)low;
            f->high[first + slot] = (uint8_t)high;
        }
        f->low[first + last] = (uint8_t)(last - 1);
        f->high[first + last] = (uint8_t)last;
        for (int b = 0; b < ENERGY_BINS; b++) {
            double most = (first_energy + (b + 1) * bin_width) * 8.065535669099010e-5;
            world->most_sum[b * MATERIALS + m] = (float)cumulated(m, fmin(most * most, last_square));
        }
    }
}

/* ---- body, tube and detector ---- */

/* A trunk along z in a box of air: an oval of tissue, two lungs, and a spine. */
static void make_body(struct world *world)
{
    for (int i = 0; i < VOXELS; i++) {
        double x = (i % SIDE + 0.5) / SIDE * body_size - 10, y = (i / SIDE % SIDE + 0.5) / SIDE * body_size - 10;
        double lung_x = fabs(x) - 4;
        struct voxel *v = &world->voxels[i];
        *v = (struct voxel){AIR, 0.0012f};
        if (x * x / 81 + y * y / 49 < 1)
            *v = (struct voxel){TISSUE, 1};
        if (lung_x * lung_x / 7 + y * y / 20 < 1)
            *v = (struct voxel){TISSUE, 0.26f};
        if (x * x + (y - 4.5) * (y - 4.5) < 2.2)
            *v = (struct voxel){BONE, 1.9f};
    }
    world->body = (struct body){
        .nx = SIDE,
        .ny = SIDE,
        .nz = SIDE,
        .size = {(float)body_size, (float)body_size, (float)body_size},
        .voxels_per_cm = (float)(SIDE / body_size),
        .first_energy = (float)first_energy,
        .bins_per_ev = (float)(1 / bin_width),
    };
}

/* A tube at 120 kV behind 3 mm of aluminium: Kramers' law and an exponential. Walker's aliases: each line gives what it
 * has too much to one that has too little. */
static void make_spectrum(struct spectrum *s)
{
    double share[LINES], sum = 0;
    s->lines = LINES;
    for (int i = 0; i <= LINES; i++)
        s->energy[i] = (float)(20e3 + 4e3 * i);
    for (int i = 0; i < LINES; i++) {
        double energy = 22e3 + 4e3 * i;
        share[i] = (120e3 - energy) / energy * exp(-0.3 * 2.7 * 26.2 * pow(10e3 / energy, 3));
        sum += share[i];
    }
    for (int i = 0; i < LINES; i++) {
        share[i] *= LINES / sum;
        s->cutoff[i] = 1;
        s->alias[i] = i;
    }
    for (int round = 0; round < LINES - 1; round++) {
        int poor = -1, rich = 0;
        for (int i = 0; i < LINES; i++) {
            if (s->alias[i] == i && s->cutoff[i] == 1 && share[i] < 1 && (poor < 0 || share[i] < share[poor]))
                poor = i;
            rich = share[i] > share[rich] ? i : rich;
        }
        if (poor < 0 || share[rich] <= 1)
            return;
        s->cutoff[poor] = (float)share[poor];
        s->alias[poor] = rich;
        share[rich] -= 1 - share[poor];
        share[poor] = 1;
    }
}

static void make_world(struct world *world)
{
    const double slope = 0.21; /* of the beam's sides: it is a little wider than the body */
    make_sections(world);
    make_shells(&world->shells);
    make_form_factors(world);
    make_body(world);
    make_spectrum(&world->spectrum);
    world->source = (struct source){
        .at = {10, -50, 10},
        .lowest_cosine = (float)-slope,
        .cosine_range = (float)(2 * slope),
        .lowest_angle = (float)(M_PI / 2 - slope),
        .angle_range = (float)(2 * slope),
        .most_slope = (float)slope,
    };
    world->detector = (struct detector){.distance = 50,
                                        .corner_x = -14,
                                        .corner_z = -14,
                                        .pixels_per_cm = PIXELS / 48.0f,
                                        .columns = PIXELS,
                                        .rows = PIXELS};
}

#endif
