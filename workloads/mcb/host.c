/*
 * Particles on a grid of zones. The reference follows flights from collision to collision, not segments: it computes
 * where a flight crosses the lines of the grid from the flight's beginning.
 */
#include "work.h"

#include <math.h>

enum { THREADS = 128 };
enum { ABSORBED, ESCAPED, CENSUS, FATES };

static const double length_scale = 0x1p40;

/* As in kernels.cu. */
struct mesh {
    int32_t across, along;
    double width, height, absorption, scattering, step;
};

struct problem {
    int32_t zones; /* in each direction */
    uint32_t blocks, particles;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.zones = 20, .blocks = 1, .particles = 320},
    [WORK_SMALL] = {.zones = 20, .blocks = 120, .particles = 30720},
    [WORK_PAPER] = {.zones = 400, .blocks = 60, .particles = 23040},
};

/* A square of side 1. */
static struct mesh make_mesh(const struct problem *p)
{
    return (struct mesh){.across = p->zones,
                         .along = p->zones,
                         .width = 1.0 / p->zones,
                         .height = 1.0 / p->zones,
                         .absorption = 1,
                         .scattering = 20,
                         .step = 1};
}

struct outcome {
    uint64_t *lengths, *last_random;
    uint32_t *fates;
};

static struct outcome empty_outcome(struct work *w, const struct problem *p)
{
    return (struct outcome){.lengths = work_buffer(w, (size_t)(p->zones * p->zones), sizeof(uint64_t)),
                            .last_random = work_buffer(w, p->particles, sizeof(uint64_t)),
                            .fates = work_buffer(w, p->particles, sizeof(uint32_t))};
}

static void track_on_device(struct work *w, const struct problem *p, struct outcome *o)
{
    struct mesh m = make_mesh(p);
    uint32_t particles = p->particles;
    size_t zones = (size_t)(p->zones * p->zones);
    CUdeviceptr lengths = work_alloc(w, zones * sizeof *o->lengths),
                fates = work_alloc(w, particles * sizeof *o->fates),
                last_random = work_alloc(w, particles * sizeof *o->last_random);
    work_launch(w, "track", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&m, &particles, &lengths, &fates, &last_random});
    work_read(w, o->lengths, lengths, zones * sizeof *o->lengths);
    work_read(w, o->fates, fates, particles * sizeof *o->fates);
    work_read(w, o->last_random, last_random, particles * sizeof *o->last_random);
}

/* ---- the reference ---- */

struct flight {
    double x, y, ux, uy;
    uint64_t random;
};

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(2862933555777941757) + UINT64_C(3037000493);
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void choose_direction(struct flight *f)
{
    double up = 2 * draw(&f->random) - 1, angle = 2 * M_PI * draw(&f->random);
    f->ux = sqrt((1 - up) * (1 + up)) * cos(angle);
    f->uy = sqrt((1 - up) * (1 + up)) * sin(angle);
}

/* The next line of the grid in one dimension: the one after `crossed` lines have been crossed. */
static double line_at(double from, double direction, double size, int crossed)
{
    if (direction == 0)
        return INFINITY;
    double first = floor(from / size) + (direction > 0 ? 1 : 0);
    return ((direction > 0 ? first + crossed : first - crossed) * size - from) / direction;
}

/* Flies up to `limit` and adds the ways to the zones. Returns the length, which is shorter if the square ends. */
static double fly(const struct mesh *m, struct flight *f, double limit, uint64_t *lengths)
{
    int columns = 0, rows = 0;
    double done = 0;
    int column = (int)floor(f->x / m->width), row = (int)floor(f->y / m->height);
    while (column >= 0 && column < m->across && row >= 0 && row < m->along && done < limit) {
        double next_column = line_at(f->x, f->ux, m->width, columns), next_row = line_at(f->y, f->uy, m->height, rows),
               next = fmin(limit, fmin(next_column, next_row));
        lengths[row * m->across + column] += (uint64_t)((next - done) * length_scale);
        done = next;
        if (next == limit)
            break;
        if (next_column < next_row) {
            columns++;
            column += f->ux > 0 ? 1 : -1;
        } else {
            rows++;
            row += f->uy > 0 ? 1 : -1;
        }
    }
    f->x += done * f->ux;
    f->y += done * f->uy;
    return done;
}

static void follow(const struct mesh *m, uint32_t number, struct outcome *o)
{
    struct flight f = {.random = ((uint64_t)number + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    f.random = (f.random ^ f.random >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    f.random ^= f.random >> 27;
    f.x = draw(&f.random) * m->across * m->width;
    f.y = draw(&f.random) * m->along * m->height;
    choose_direction(&f);
    double left = m->step * draw(&f.random), interaction = m->absorption + m->scattering;
    uint32_t fate = FATES;
    while (fate == FATES) {
        double to_collision = -log(1 - draw(&f.random)) / interaction, limit = fmin(left, to_collision),
               flown = fly(m, &f, limit, o->lengths);
        left -= flown;
        if (flown < limit)
            fate = ESCAPED;
        else if (limit < to_collision)
            fate = CENSUS;
        else if (draw(&f.random) * interaction < m->absorption)
            fate = ABSORBED;
        else
            choose_direction(&f);
    }
    o->fates[number] = fate;
    o->last_random[number] = f.random;
}

/* ---- the comparison ---- */

/* Positions are off by some 2^-50 after a hundred segments, so no particle in 2^30 decides otherwise: fates and last
 * random numbers are exact. A length is off by as much and then truncated to 2^-40; one in a thousand lengths comes to
 * lie on the other side of a multiple of that. A zone has hundreds of ways in it: 2^10 units cover the sum. */
static void compare(struct work *w, const struct problem *p, const struct outcome *got, const struct outcome *want)
{
    enum { SLACK = 1 << 10 };
    uint32_t wrong_zones = 0, count[FATES] = {0};
    uint64_t worst = 0;
    for (int32_t i = 0; i < p->zones * p->zones; i++) {
        uint64_t off = got->lengths[i] > want->lengths[i] ? got->lengths[i] - want->lengths[i]
                                                          : want->lengths[i] - got->lengths[i];
        wrong_zones += off > SLACK;
        worst = off > worst ? off : worst;
    }
    work_compare_u32(w, "fates", got->fates, want->fates, p->particles);
    work_compare_u32(w, "halves of last random numbers", (const uint32_t *)got->last_random,
                     (const uint32_t *)want->last_random, 2 * (size_t)p->particles);
    work_check(w, wrong_zones == 0, "%u zones have other lengths; the worst is off by %g", wrong_zones,
               (double)worst / length_scale);
    for (uint32_t i = 0; i < p->particles; i++)
        count[got->fates[i] < FATES ? got->fates[i] : 0]++;
    work_say(w, "%u particles on %dx%d zones: %u absorbed, %u escaped, %u in census", p->particles, p->zones, p->zones,
             count[ABSORBED], count[ESCAPED], count[CENSUS]);
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
