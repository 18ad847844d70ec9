/*
 * Particles on a grid of zones. The reference computes where a flight crosses the lines of the grid from the flight's
 * beginning, in a plane that goes on behind the mirrors, and folds what it finds back onto the grid.
 */
#include "work.h"

#include <math.h>

enum { THREADS = 128 };
enum { ROULETTE, CENSUS, FATES };

static const double energy_scale = 0x1p40, roulette_energy = 0.1;

/* As in kernels.cu. */
struct mesh {
    int32_t across, along;
    double width, height, absorption, scattering, step;
};

struct tallies {
    CUdeviceptr radiation, absorbed, segments;
};

struct problem {
    int32_t zones; /* in each direction */
    double step;   /* how far a particle flies in the time step */
    uint32_t blocks, particles;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.zones = 20, .step = 5, .blocks = 1, .particles = 128},
    [WORK_SMALL] = {.zones = 20, .step = 0.4, .blocks = 120, .particles = 30720},
    [WORK_PAPER] = {.zones = 400, .step = 5, .blocks = 60, .particles = 15360},
};

static struct mesh make_mesh(const struct problem *p)
{
    return (struct mesh){.across = p->zones,
                         .along = p->zones,
                         .width = 1.0 / 16,
                         .height = 1.0 / 16,
                         .absorption = 1,
                         .scattering = 20,
                         .step = p->step};
}

struct outcome {
    uint64_t *radiation, *absorbed, *last_random;
    uint32_t *segments, *fates;
};

static struct outcome empty_outcome(struct work *w, const struct problem *p)
{
    size_t zones = (size_t)(p->zones * p->zones);
    return (struct outcome){.radiation = work_buffer(w, zones, sizeof(uint64_t)),
                            .absorbed = work_buffer(w, zones, sizeof(uint64_t)),
                            .segments = work_buffer(w, zones, sizeof(uint32_t)),
                            .last_random = work_buffer(w, p->particles, sizeof(uint64_t)),
                            .fates = work_buffer(w, p->particles, sizeof(uint32_t))};
}

static void track_on_device(struct work *w, const struct problem *p, struct outcome *o)
{
    struct mesh m = make_mesh(p);
    uint32_t particles = p->particles;
    size_t zones = (size_t)(p->zones * p->zones);
    struct tallies t = {work_alloc(w, zones * sizeof *o->radiation), work_alloc(w, zones * sizeof *o->absorbed),
                        work_alloc(w, zones * sizeof *o->segments)};
    CUdeviceptr fates = work_alloc(w, particles * sizeof *o->fates),
                last_random = work_alloc(w, particles * sizeof *o->last_random);
    work_launch(w, "track", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&m, &particles, &t, &fates, &last_random});
    work_read(w, o->radiation, t.radiation, zones * sizeof *o->radiation);
    work_read(w, o->absorbed, t.absorbed, zones * sizeof *o->absorbed);
    work_read(w, o->segments, t.segments, zones * sizeof *o->segments);
    work_read(w, o->fates, fates, particles * sizeof *o->fates);
    work_read(w, o->last_random, last_random, particles * sizeof *o->last_random);
}

/* ---- the reference ---- */

struct flight {
    double x, y, ux, uy, done; /* where it began; how far it is */
    int columns, rows;         /* lines of the grid that it has crossed */
    double left, energy;       /* of the time step's way; of the particle */
    uint64_t random;
};

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(2862933555777941757) + UINT64_C(3037000493);
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void begin_flight(struct flight *f, double x, double y)
{
    double up = 2 * draw(&f->random) - 1, angle = 2 * M_PI * draw(&f->random);
    f->x = x;
    f->y = y;
    f->ux = sqrt((1 - up) * (1 + up)) * cos(angle);
    f->uy = sqrt((1 - up) * (1 + up)) * sin(angle);
    f->done = 0;
    f->columns = f->rows = 0;
}

/* The next line of the grid in one dimension: the one after `crossed` lines have been crossed. */
static double line_at(double from, double direction, double size, int crossed)
{
    if (direction == 0)
        return INFINITY;
    double first = floor(from / size) + (direction > 0 ? 1 : 0);
    return ((direction > 0 ? first + crossed : first - crossed) * size - from) / direction;
}

/* The zone of the grid that shows in this zone of the plane. */
static int fold_zone(double from, double direction, double size, int crossed, int zones)
{
    int zone = (int)floor(from / size) + (direction > 0 ? crossed : -crossed), pair = zone % (2 * zones);
    pair += pair < 0 ? 2 * zones : 0;
    return pair < zones ? pair : 2 * zones - 1 - pair;
}

static double fold_place(double at, double side)
{
    double pair = fabs(fmod(at, 2 * side));
    return pair < side ? pair : 2 * side - pair;
}

/* Loses energy on a way in a zone. Returns whether roulette ends the particle. */
static bool lose_energy(const struct mesh *m, struct flight *f, double way, int zone, struct outcome *o)
{
    double loss = m->absorption * way, share = -expm1(-loss);
    double radiation = loss > 0.01 ? f->energy * share / m->absorption : f->energy * way * (1 - loss / 2);
    o->radiation[zone] += (uint64_t)(radiation * energy_scale);
    o->absorbed[zone] += (uint64_t)(f->energy * share * energy_scale);
    o->segments[zone]++;
    f->energy -= f->energy * share;
    if (f->energy >= roulette_energy)
        return false;
    bool ends = draw(&f->random) > f->energy / roulette_energy;
    f->energy = roulette_energy;
    return ends;
}

static void follow(const struct mesh *m, uint32_t number, struct outcome *o)
{
    struct flight f = {.random = ((uint64_t)number + 1) * UINT64_C(0x9e3779b97f4a7c15), .energy = 1};
    f.random = (f.random ^ f.random >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    f.random ^= f.random >> 27;
    double width = m->across * m->width, height = m->along * m->height, x = draw(&f.random) * width,
           y = draw(&f.random) * height;
    begin_flight(&f, x, y);
    f.left = m->step * draw(&f.random);
    uint32_t fate = FATES;
    while (fate == FATES) {
        double to_collision = -log1p(-draw(&f.random)) / m->scattering, to_event = fmin(to_collision, f.left);
        double column = line_at(f.x, f.ux, m->width, f.columns), row = line_at(f.y, f.uy, m->height, f.rows),
               to_line = fmax(fmin(column, row) - f.done, 0), way = fmin(to_line, to_event);
        int zone = fold_zone(f.y, f.uy, m->height, f.rows, m->along) * m->across +
                   fold_zone(f.x, f.ux, m->width, f.columns, m->across);
        f.left -= way;
        f.done += way;
        if (lose_energy(m, &f, way, zone, o))
            fate = ROULETTE;
        else if (to_line < to_event)
            ++*(column < row ? &f.columns : &f.rows);
        else if (to_event < to_collision)
            fate = CENSUS;
        else
            begin_flight(&f, fold_place(f.x + f.done * f.ux, width), fold_place(f.y + f.done * f.uy, height));
    }
    o->fates[number] = fate;
    o->last_random[number] = f.random;
}

/* ---- the comparison ---- */

/* Positions are off by some 2^-48 after a hundred segments, so no particle in 2^30 decides otherwise: fates, segments
 * and last random numbers are exact. An energy is off by as much and then truncated to 2^-40; one in 200 comes to lie
 * on the other side of a multiple of that. A zone has some thousand ways in it: 2^10 units cover the sum. */
static void compare_energies(struct work *w, const char *what, const uint64_t *got, const uint64_t *want, int32_t zones)
{
    enum { SLACK = 1 << 10 };
    uint32_t wrong = 0;
    uint64_t worst = 0;
    for (int32_t i = 0; i < zones; i++) {
        uint64_t off = got[i] > want[i] ? got[i] - want[i] : want[i] - got[i];
        wrong += off > SLACK;
        worst = off > worst ? off : worst;
    }
    work_check(w, wrong == 0, "%u zones have another %s; the worst is off by %g", wrong, what,
               (double)worst / energy_scale);
}

static void compare(struct work *w, const struct problem *p, const struct outcome *got, const struct outcome *want)
{
    uint32_t in_census = 0;
    uint64_t segments = 0;
    int32_t zones = p->zones * p->zones;
    work_compare_u32(w, "fates", got->fates, want->fates, p->particles);
    work_compare_u32(w, "halves of last random numbers", (const uint32_t *)got->last_random,
                     (const uint32_t *)want->last_random, 2 * (size_t)p->particles);
    work_compare_u32(w, "numbers of segments", got->segments, want->segments, (size_t)zones);
    compare_energies(w, "energy of radiation", got->radiation, want->radiation, zones);
    compare_energies(w, "absorbed energy", got->absorbed, want->absorbed, zones);
    for (uint32_t i = 0; i < p->particles; i++)
        in_census += got->fates[i] == CENSUS;
    for (int32_t i = 0; i < zones; i++)
        segments += got->segments[i];
    work_say(w, "%u particles on %dx%d zones: %u end by roulette, %u in census, after %llu segments", p->particles,
             p->zones, p->zones, p->particles - in_census, in_census, (unsigned long long)segments);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct mesh m = make_mesh(p);
    struct outcome got = empty_outcome(w, p), want = empty_outcome(w, p);
    track_on_device(w, p, &got);
    for (uint32_t i = 0; i < p->particles; i++)
        follow(&m, i, &want);
    compare(w, p, &got, &want);
}

const struct workload workload = {.name = "mcb", .run = run};
