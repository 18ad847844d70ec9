/*
 * X rays through a body of voxels. The reference follows the same X rays with the same random numbers in double
 * precision, with frames of vectors for turns and linear searches.
 */
#include "tables.h"

#include <stdlib.h>

enum { THREADS = 128 };
enum { UNSCATTERED, COMPTON, RAYLEIGH, MULTIPLE };

static const double energy_scale = 100, edge = 0.000015;
static const uint64_t modulus[2] = {2147483563, 2147483399}, factor[2] = {40014, 40692};
static const int32_t first_seed = 271828182;

struct problem {
    uint32_t blocks;
    int32_t histories; /* of each thread */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.blocks = 1, .histories = 2},
    [WORK_SMALL] = {.blocks = 60, .histories = 2},
    [WORK_PAPER] = {.blocks = 60, .histories = 10},
};

struct outcome {
    uint64_t *image, *dose;
    int32_t (*last_random)[2], (*ends)[2]; /* of each thread; ends: absorbed, and left the body */
};

static struct outcome empty_outcome(struct work *w, uint32_t threads)
{
    return (struct outcome){
        .image = work_buffer(w, IMAGES * PIXELS * PIXELS, sizeof(uint64_t)),
        .dose = work_buffer(w, VOXELS, sizeof(uint64_t)),
        .last_random = work_buffer(w, threads, sizeof(int32_t[2])),
        .ends = work_buffer(w, threads, sizeof(int32_t[2])),
    };
}

/* ---- random numbers ---- */

struct generator {
    uint64_t seed[2];
};

/* Threads are so far apart in the sequence that 256 numbers for each X ray would not bring them together. */
static struct generator generator_of(uint32_t thread, int32_t histories)
{
    struct generator g;
    uint64_t leap = (thread + UINT64_C(1)) * (uint64_t)histories * 256;
    for (int i = 0; i < 2; i++) {
        uint64_t power = 1, square = factor[i];
        for (uint64_t n = leap; n; n >>= 1, square = square * square % modulus[i])
            if (n & 1)
                power = power * square % modulus[i];
        g.seed[i] = power * (uint64_t)first_seed % modulus[i];
    }
    return g;
}

static int32_t draw_word(struct generator *g)
{
    for (int i = 0; i < 2; i++)
        g->seed[i] = g->seed[i] * factor[i] % modulus[i];
    int64_t word = (int64_t)g->seed[0] - (int64_t)g->seed[1];
    return (int32_t)(word < 1 ? word + 2147483562 : word);
}

/* The kernel's numbers are floats: which ones is part of the method. */
static double draw(struct generator *g)
{
    return (float)draw_word(g) * 4.65661305739e-10f;
}

static double draw_finely(struct generator *g)
{
    return draw_word(g) * 4.6566130573917692e-10;
}

/* ---- the device ---- */

static void track_on_device(struct work *w, const struct problem *p, const struct world *x, struct outcome *o)
{
    size_t threads = p->blocks * (size_t)THREADS, image = IMAGES * PIXELS * PIXELS * sizeof(uint64_t),
           dose = VOXELS * sizeof(uint64_t);
    CUdeviceptr tables[] = {
        work_upload(w, x->voxels, sizeof x->voxels),     work_upload(w, x->woodcock, sizeof x->woodcock),
        work_upload(w, x->base, sizeof x->base),         work_upload(w, x->slope, sizeof x->slope),
        work_upload(w, x->most_sum, sizeof x->most_sum), work_upload(w, &x->factors, sizeof x->factors),
        work_upload(w, &x->shells, sizeof x->shells),    work_upload(w, &x->source, sizeof x->source),
        work_upload(w, &x->detector, sizeof x->detector)};
    CUdeviceptr tallies[] = {work_alloc(w, image), work_alloc(w, dose), work_alloc(w, threads * sizeof *o->last_random),
                             work_alloc(w, threads * sizeof *o->ends)};
    int32_t histories = p->histories, (*seed)[2] = work_buffer(w, threads, sizeof *seed);
    for (uint32_t i = 0; i < threads; i++)
        for (int k = 0; k < 2; k++)
            seed[i][k] = (int32_t)generator_of(i, histories).seed[k];
    CUdeviceptr seeds = work_upload(w, seed, threads * sizeof *seed);
    work_write(w, work_symbol(w, "phantom", sizeof x->body), &x->body, sizeof x->body);
    work_write(w, work_symbol(w, "rays", sizeof x->spectrum), &x->spectrum, sizeof x->spectrum);
    work_launch(w, "track", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){tables, &histories, &seeds, tallies});
    work_read(w, o->image, tallies[0], image);
    work_read(w, o->dose, tallies[1], dose);
    work_read(w, o->last_random, tallies[2], threads * sizeof *o->last_random);
    work_read(w, o->ends, tallies[3], threads * sizeof *o->ends);
}

/* ---- an X ray ---- */

struct vec {
    double x, y, z;
};

struct xray {
    struct vec at, u;
    double energy;
    int scattering;
    bool is_absorbed;
};

static struct vec add(struct vec a, double f, struct vec b)
{
    return (struct vec){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
}

static int bin_of(double energy)
{
    return (int)floor((energy - first_energy) / bin_width);
}

static double face_distance(double at, double direction)
{
    if (fabs(direction) <= edge)
        return -1e30;
    double face = direction > 0 ? 0 : body_size, distance = (face - at) / direction;
    bool has_passed = direction > 0 ? at > 0 : at < body_size;
    return has_passed ? 0 : distance + edge;
}

static bool is_in_body(struct vec at, double margin)
{
    double low = margin, high = body_size - margin;
    return at.x >= low && at.x <= high && at.y >= low && at.y <= high && at.z >= low && at.z <= high;
}

/* Returns whether the X ray meets the body. */
static bool bear(const struct world *world, struct generator *g, struct xray *x)
{
    const struct spectrum *s = &world->spectrum;
    const struct source *from = &world->source;
    float place = (float)draw(g) * (float)s->lines;
    int line = (int)place < s->lines ? (int)place : s->lines - 1;
    if (place - (float)line >= s->cutoff[line])
        line = s->alias[line];
    *x = (struct xray){.at = {from->at.x, from->at.y, from->at.z}};
    x->energy = s->energy[line] + draw(g) * (s->energy[line + 1] - s->energy[line]);
    do {
        double up = from->lowest_cosine + draw(g) * from->cosine_range,
               angle = from->lowest_angle + draw(g) * from->angle_range, flat = sqrt(1 - up * up);
        x->u = (struct vec){flat * cos(angle), flat * sin(angle), up};
    } while (fabs(x->u.z / (x->u.y + 1e-7)) > from->most_slope);
    double far =
        fmax(face_distance(x->at.x, x->u.x), fmax(face_distance(x->at.y, x->u.y), face_distance(x->at.z, x->u.z)));
    struct vec there = add(x->at, far, x->u);
    if (!is_in_body(there, 0))
        return false;
    x->at = there;
    return true;
}

/* Turns u by an angle and around by another: e lies in the plane of u and z, f is perpendicular to both. */
static struct vec turn(struct vec u, double cosine, double around)
{
    double length = sqrt(u.x * u.x + u.y * u.y + u.z * u.z);
    u = (struct vec){u.x / length, u.y / length, u.z / length};
    double flat = hypot(u.x, u.y), sine = sqrt(fmax(0, 1 - cosine * cosine));
    struct vec e = {u.z > 0 ? 1 : -1, 0, 0}, f = {0, 1, 0}, d = {0};
    if (flat > 1e-14) {
        e = (struct vec){u.x * u.z / flat, u.y * u.z / flat, -flat};
        f = (struct vec){-u.y / flat, u.x / flat, 0};
    }
    return add(add(add(d, cosine, u), sine * cos(around), e), sine * sin(around), f);
}

static double rayleigh_cosine(const struct world *world, double energy, int material, double most_sum,
                              struct generator *g)
{
    const struct form_factors *f = &world->factors;
    int first = material * RAYLEIGH_POINTS;
    double most = energy * 8.065535669099010e-5,
           most_square = fmin(most * most, f->square[first + RAYLEIGH_POINTS - 1]);
    for (;;) {
        double sum = draw_finely(g) * most_sum;
        int i = first;
        while (i < first + RAYLEIGH_POINTS - 2 && f->sum[i + 1] < sum)
            i++;
        double eta = (sum - f->sum[i]) / ((double)f->sum[i + 1] - f->sum[i]), a = f->a[i], b = f->b[i];
        double square = f->square[i] +
                        (1 + a + b) * eta / (1 + a * eta + b * eta * eta) * ((double)f->square[i + 1] - f->square[i]);
        if (square >= most_square)
            continue;
        double cosine = 1 - 2 * square / most_square;
        if (draw_finely(g) < (cosine * cosine + 1) / 2)
            return cosine;
    }
}

/* The electrons of each shell that are fast enough for a change of direction; returns their sum. */
static double fast_electrons(const struct shells *s, int material, double energy, double down, double *share)
{
    double sum = 0;
    for (int i = 0; i < s->count[material]; i++) {
        double u = s->ionisation[material + i * MATERIALS], aux = energy * (energy - u) * down;
        double momentum =
            s->profile[material + i * MATERIALS] * (aux - u * rest_energy) / (rest_energy * sqrt(2 * aux + u * u));
        double half = M_SQRT1_2 + M_SQRT2 * fabs(momentum), tail = exp(0.5 - half * half) / 2;
        share[i] = momentum > 0 ? 1 - tail : tail;
        sum += s->electrons[material + i * MATERIALS] * share[i];
    }
    return sum;
}

static double electron_momentum(const struct shells *s, int material, double all, const double *share, double ratio,
                                double cosine, struct generator *g)
{
    for (;;) {
        double part = all * draw(g), sum = 0;
        int shell = 0;
        for (; shell < s->count[material] - 1; shell++)
            if ((sum += s->electrons[material + shell * MATERIALS] * share[shell]) > part)
                break;
        double chance = draw(g) * share[shell], width = s->profile[material + shell * MATERIALS] * M_SQRT2;
        double momentum = chance < 0.5 ? (M_SQRT1_2 - sqrt(0.5 - log(2 * chance))) / width
                                       : (sqrt(0.5 - log(2 - 2 * chance)) - M_SQRT1_2) / width;
        if (momentum < -1)
            continue;
        double square = 1 + ratio * ratio - 2 * ratio * cosine,
               change = square > 1e-20 ? sqrt(square) * (1 + ratio * (ratio - cosine) / square) : 0.002;
        if (draw(g) * (1 + 0.2 * fabs(change)) < 1 + change * fmax(fmin(momentum, 0.2), -0.2))
            return momentum;
    }
}

static double compton_cosine(const struct shells *s, int material, double *energy, struct generator *g)
{
    double share[MOST_SHELLS], k = *energy / rest_energy, k2 = 1 + 2 * k, least = 1 / k2;
    double all_back = fast_electrons(s, material, *energy, 2, share), weight1 = log(k2),
           weight2 = 2 * k * (k + 1) * least * least, ratio, down, all;
    for (;;) {
        bool is_power = draw(g) * (weight1 + weight2) < weight1;
        double chance = draw(g);
        ratio = is_power ? pow(least, chance) : sqrt(1 + chance * (least * least - 1));
        down = fmin((1 - ratio) / (ratio * k), 1.99999999);
        all = fast_electrons(s, material, *energy, down, share);
        double most =
            all * (1 + ratio * (k * k - k2 - 1 + ratio * (k2 + ratio * k * k))) / (k * k * ratio * (ratio * ratio + 1));
        if (draw(g) * all_back <= most)
            break;
    }
    double cosine = 1 - down, momentum = electron_momentum(s, material, all, share, ratio, cosine, g);
    double t = momentum * momentum, b1 = 1 - t * ratio * ratio, b2 = 1 - t * ratio * cosine,
           root = copysign(sqrt(fabs(b2 * b2 - b1 * (1 - t))), momentum);
    *energy *= fmin(ratio / b1 * (b2 + root), 1);
    return cosine;
}

/* An event; returns the energy that stays in the voxel. */
static double interact(const struct world *world, struct xray *x, int material, double per_density, double event,
                       struct generator *g)
{
    int row = bin_of(x->energy) * MATERIALS + material;
    const struct section *base = &world->base[row], *slope = &world->slope[row];
    double compton = per_density * (base->compton + x->energy * slope->compton),
           rayleigh = per_density * (base->rayleigh + x->energy * slope->rayleigh), before = x->energy;
    if (event < compton) {
        double cosine = compton_cosine(&world->shells, material, &x->energy, g);
        x->u = turn(x->u, cosine, 2 * M_PI * draw_finely(g));
        x->is_absorbed = bin_of(x->energy) < 0;
        x->scattering = x->scattering == UNSCATTERED ? COMPTON : MULTIPLE;
        return before - x->energy;
    }
    if (event < compton + rayleigh) {
        double cosine = rayleigh_cosine(world, x->energy, material, world->most_sum[row], g);
        x->u = turn(x->u, cosine, 2 * M_PI * draw_finely(g));
        x->scattering = x->scattering == UNSCATTERED ? RAYLEIGH : MULTIPLE;
        return 0;
    }
    x->is_absorbed = true;
    return before;
}

static void detect(const struct detector *d, const struct xray *x, uint64_t *image)
{
    if (x->u.y < 0.0175f)
        return;
    struct vec there = add(x->at, (d->distance - x->at.y) / x->u.y, x->u);
    double column = floor((there.x - d->corner_x) * d->pixels_per_cm),
           row = floor((there.z - d->corner_z) * d->pixels_per_cm);
    if (column >= 0 && column < PIXELS && row >= 0 && row < PIXELS)
        image[(x->scattering * PIXELS + (int)row) * PIXELS + (int)column] += (uint64_t)(x->energy * energy_scale);
}

static void follow(const struct world *world, struct generator *g, struct xray *x, struct outcome *o)
{
    while (!x->is_absorbed) {
        int bin = bin_of(x->energy);
        double free_path = world->woodcock[bin][0] + x->energy * world->woodcock[bin][1];
        x->at = add(x->at, -free_path * log(draw(g)), x->u);
        if (!is_in_body(x->at, edge))
            return;
        double scale = SIDE / body_size;
        int where = (int)(x->at.x * scale) + SIDE * ((int)(x->at.y * scale) + SIDE * (int)(x->at.z * scale));
        const struct voxel *v = &world->voxels[where];
        const struct section *base = &world->base[bin * MATERIALS + v->material],
                             *slope = &world->slope[bin * MATERIALS + v->material];
        double per_density = free_path * v->density, none = 1 - per_density * (base->total + x->energy * slope->total),
               chance = draw(g);
        if (chance < none)
            continue;
        double deposited = interact(world, x, v->material, per_density, chance - none, g);
        if (deposited > 0.001)
            o->dose[where] += (uint64_t)(deposited * energy_scale);
    }
}

static void run_thread(const struct world *world, const struct problem *p, uint32_t thread, struct outcome *o)
{
    struct generator g = generator_of(thread, p->histories);
    for (int i = 0; i < p->histories; i++) {
        struct xray x;
        if (bear(world, &g, &x))
            follow(world, &g, &x, o);
        o->ends[thread][!x.is_absorbed]++;
        if (!x.is_absorbed)
            detect(&world->detector, &x, o->image);
    }
    for (int i = 0; i < 2; i++)
        o->last_random[thread][i] = (int32_t)g.seed[i];
}

/* ---- the comparison ---- */

/* The share of all energy that lies elsewhere. */
static double misplaced(const uint64_t *got, const uint64_t *want, size_t count)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        off += fabs((double)got[i] - (double)want[i]);
        all += (double)want[i];
    }
    return off / all;
}

/* The kernel computes in floats: positions 60 cm from the source are off by 2^-18 cm, cosines and energies after a
 * Compton event by some 2^-20 of themselves. So of 10^4 X rays, with some 20 decisions each, one decides otherwise, and
 * with it the rest of its thread's X rays; the limit is one in 1500. What such threads do may lie elsewhere: at most
 * 116 keV per X ray where the mean is 20 keV, on either side. The others agree within the rounding of the energy that a
 * Compton event leaves, a difference of floats, and of places at the sides of voxels and pixels: 5 * 10^-4. */
static void compare(struct work *w, const struct problem *p, const struct outcome *got, const struct outcome *want)
{
    uint32_t threads = p->blocks * THREADS, strangers = 0, rays = threads * (uint32_t)p->histories;
    int64_t absorbed = 0;
    bool are_complete = true;
    for (uint32_t i = 0; i < threads; i++) {
        strangers += got->last_random[i][0] != want->last_random[i][0] ||
                     got->last_random[i][1] != want->last_random[i][1] || got->ends[i][0] != want->ends[i][0];
        absorbed += got->ends[i][0];
        are_complete &= got->ends[i][0] + got->ends[i][1] == p->histories;
    }
    work_check(w, are_complete, "a thread has X rays that end nowhere");
    work_check(w, strangers <= rays / 1500, "%u of %u threads end otherwise", strangers, threads);
    double image = misplaced(got->image, want->image, IMAGES * PIXELS * PIXELS),
           dose = misplaced(got->dose, want->dose, VOXELS), limit = 5e-4 + 2 * 6.0 * strangers * p->histories / rays;
    work_check(w, image <= limit, "%g of the image's energy is in other pixels", image);
    work_check(w, dose <= limit, "%g of the absorbed energy is in other voxels", dose);
    work_say(w, "%u X rays, %lld absorbed; %u of %u threads end otherwise than in double precision", rays,
             (long long)absorbed, strangers, threads);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct world *world = work_buffer(w, 1, sizeof *world);
    uint32_t threads = p->blocks * THREADS;
    struct outcome got = empty_outcome(w, threads), want = empty_outcome(w, threads);
    make_world(world);
    track_on_device(w, p, world, &got);
    for (uint32_t i = 0; i < threads; i++)
        run_thread(world, p, i, &want);
    compare(w, p, &got, &want);
}

const struct workload workload = {.name = "mc-gpu", .run = run};
