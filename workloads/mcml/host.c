/*
 * Photon packets in layered skin. The reference follows the same photons with the same random numbers in double
 * precision, with the textbook's formulas of Fresnel and with a frame of three vectors for the turn of a direction.
 *
 * workloads/gpu-mcml includes this file and chooses another skin.
 */
#include "work.h"

#include <math.h>
#include <stdlib.h>

#ifndef MCML_NAME
#define MCML_NAME "mcml"
/* 30 blocks are what the original launches on a machine with 30 multiprocessors. */
#define MCML_PROBLEMS                                                    \
    [WORK_TEST] = {.skin = &at_337_nm, .blocks = 1, .photons = 320},     \
    [WORK_SMALL] = {.skin = &at_337_nm, .blocks = 30, .photons = 12288}, \
    [WORK_PAPER] = {.skin = &at_600_nm, .blocks = 30, .photons = 24600},
#endif

enum { THREADS = 256, MOST_LAYERS = 9 };
enum { REFLECTED, TRANSMITTED, ABSORBED, ENDS };

static const double weight_scale = 12e6, roulette_weight = 1e-4, roulette_chance = 0.1, pi = 3.14159265358979;

/* As in photon.h. */
struct layer {
    float top, bottom, refractive_index, interaction, mean_free_path, absorbed_share, anisotropy, critical_up,
        critical_down;
};

struct tissue {
    struct layer layers[MOST_LAYERS];
    int32_t layer_count;
    float first_weight, depth_step, radius_step;
    int32_t depths, radii, angles;
};

struct tallies {
    CUdeviceptr absorbed, reflected, transmitted, last_random, ends;
};

/* A skin as its publication describes it, from the top. */
struct skin {
    int layer_count, depths, radii;
    struct {
        double refractive_index, absorption, scattering, anisotropy, thickness; /* cm */
    } layer[7];
};

/* Seven layers at 600 nm: Meglinsky and Matcher 2001, as distributed with the original. */
__attribute__((unused)) static const struct skin at_600_nm = {
    .layer_count = 7,
    .depths = 500,
    .radii = 200,
    .layer =
        {
            {1.53, 0.2, 1000, 0.9, 0.002},  /* stratum corneum */
            {1.34, 0.15, 400, 0.85, 0.008}, /* living epidermis */
            {1.4, 0.7, 300, 0.8, 0.01},     /* papillary dermis */
            {1.39, 1, 350, 0.9, 0.008},     /* upper blood net */
            {1.4, 0.7, 200, 0.76, 0.162},   /* dermis */
            {1.39, 1, 350, 0.95, 0.02},     /* deep blood net */
            {1.44, 0.3, 150, 0.8, 0.59},    /* fat */
        },
};

/* Five layers at 337 nm: Tuchin et al. 1994, as distributed with the original. */
__attribute__((unused)) static const struct skin at_337_nm = {
    .layer_count = 5,
    .depths = 256,
    .radii = 256,
    .layer =
        {
            {1.5, 32, 165, 0.72, 0.01}, /* epidermis */
            {1.4, 23, 227, 0.72, 0.02}, /* dermis */
            {1.4, 40, 246, 0.72, 0.02}, /* upper blood net */
            {1.4, 23, 227, 0.72, 0.09}, /* dermis */
            {1.4, 46, 253, 0.72, 0.06}, /* deep blood net */
        },
};

static const double depth_step = 0.002, radius_step = 0.01;
enum { ANGLES = 30 };

struct problem {
    const struct skin *skin;
    uint32_t blocks, photons;
};

static const struct problem problem_of[] = {MCML_PROBLEMS};

/* What photons left behind, on the device and on the CPU. */
struct outcome {
    uint64_t *absorbed, *reflected, *transmitted, *last_random;
    uint32_t ends[ENDS];
};

static double index_of(const struct skin *s, int layer) /* 0 and layer_count + 1: air */
{
    return layer == 0 || layer > s->layer_count ? 1.0 : s->layer[layer - 1].refractive_index;
}

static double entering_weight(const struct skin *s)
{
    double ratio = (1 - index_of(s, 1)) / (1 + index_of(s, 1));
    return 1 - ratio * ratio;
}

/* The cosine of incidence below which all light is reflected. */
static float critical_cosine(double index, double beyond)
{
    return index > beyond ? (float)sqrt(1 - beyond * beyond / (index * index)) : 0.0f;
}

static struct tissue describe(const struct skin *s)
{
    struct tissue t = {
        .layer_count = s->layer_count,
        .first_weight = (float)entering_weight(s),
        .depth_step = (float)depth_step,
        .radius_step = (float)radius_step,
        .depths = s->depths,
        .radii = s->radii,
        .angles = ANGLES,
    };
    double top = 0;
    t.layers[0].refractive_index = t.layers[s->layer_count + 1].refractive_index = 1;
    for (int i = 1; i <= s->layer_count; i++) {
        double absorption = s->layer[i - 1].absorption, interaction = absorption + s->layer[i - 1].scattering;
        double bottom = top + s->layer[i - 1].thickness;
        t.layers[i] = (struct layer){
            .top = (float)top,
            .bottom = (float)bottom,
            .refractive_index = (float)index_of(s, i),
            .interaction = (float)interaction,
            .mean_free_path = (float)(1 / interaction),
            .absorbed_share = (float)(absorption / interaction),
            .anisotropy = (float)s->layer[i - 1].anisotropy,
            .critical_up = critical_cosine(index_of(s, i), index_of(s, i - 1)),
            .critical_down = critical_cosine(index_of(s, i), index_of(s, i + 1)),
        };
        top = bottom;
    }
    return t;
}

/* ---- the reference ---- */

struct vec {
    double x, y, z;
};

struct packet {
    struct vec at, direction;
    double weight, left;
    int layer;
    uint64_t random;
};

static double draw(struct packet *p)
{
    p->random = (p->random & UINT32_MAX) * UINT64_C(4294883355) + (p->random >> 32);
    return (double)((uint32_t)p->random >> 8) / (1 << 24);
}

static uint64_t first_random(uint32_t photon)
{
    uint64_t x = ((uint64_t)photon + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) >> 1 | 1;
}

static uint64_t radius_bin(const struct packet *p)
{
    return (uint64_t)(hypot(p->at.x, p->at.y) / radius_step);
}

/* The mean reflectance of both polarisations at a cosine of incidence. */
static double fresnel(double n1, double n2, double cos1)
{
    double sine = n1 / n2 * sqrt(1 - cos1 * cos1);
    if (sine >= 1)
        return 1;
    double cos2 = sqrt(1 - sine * sine);
    double s = (n1 * cos1 - n2 * cos2) / (n1 * cos1 + n2 * cos2), q = (n1 * cos2 - n2 * cos1) / (n1 * cos2 + n2 * cos1);
    return (s * s + q * q) / 2;
}

static void meet_border(const struct skin *s, struct packet *p, struct outcome *o)
{
    struct vec *u = &p->direction;
    bool goes_down = u->z > 0;
    int beyond = p->layer + (goes_down ? 1 : -1);
    double n1 = index_of(s, p->layer), n2 = index_of(s, beyond), cos1 = fabs(u->z);
    u->z = -u->z;
    if (n1 > n2 && n1 * sqrt(1 - cos1 * cos1) >= n2) /* total reflection needs no random number */
        return;
    if (fresnel(n1, n2, cos1) >= draw(p))
        return;
    double sine = n1 / n2 * sqrt(1 - cos1 * cos1), cos2 = sqrt(1 - sine * sine);
    *u = (struct vec){u->x * n1 / n2, u->y * n1 / n2, goes_down ? cos2 : -cos2};
    p->layer = beyond;
    if (beyond != 0 && beyond <= s->layer_count)
        return;
    uint64_t radius = radius_bin(p), angle = (uint64_t)(acos(cos2) / (pi / 2) * ANGLES);
    if (radius >= (uint64_t)s->radii)
        radius = (uint64_t)s->radii - 1;
    (beyond ? o->transmitted : o->reflected)[angle * (uint64_t)s->radii + radius] +=
        (uint64_t)(p->weight * weight_scale);
    o->ends[beyond ? TRANSMITTED : REFLECTED]++;
    p->weight = 0;
}

/* The frame of the direction u: e lies in the plane of u and z, f is perpendicular to both. */
static void turn(struct vec *u, double cosine, double angle)
{
    double sine = sqrt(1 - cosine * cosine), flat = hypot(u->x, u->y);
    struct vec e = {1, 0, 0}, f = {0, 1, 0};
    if (fabs(u->z) <= 1 - 1e-6) {
        e = (struct vec){u->x * u->z / flat, u->y * u->z / flat, -flat};
        f = (struct vec){-u->y / flat, u->x / flat, 0};
    } else {
        *u = (struct vec){0, 0, u->z >= 0 ? 1 : -1};
    }
    double a = sine * cos(angle), b = sine * sin(angle);
    *u = (struct vec){cosine * u->x + a * e.x + b * f.x, cosine * u->y + a * e.y + b * f.y,
                      cosine * u->z + a * e.z + b * f.z};
}

static void interact(const struct skin *s, struct packet *p, struct outcome *o)
{
    double absorption = s->layer[p->layer - 1].absorption, scattering = s->layer[p->layer - 1].scattering,
           g = s->layer[p->layer - 1].anisotropy;
    double lost = p->weight * absorption / (absorption + scattering);
    uint64_t depth = p->at.z < 0 ? 0 : (uint64_t)(p->at.z / depth_step), radius = radius_bin(p);
    p->weight -= lost;
    if (depth < (uint64_t)s->depths && radius < (uint64_t)s->radii)
        o->absorbed[radius * (uint64_t)s->depths + depth] += (uint64_t)(lost * weight_scale);
    double part = (1 - g * g) / (1 - g + 2 * g * draw(p)), cosine = (1 + g * g - part * part) / (2 * g);
    turn(&p->direction, fmin(fmax(cosine, -1), 1), 2 * pi * draw(p));
}

/* Where a layer begins. */
static double top_of(const struct skin *s, int layer)
{
    double z = 0;
    for (int i = 1; i < layer; i++)
        z += s->layer[i - 1].thickness;
    return z;
}

static void follow(const struct skin *s, uint32_t photon, struct outcome *o)
{
    struct packet p = {
        .direction = {0, 0, 1}, .weight = entering_weight(s), .layer = 1, .random = first_random(photon)};
    for (;;) {
        double interaction = s->layer[p.layer - 1].absorption + s->layer[p.layer - 1].scattering;
        double paths = p.left != 0 ? p.left : -log(1 - draw(&p)), step = paths / interaction;
        struct vec *u = &p.direction;
        double border = (top_of(s, u->z > 0 ? p.layer + 1 : p.layer) - p.at.z) / u->z;
        bool meets_border = u->z != 0 && step > border;
        p.left = meets_border ? (step - border) * interaction : 0;
        step = meets_border ? border : step;
        p.at = (struct vec){p.at.x + step * u->x, p.at.y + step * u->y, p.at.z + step * u->z};
        if (meets_border)
            meet_border(s, &p, o);
        else
            interact(s, &p, o);
        if (p.weight >= roulette_weight)
            continue;
        bool survives = draw(&p) < roulette_chance && p.weight != 0;
        if (!survives)
            break;
        p.weight /= roulette_chance;
    }
    o->ends[ABSORBED] += p.weight != 0;
    o->last_random[photon] = p.random;
}

/* ---- the comparison ---- */

static struct outcome empty_outcome(struct work *w, const struct problem *p)
{
    size_t exits = (size_t)p->skin->radii * ANGLES;
    return (struct outcome){
        .absorbed = work_buffer(w, (size_t)p->skin->depths * (size_t)p->skin->radii, sizeof(uint64_t)),
        .reflected = work_buffer(w, exits, sizeof(uint64_t)),
        .transmitted = work_buffer(w, exits, sizeof(uint64_t)),
        .last_random = work_buffer(w, p->photons, sizeof(uint64_t)),
    };
}

static void transport_on_device(struct work *w, const struct problem *p, struct outcome *o)
{
    struct tissue tissue = describe(p->skin);
    size_t bins = (size_t)tissue.depths * (size_t)tissue.radii * sizeof(uint64_t),
           exits = (size_t)tissue.radii * ANGLES * sizeof(uint64_t), photon_bytes = p->photons * sizeof(uint64_t);
    uint32_t taken = p->blocks * THREADS, photons = p->photons;
    CUdeviceptr next = work_upload(w, &taken, sizeof taken);
    struct tallies t = {work_alloc(w, bins), work_alloc(w, exits), work_alloc(w, exits), work_alloc(w, photon_bytes),
                        work_alloc(w, sizeof o->ends)};
    work_write(w, work_symbol(w, "skin", sizeof tissue), &tissue, sizeof tissue);
    work_launch(w, "transport", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&photons, &next, &t});
    work_read(w, o->absorbed, t.absorbed, bins);
    work_read(w, o->reflected, t.reflected, exits);
    work_read(w, o->transmitted, t.transmitted, exits);
    work_read(w, o->last_random, t.last_random, photon_bytes);
    work_read(w, o->ends, t.ends, sizeof o->ends);
    work_read(w, &taken, next, sizeof taken);
    uint32_t threads = p->blocks * THREADS, busy = threads < photons ? threads : photons;
    work_check(w, taken == threads + photons, "threads took %u photons, and not %u", taken - threads + busy,
               photons + busy);
}

/* The share of the weight of all photons that lies in other bins. */
static double misplaced(const uint64_t *got, const uint64_t *want, size_t bins, uint32_t photons)
{
    double sum = 0;
    for (size_t i = 0; i < bins; i++)
        sum += fabs((double)got[i] - (double)want[i]);
    return sum / weight_scale / photons;
}

/* The kernel's sines, logarithms and quotients are off by 2^-22 to 2^-20, so after n steps a photon is off by some
 * sqrt(n) 2^-21 of a step. Whether it meets a border, and whether it passes it, is a comparison, and one in 2^21 /
 * sqrt(n) comes out otherwise. From there on the photon uses its random numbers otherwise, and is another photon. Over
 * n steps this happens to n sqrt(n) 2^-21 of the photons: to 0.02 % at 337 nm (60 steps on average), and to 0.7 % at
 * 600 nm (some 600). The limits are about twice that. Weights in other bins are those of such photons, each in two
 * bins, and of steps that end within the error of a bin's edge: a tenth of the limit covers these. */
static void compare(struct work *w, const struct problem *p, const struct outcome *got, const struct outcome *want)
{
    double limit = p->skin->layer_count == 7 ? 0.014 : 0.0005;
    uint32_t strangers = 0, ended = 0;
    for (uint32_t i = 0; i < p->photons; i++)
        strangers += got->last_random[i] != want->last_random[i];
    work_check(w, strangers <= limit * p->photons, "%u of %u photons end otherwise", strangers, p->photons);
    for (int i = 0; i < ENDS; i++) {
        ended += got->ends[i];
        work_check(w, (uint32_t)abs((int)got->ends[i] - (int)want->ends[i]) <= strangers,
                   "%u photons end in way %d, and not %u", got->ends[i], i, want->ends[i]);
    }
    work_check(w, ended == p->photons, "%u photons end, of %u", ended, p->photons);
    size_t exits = (size_t)p->skin->radii * ANGLES, bins = (size_t)p->skin->radii * (size_t)p->skin->depths;
    double absorbed = misplaced(got->absorbed, want->absorbed, bins, p->photons),
           reflected = misplaced(got->reflected, want->reflected, exits, p->photons),
           transmitted = misplaced(got->transmitted, want->transmitted, exits, p->photons);
    double slack = 2.0 * strangers / p->photons + limit / 10;
    work_check(w, absorbed <= slack, "%g of the absorbed weight is in other bins", absorbed);
    work_check(w, reflected <= slack, "%g of the reflected weight is in other bins", reflected);
    work_check(w, transmitted <= slack, "%g of the transmitted weight is in other bins", transmitted);
    work_say(w, "%u photons: %u reflected, %u transmitted, %u absorbed; %u end otherwise than in double precision",
             p->photons, got->ends[REFLECTED], got->ends[TRANSMITTED], got->ends[ABSORBED], strangers);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct outcome got = empty_outcome(w, p), want = empty_outcome(w, p);
    transport_on_device(w, p, &got);
    for (uint32_t i = 0; i < p->photons; i++)
        follow(p->skin, i, &want);
    compare(w, p, &got, &want);
}

const struct workload workload = {.name = MCML_NAME, .run = run};
