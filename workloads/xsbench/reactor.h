/*
 * The reactor of Hoogenboom and Martin for workloads/xsbench and workloads/rsbench: which nuclides are in which
 * material, and the random neutrons. Small: 68 nuclides; large: 355.
 */
#ifndef HEDDLE_WORKLOADS_REACTOR_H
#define HEDDLE_WORKLOADS_REACTOR_H

#include "work.h"

enum { MATERIALS = 12, FUEL_SMALL = 34, FUEL_LARGE = 321, NUCLIDES_SMALL = 68, NUCLIDES_LARGE = 355 };

struct materials {
    int most_nuclides; /* of a material */
    int32_t nuclides_in[MATERIALS];
    int32_t *nuclide; /* [MATERIALS][most_nuclides] */
    double *density;  /* [MATERIALS][most_nuclides] */
};

/* The nuclides of the materials of Hoogenboom and Martin's reactor, by number. Materials 5 to 9 are alike, and so are
 * water (2, 3) and the ends of fuel assemblies (10, 11). The large reactor's fuel has 287 nuclides more. */
static const int fuel[] = {58, 59, 60, 61, 40, 42, 43, 44, 45, 46, 1,  2,  3,  7,  8,  9,  10,
                           29, 57, 47, 48, 0,  62, 15, 33, 34, 52, 53, 54, 55, 56, 18, 23, 41},
                 cladding[] = {63, 64, 65, 66, 67}, water[] = {24, 41, 4, 5},
                 vessel[] = {19, 20, 21, 22, 35, 36, 37, 38, 39, 25, 27, 28, 29, 30,
                             31, 32, 26, 49, 50, 51, 11, 12, 13, 14, 6,  16, 17},
                 reflector[] = {24, 41, 4, 5, 19, 20, 21, 22, 35, 36, 37, 38, 39, 25, 49, 50, 51, 11, 12, 13, 14},
                 fuel_end[] = {24, 41, 4, 5, 63, 64, 65, 66, 67};
static const double share[MATERIALS] = {0,     0.052, 0.275, 0.134, 0.154, 0.064,
                                        0.066, 0.055, 0.008, 0.015, 0.025, 0.013}; /* the fuel: the rest */

static const uint64_t first_seed = 1070;

static double random_double(struct work *w)
{
    double high = (double)work_random(w), low = (double)work_random(w);
    return (high + low * 0x1p-32) * 0x1p-32;
}

#define LIST(name)                          \
    {                                       \
        name, sizeof(name) / sizeof *(name) \
    }

static struct materials make_materials(struct work *w, int nuclides)
{
    const struct {
        const int *nuclide;
        size_t count;
    } list[MATERIALS] = {LIST(fuel),      LIST(cladding),  LIST(water),     LIST(water),
                         LIST(vessel),    LIST(reflector), LIST(reflector), LIST(reflector),
                         LIST(reflector), LIST(reflector), LIST(fuel_end),  LIST(fuel_end)};
    int most = nuclides == NUCLIDES_SMALL ? FUEL_SMALL : FUEL_LARGE;
    size_t slots = (size_t)MATERIALS * (size_t)most;
    struct materials a = {.most_nuclides = most,
                          .nuclide = work_buffer(w, slots, sizeof *a.nuclide),
                          .density = work_buffer(w, slots, sizeof *a.density)};
    for (int m = 0; m < MATERIALS; m++) {
        a.nuclides_in[m] = m ? (int32_t)list[m].count : most;
        for (int i = 0; i < a.nuclides_in[m]; i++) {
            a.nuclide[m * most + i] = i < (int)list[m].count ? list[m].nuclide[i] : NUCLIDES_SMALL + i - FUEL_SMALL;
            a.density[m * most + i] = random_double(w);
        }
    }
    return a;
}

/* ---- neutrons, one after the other ---- */

static double draw(uint64_t *seed)
{
    *seed = (*seed * UINT64_C(2806196910506780709) + 1) & INT64_MAX;
    return (double)*seed * 0x1p-63;
}

static int draw_material(uint64_t *seed)
{
    double chance = draw(seed), sum = 0;
    for (int m = 1; m < MATERIALS; m++)
        if (chance < (sum += share[m]))
            return m;
    return 0;
}

#endif
