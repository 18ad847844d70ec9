// What happens to a photon packet in layered tissue: a step, the border between two layers, absorption, scattering.
// The kernels of workloads/mcml and workloads/gpu-mcml are made of these.

#ifndef HEDDLE_WORKLOADS_PHOTON_H
#define HEDDLE_WORKLOADS_PHOTON_H

#include "device.h"

enum { MOST_LAYERS = 9 }; // those of the tissue, and the medium above and below
enum { REFLECTED, TRANSMITTED, ABSORBED, ENDS };

struct layer {
    float top, bottom; // cm
    float refractive_index;
    float interaction;                // absorption and scattering together, 1/cm
    float mean_free_path;             // its reciprocal, cm
    float absorbed_share;             // of the weight, at an interaction
    float anisotropy;                 // mean cosine of the angle of scattering
    float critical_up, critical_down; // cosines of incidence below which all is reflected at the top and the bottom
};

struct tissue {
    layer layers[MOST_LAYERS]; // 0: the medium above; 1 to layer_count; behind them: the medium below
    int layer_count;
    float first_weight;            // of a photon that has entered the tissue
    float depth_step, radius_step; // of the bins of tallies, cm
    int depths, radii, angles;     // how many bins
};

struct tallies {
    unsigned long long *absorbed;    // [radius][depth]; weights are in units of 1 / WEIGHT_SCALE
    unsigned long long *reflected;   // [angle][radius]
    unsigned long long *transmitted; // [angle][radius]
    unsigned long long *last_random; // of each photon: the state of its random numbers when it ended
    unsigned *ends;                  // how many photons ended in each way
};

__constant__ tissue skin;

#define WEIGHT_SCALE    12000000.0f
#define ROULETTE_WEIGHT 1e-4f
#define ROULETTE_CHANCE 0.1f
#define PI              3.14159265f
#define NEARLY_ONE      (1 - 1e-6f) // a cosine above it is that of no angle at all
#define NEARLY_ZERO     1e-6f       // a cosine below it is that of a right angle

struct photon {
    float x, y, z;
    float ux, uy, uz; // direction
    float weight;
    float step; // cm
    float left; // what is left of the step behind a border, in mean free paths
    int layer;
    int end;
    unsigned long long random; // multiply with carry: the carry, and the last number below it
};

// A multiple of 2^-24 in [0, 1).
static __device__ __forceinline__ float random_unit(photon &p)
{
    p.random = (p.random & 0xffffffff) * 4294883355u + (p.random >> 32);
    return (unsigned)p.random / 256 * 0x1p-24f;
}

// A photon's random numbers depend on its number alone, so it does not matter which thread takes it.
static __device__ __forceinline__ void enter(photon &p, unsigned number)
{
    unsigned long long mixed = (number + 1) * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    p.random = (mixed ^ mixed >> 31) >> 1 | 1;
    p.x = p.y = p.z = 0;
    p.ux = p.uy = 0;
    p.uz = 1;
    p.weight = skin.first_weight;
    p.left = 0;
    p.layer = 1;
    p.end = ABSORBED;
}

// How far the photon flies to its next interaction, or to the border of its layer. Returns whether it is the border.
static __device__ __forceinline__ bool choose_step(photon &p)
{
    const layer &l = skin.layers[p.layer];
    if (p.left == 0) {
        p.step = -__logf(1 - random_unit(p)) * l.mean_free_path;
    } else {
        p.step = p.left * l.mean_free_path;
        p.left = 0;
    }
    float border = p.uz > 0 ? l.bottom : l.top;
    float to_border = __fdividef(border - p.z, p.uz);
    bool meets_border = p.uz != 0 && p.step > to_border;
    if (meets_border) {
        p.left = (p.step - to_border) * l.interaction;
        p.step = to_border;
    }
    return meets_border;
}

static __device__ __forceinline__ void fly(photon &p)
{
    p.x += p.step * p.ux;
    p.y += p.step * p.uy;
    p.z += p.step * p.uz;
}

// The photon left the tissue: its weight counts where and at which angle.
static __device__ __forceinline__ void leave(photon &p, const tallies &t)
{
    float cosine = p.uz;
    unsigned long long *tally = t.transmitted;
    p.end = TRANSMITTED;
    if (p.layer == 0) {
        cosine = -cosine;
        tally = t.reflected;
        p.end = REFLECTED;
    }
    unsigned angle = acosf(cosine) * (2 / PI) * skin.angles;
    unsigned radius = __fdividef(sqrtf(p.x * p.x + p.y * p.y), skin.radius_step);
    if (radius >= skin.radii)
        radius = skin.radii - 1;
    atomicAdd(&tally[angle * skin.radii + radius], (unsigned long long)(p.weight * WEIGHT_SCALE));
    p.weight = 0;
}

// Reflects the photon at a border or lets it pass, by Fresnel's formulas and a random number.
static __device__ __forceinline__ void cross_border(photon &p, const tallies &t)
{
    const layer &here = skin.layers[p.layer];
    float critical = here.critical_up;
    int beyond = p.layer - 1;
    if (p.uz > 0) {
        critical = here.critical_down;
        beyond = p.layer + 1;
    }
    float cos1 = fabsf(p.uz);
    p.uz = -p.uz;
    if (cos1 > critical) {
        float indices = __fdividef(here.refractive_index, skin.layers[beyond].refractive_index);
        float sin1 = sqrtf(1 - cos1 * cos1);
        if (cos1 > NEARLY_ONE)
            sin1 = 0;
        float sin2 = fminf(indices * sin1, 1.0f);
        float cos2 = sqrtf(1 - sin2 * sin2);
        float sin1cos2 = sin1 * cos2, cos1sin2 = cos1 * sin2;
        float cos1cos2 = cos1 * cos2, sin1sin2 = sin1 * sin2;
        if (cos1 > NEARLY_ONE) { // sines of no angle at all: their ratio is that of the indices
            sin1cos2 = 1;
            cos1sin2 = indices;
        }
        float ratio = __fdividef(sin1cos2 - cos1sin2, (sin1cos2 + cos1sin2) * (cos1cos2 + sin1sin2));
        float reflectance = ratio * ratio * (cos1cos2 * cos1cos2 + sin1sin2 * sin1sin2);
        if (cos1 < NEARLY_ZERO || sin2 == 1)
            reflectance = 1;
        if (reflectance < random_unit(p)) {
            p.layer = beyond;
            p.ux *= indices;
            p.uy *= indices;
            p.uz = -copysignf(cos2, p.uz);
            if (beyond == 0 || beyond > skin.layer_count)
                leave(p, t);
        }
    }
}

static __device__ __forceinline__ void absorb(photon &p, const tallies &t)
{
    float lost = p.weight * skin.layers[p.layer].absorbed_share;
    p.weight -= lost;
    unsigned depth = __fdividef(p.z, skin.depth_step);
    unsigned radius = __fdividef(sqrtf(p.x * p.x + p.y * p.y), skin.radius_step);
    if (depth < skin.depths && radius < skin.radii)
        atomicAdd(&t.absorbed[radius * skin.depths + depth], (unsigned long long)(lost * WEIGHT_SCALE));
}

// A new direction, with the angles of Henyey and Greenstein.
static __device__ __forceinline__ void scatter(photon &p)
{
    float g = skin.layers[p.layer].anisotropy;
    float cosine = 2 * random_unit(p) - 1;
    if (g != 0) {
        float part = __fdividef(1 - g * g, 1 + g * cosine);
        cosine = __fdividef(1 + g * g - part * part, 2 * g);
        cosine = fminf(fmaxf(cosine, -1.0f), 1.0f);
    }
    float sine = sqrtf(1 - cosine * cosine);
    float turn = 2 * PI * random_unit(p);
    float a = sine * __cosf(turn), b = sine * __sinf(turn);
    if (fabsf(p.uz) > NEARLY_ONE) {
        p.ux = a;
        p.uy = b;
        p.uz = p.uz >= 0 ? cosine : -cosine;
    } else {
        float ux = p.ux, uy = p.uy, uz = p.uz;
        float per_sine = rsqrtf(1 - uz * uz);
        p.ux = (a * ux * uz - b * uy) * per_sine + ux * cosine;
        p.uy = (a * uy * uz + b * ux) * per_sine + uy * cosine;
        p.uz = __fdividef(-a, per_sine) + uz * cosine;
    }
}

// One step of a photon.
static __device__ __forceinline__ void step(photon &p, const tallies &t)
{
    bool meets_border = choose_step(p);
    fly(p);
    if (meets_border) {
        cross_border(p, t);
    } else {
        absorb(p, t);
        scatter(p);
    }
}

static __device__ __forceinline__ void end(const photon &p, unsigned number, const tallies &t)
{
    t.last_random[number] = p.random;
    atomicAdd(&t.ends[p.end], 1u);
}

#endif
