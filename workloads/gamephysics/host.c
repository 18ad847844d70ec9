/*
 * Rigid bodies of a game: balls, capsules and boxes that fall, collide and bounce.
 *
 * Every launch is verified by itself, from what it read to what it wrote, so that rounding does not add up over steps:
 * the pairs against a loop over all pairs, contacts with rotation matrices in place of quaternions, impulses by a loop
 * over contacts in place of bodies; all in double precision. What rounding may decide is left out where it says so.
 */
#include "work.h"

#include <math.h>
#include <string.h>

enum shape { BALL, CAPSULE, BOX, SHAPES };
enum { MOST_NEIGHBOURS = 32, BLOCK = 128, PAIRS_A_BLOCK = BLOCK / 2, ROUNDS = 2 };

#define BOUNCE   0.3
#define FRICTION 0.4
#define PUSH     2.0
#define RELAX    0.5
#define DEEPER   1e-3
#define SECONDS  (1 / 60.0f)
#define DENSITY  1.2f /* bodies per cube of side 1 */
#define HEIGHT   8.0f /* of the space in which they begin */

struct vec {
    float x, y, z;
};

/* As the kernels have them. */
struct body {
    struct vec at;
    int32_t shape;
    float turn[4];
    struct vec half;
    float reach, mass, inertia, unused[2];
};

struct motion {
    float speed[4], spin[4];
};

struct contact {
    float normal[3], depth, point[4];
};

struct grid {
    struct vec corner;
    float cell;
    int32_t columns, rows, layers;
};

struct pair {
    int32_t a, b;
};

struct world {
    struct body *body;
    struct motion *motion;
    struct vec low, high; /* walls */
    uint32_t count;
    struct grid grid;
    int32_t *cell_first;
    struct pair *pair;
    uint32_t pairs, touching, unsure; /* of the current step; the latter two of all */
    uint32_t all_pairs;
};

static const struct {
    uint32_t bodies, steps;
} problem_of[] = {[WORK_TEST] = {300, 1}, [WORK_SMALL] = {6000, 1}, [WORK_PAPER] = {8192, 4}};

static float between(struct work *w, float least, float most)
{
    return least + (most - least) * work_random_unit(w);
}

static void make_body(struct work *w, struct world *s, uint32_t i)
{
    struct body *b = &s->body[i];
    b->shape = (int32_t)work_random_below(w, SHAPES);
    b->at.x = between(w, s->low.x, s->high.x);
    b->at.y = between(w, s->low.y, s->high.y);
    b->at.z = between(w, s->low.z, s->high.z);
    float squared = 0;
    for (int k = 0; k < 4; k++) {
        b->turn[k] = between(w, -1, 1);
        squared += b->turn[k] * b->turn[k];
    }
    for (int k = 0; k < 4; k++)
        b->turn[k] /= sqrtf(squared);
    if (b->shape == BALL) {
        b->half.x = b->reach = between(w, 0.25f, 0.5f);
    } else if (b->shape == CAPSULE) {
        b->half.x = between(w, 0.15f, 0.3f);
        b->half.y = between(w, 0.2f, 0.4f);
        b->reach = b->half.x + b->half.y;
    } else {
        b->half.x = between(w, 0.15f, 0.4f);
        b->half.y = between(w, 0.15f, 0.4f);
        b->half.z = between(w, 0.15f, 0.4f);
        b->reach = sqrtf(b->half.x * b->half.x + b->half.y * b->half.y + b->half.z * b->half.z);
    }
    if (i % 20) { /* every 20th does not move */
        b->mass = 1 / (4 * b->reach * b->reach * b->reach);
        b->inertia = b->mass / (0.4f * b->reach * b->reach);
    }
    for (int k = 0; k < 3; k++) {
        s->motion[i].speed[k] = i % 20 ? between(w, -3, 3) : 0;
        s->motion[i].spin[k] = i % 20 ? between(w, -2, 2) : 0;
    }
}

static void make_world(struct work *w, struct world *s, uint32_t bodies)
{
    float side = sqrtf((float)bodies / (DENSITY * HEIGHT));
    *s = (struct world){.count = bodies, .low = {0, 0, 0}, .high = {side, HEIGHT, side}};
    s->body = work_buffer(w, bodies, sizeof *s->body);
    s->motion = work_buffer(w, bodies, sizeof *s->motion);
    for (uint32_t i = 0; i < bodies; i++)
        make_body(w, s, i);
}

/* ---- the grid: bodies in the order of their cells ---- */

static uint32_t cell_of(const struct grid *g, struct vec at)
{
    int x = (int)((at.x - g->corner.x) / g->cell), y = (int)((at.y - g->corner.y) / g->cell),
        z = (int)((at.z - g->corner.z) / g->cell);
    return (uint32_t)((z * g->rows + y) * g->columns + x);
}

static uint32_t sort_into_cells(struct work *w, struct world *s)
{
    struct vec low = s->body[0].at, high = low;
    float reach = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct vec at = s->body[i].at;
        low = (struct vec){fminf(low.x, at.x), fminf(low.y, at.y), fminf(low.z, at.z)};
        high = (struct vec){fmaxf(high.x, at.x), fmaxf(high.y, at.y), fmaxf(high.z, at.z)};
        reach = fmaxf(reach, s->body[i].reach);
    }
    struct grid g = {.cell = 2.002f * reach, .corner = {low.x - 0.1f, low.y - 0.1f, low.z - 0.1f}};
    g.columns = (int32_t)((high.x + 0.1f - g.corner.x) / g.cell) + 1;
    g.rows = (int32_t)((high.y + 0.1f - g.corner.y) / g.cell) + 1;
    g.layers = (int32_t)((high.z + 0.1f - g.corner.z) / g.cell) + 1;
    uint32_t cells = (uint32_t)(g.columns * g.rows * g.layers);
    s->grid = g;
    s->cell_first = work_buffer(w, cells + 2, sizeof *s->cell_first);
    for (uint32_t i = 0; i < s->count; i++)
        s->cell_first[cell_of(&g, s->body[i].at) + 2]++;
    for (uint32_t c = 2; c < cells + 2; c++)
        s->cell_first[c] += s->cell_first[c - 1];
    struct body *body = work_buffer(w, s->count, sizeof *body);
    struct motion *motion = work_buffer(w, s->count, sizeof *motion);
    for (uint32_t i = 0; i < s->count; i++) {
        int32_t to = s->cell_first[cell_of(&g, s->body[i].at) + 1]++;
        body[to] = s->body[i];
        motion[to] = s->motion[i];
    }
    s->body = body;
    s->motion = motion;
    return cells;
}

/* ---- the reference, in double precision ---- */

struct point {
    double k[3];
};

static struct point point(const float *k)
{
    return (struct point){{k[0], k[1], k[2]}};
}

static struct point place(const struct body *b)
{
    return (struct point){{b->at.x, b->at.y, b->at.z}};
}

static struct point go(struct point from, double s, struct point way)
{
    return (struct point){{from.k[0] + s * way.k[0], from.k[1] + s * way.k[1], from.k[2] + s * way.k[2]}};
}

static double dot(struct point a, struct point b)
{
    return a.k[0] * b.k[0] + a.k[1] * b.k[1] + a.k[2] * b.k[2];
}

static struct point cross(struct point a, struct point b)
{
    return (struct point){
        {a.k[1] * b.k[2] - a.k[2] * b.k[1], a.k[2] * b.k[0] - a.k[0] * b.k[2], a.k[0] * b.k[1] - a.k[1] * b.k[0]}};
}

static double off(struct point a, struct point b)
{
    struct point d = go(a, -1, b);
    return sqrt(dot(d, d));
}

/* The body's own axis k in the world: a column of its rotation matrix. */
static struct point axis_of(const struct body *b, int k)
{
    double x = b->turn[0], y = b->turn[1], z = b->turn[2], w = b->turn[3];
    if (k == 0)
        return (struct point){{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)}};
    if (k == 1)
        return (struct point){{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)}};
    return (struct point){{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

static double half_of(const struct body *b, int k)
{
    return k == 0 ? b->half.x : k == 1 ? b->half.y : b->half.z;
}

static int list_points(const struct body *b, const struct body *other, struct point *to)
{
    if (b->shape == BALL) {
        to[0] = place(b);
        return 1;
    }
    if (b->shape == CAPSULE) {
        struct point axis = axis_of(b, 1);
        double half = b->half.y, along = dot(go(place(other), -1, place(b)), axis);
        to[0] = go(place(b), half, axis);
        to[1] = go(place(b), -half, axis);
        to[2] = go(place(b), fmin(fmax(along, -half), half), axis);
        return 3;
    }
    for (int i = 0; i < 8; i++) {
        to[i] = place(b);
        for (int k = 0; k < 3; k++)
            to[i] = go(to[i], (i >> k & 1 ? 1 : -1) * half_of(b, k), axis_of(b, k));
    }
    return 8;
}

/* Distance from the body, and the direction away from it; unsure if rounding may turn the direction. */
static double distance_from(const struct body *b, struct point at, struct point *away, bool *is_sure)
{
    struct point from = go(at, -1, place(b)), out = {{0, 0, 0}};
    if (b->shape != BOX) {
        if (b->shape == CAPSULE) {
            double along = dot(from, axis_of(b, 1)), half = b->half.y;
            from = go(from, -fmin(fmax(along, -half), half), axis_of(b, 1));
        }
        double length = sqrt(dot(from, from));
        *is_sure = *is_sure && length > 2e-3;
        *away = go(out, 1 / length, from);
        return length - b->half.x;
    }
    double over[3], inside = -1e30, second = -1e30, squared = 0;
    int nearest = 0;
    for (int k = 0; k < 3; k++) {
        double own = dot(from, axis_of(b, k));
        over[k] = fabs(own) - half_of(b, k);
        if (over[k] > inside) {
            second = inside;
            inside = over[k];
            nearest = k;
        } else {
            second = fmax(second, over[k]);
        }
        squared += over[k] > 0 ? over[k] * over[k] : 0;
        out = go(out, over[k] > 0 ? copysign(over[k], own) : 0, axis_of(b, k));
    }
    *is_sure = *is_sure && fabs(inside) > 2e-3;
    if (inside > 0) {
        *away = go((struct point){{0, 0, 0}}, 1 / sqrt(squared), out);
        return sqrt(squared);
    }
    *is_sure = *is_sure && inside - second > 1e-5;
    struct point axis = axis_of(b, nearest);
    *away = go((struct point){{0, 0, 0}}, copysign(1, dot(from, axis)), axis);
    return inside;
}

struct view { /* what the points of one body find in another */
    struct point normal, point;
    double deepest;
    bool is_sure;
};

static struct view look(const struct body *own, const struct body *other)
{
    struct view v = {.deepest = -1e30, .is_sure = true};
    struct point at[8], away;
    double radius = own->shape == BOX ? 0 : own->half.x, weight = 0;
    int count = list_points(own, other, at);
    for (int i = 0; i < count; i++) {
        bool is_sure = true;
        double depth = radius - distance_from(other, at[i], &away, &is_sure);
        v.deepest = fmax(v.deepest, depth);
        if (depth > -1e-5)
            v.is_sure = v.is_sure && is_sure;
        if (depth <= 0)
            continue;
        v.normal = go(v.normal, depth, away);
        v.point = go(v.point, depth, go(at[i], -(radius - depth / 2), away));
        weight += depth;
    }
    if (weight == 0)
        return v;
    double length = sqrt(dot(v.normal, v.normal));
    v.is_sure = v.is_sure && length > 0.05 * weight; /* else directions cancel out */
    v.normal = go((struct point){{0, 0, 0}}, 1 / length, v.normal);
    v.point = go((struct point){{0, 0, 0}}, 1 / weight, v.point);
    return v;
}

/* ---- pairs ---- */

static int by_kind(const struct world *s, int32_t a, int32_t b)
{
    return s->body[a].shape * SHAPES + s->body[b].shape;
}

/* All pairs by kinds of shapes, so that neighbouring threads do the same. */
static void list_pairs(struct work *w, struct world *s, const int32_t *neighbours, const int32_t *found)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < s->count; i++)
        listed += (uint32_t)found[i];
    s->pair = work_buffer(w, listed + 1, sizeof *s->pair);
    s->pairs = 0;
    s->all_pairs += listed;
    for (int kind = 0; kind < SHAPES * SHAPES; kind++)
        for (int32_t i = 0; i < (int32_t)s->count; i++)
            for (int32_t n = 0; n < found[i]; n++) {
                int32_t other = neighbours[i * MOST_NEIGHBOURS + n];
                if (by_kind(s, i, other) == kind)
                    s->pair[s->pairs++] = (struct pair){i, other};
            }
}

static void check_pairs(struct work *w, const struct world *s, const int32_t *neighbours, const int32_t *found)
{
    unsigned char *is_listed = work_buffer(w, s->count, 1);
    for (uint32_t i = 0; i < s->count; i++) {
        bool is_sound = found[i] >= 0 && found[i] < MOST_NEIGHBOURS;
        for (int32_t n = 0; is_sound && n < found[i]; n++) {
            uint32_t other = (uint32_t)neighbours[i * MOST_NEIGHBOURS + (uint32_t)n];
            is_sound = other > i && other < s->count && !is_listed[other];
            if (is_sound)
                is_listed[other] = 1;
        }
        work_check(w, is_sound, "body %u: the list of its neighbours is broken", i);
        for (uint32_t j = i + 1; j < s->count; j++) {
            double room = off(place(&s->body[i]), place(&s->body[j])) - s->body[i].reach - s->body[j].reach;
            if (fabs(room) > 1e-5) /* else rounding decides */
                work_check(w, is_listed[j] == (room < 0), "bodies %u and %u are%s listed as a pair", i, j,
                           is_listed[j] ? "" : " not");
            is_listed[j] = 0;
        }
    }
}

/* ---- contacts ---- */

/* Depths are right within 1e-5. Points and normals are means by depth, so their errors grow as depths get small. */
static void check_contact(struct work *w, struct world *s, uint32_t i, const struct contact *got)
{
    const struct body *a = &s->body[s->pair[i].a], *b = &s->body[s->pair[i].b];
    struct view of_a = look(a, b), of_b = look(b, a);
    bool is_b = of_b.deepest > of_a.deepest + DEEPER;
    struct view *want = is_b ? &of_b : &of_a;
    bool is_sure = want->is_sure && fabs(of_b.deepest - of_a.deepest - DEEPER) > 1e-5 && fabs(want->deepest) > 1e-4;
    s->unsure += !is_sure;
    s->touching += want->deepest > 0;
    double off_by = fabs(got->depth - want->deepest);
    work_check(w, off_by < (fabs(of_b.deepest - of_a.deepest - DEEPER) > 1e-5 ? 1e-5 : 2e-3),
               "contact %u: depth %g, should be %g", i, got->depth, want->deepest);
    if (!is_sure || want->deepest <= 0)
        return;
    struct point normal = go((struct point){{0, 0, 0}}, is_b ? -1 : 1, want->normal);
    double slack = 5e-4 + 1e-5 / want->deepest;
    work_check(w, off(point(got->normal), normal) < slack, "contact %u: the normal is off by %g", i,
               off(point(got->normal), normal));
    work_check(w, off(point(got->point), want->point) < slack, "contact %u: the point is off by %g", i,
               off(point(got->point), want->point));
}

/* ---- impulses and motion ---- */

static void close_to(struct work *w, const char *what, uint32_t i, const float *got, struct point want, double slack)
{
    double is_off = off(point(got), want);
    work_check(w, is_off <= slack * (1 + sqrt(dot(want, want))), "%s of body %u is off by %g", what, i, is_off);
}

static void check_impulses(struct work *w, const struct world *s, const struct contact *contact,
                           const struct motion *before, const struct motion *after)
{
    struct point(*want)[2] = work_buffer(w, s->count, sizeof *want);
    for (uint32_t i = 0; i < s->count; i++) {
        want[i][0] = point(before[i].speed);
        want[i][1] = point(before[i].spin);
    }
    for (uint32_t c = 0; c < s->pairs; c++) {
        int32_t who[2] = {s->pair[c].a, s->pair[c].b};
        if (contact[c].depth <= 0)
            continue;
        struct point normal = point(contact[c].normal), arm[2], relative = {{0, 0, 0}};
        double masses = 0, resistance = 0;
        for (int k = 0; k < 2; k++) {
            const struct body *b = &s->body[who[k]];
            arm[k] = go(point(contact[c].point), -1, place(b));
            relative = go(relative, k ? -1 : 1, point(before[who[k]].speed));
            relative = go(relative, k ? -1 : 1, cross(point(before[who[k]].spin), arm[k]));
            struct point lever = cross(arm[k], normal);
            masses += b->mass;
            resistance += b->mass + b->inertia * dot(lever, lever);
        }
        double closing = dot(relative, normal),
               impulse = (PUSH * contact[c].depth - (1 + BOUNCE) * closing) / resistance;
        if (impulse <= 0 || masses == 0)
            continue;
        struct point sliding = go(relative, -closing, normal), push = go((struct point){{0, 0, 0}}, impulse, normal);
        double slide = sqrt(dot(sliding, sliding));
        if (slide > 1e-6)
            push = go(push, -fmin(FRICTION * impulse, slide / masses) / slide, sliding);
        for (int k = 0; k < 2; k++) {
            want[who[k]][0] = go(want[who[k]][0], (k ? -RELAX : RELAX) * s->body[who[k]].mass, push);
            want[who[k]][1] = go(want[who[k]][1], (k ? -RELAX : RELAX) * s->body[who[k]].inertia, cross(arm[k], push));
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        close_to(w, "speed", i, after[i].speed, want[i][0], 3e-5); /* sums of some ten terms */
        close_to(w, "spin", i, after[i].spin, want[i][1], 3e-5);
    }
}

static void check_moves(struct work *w, const struct world *s, const struct motion *motion, const struct body *body)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct body *b = &s->body[i];
        struct point at = place(b), speed = point(s->motion[i].speed), spin = point(s->motion[i].spin);
        const double low[3] = {s->low.x, s->low.y, s->low.z}, high[3] = {s->high.x, s->high.y, s->high.z};
        double turn[4] = {b->turn[0], b->turn[1], b->turn[2], b->turn[3]}, next[4], squared = 0;
        double rate[4] = {0, spin.k[0], spin.k[1], spin.k[2]};
        if (b->mass > 0) {
            speed.k[1] -= 9.81f * SECONDS;
            for (int k = 0; k < 3; k++)
                if ((at.k[k] < low[k] && speed.k[k] < 0) || (at.k[k] > high[k] && speed.k[k] > 0))
                    speed.k[k] *= -BOUNCE;
            at = go(at, SECONDS, speed);
            spin = go((struct point){{0, 0, 0}}, 0.995, spin);
        }
        /* the product of the spin, as a quaternion without a real part, and the turn */
        next[3] = turn[3] - SECONDS / 2 * (rate[1] * turn[0] + rate[2] * turn[1] + rate[3] * turn[2]);
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            next[k] = turn[k] + SECONDS / 2 * (rate[k + 1] * turn[3] + rate[p + 1] * turn[q] - rate[q + 1] * turn[p]);
        }
        for (int k = 0; k < 4; k++)
            squared += next[k] * next[k];
        close_to(w, "new speed", i, motion[i].speed, speed, 2e-6);
        close_to(w, "new spin", i, motion[i].spin, spin, 2e-6);
        close_to(w, "place", i, &body[i].at.x, at, 2e-6);
        for (int k = 0; k < 4; k++)
            work_check(w, fabs(body[i].turn[k] - next[k] / sqrt(squared)) < 2e-6, "the turn of body %u is wrong", i);
    }
}

/* ---- one step ---- */

/* Of each body its contacts; returns the device's copies. */
static void list_contacts(struct work *w, const struct world *s, CUdeviceptr *first, CUdeviceptr *list)
{
    int32_t *first_of = work_buffer(w, s->count + 2, sizeof *first_of);
    int32_t *contact_of = work_buffer(w, 2 * (size_t)s->pairs + 1, sizeof *contact_of);
    for (uint32_t c = 0; c < s->pairs; c++) {
        first_of[s->pair[c].a + 2]++;
        first_of[s->pair[c].b + 2]++;
    }
    for (uint32_t i = 2; i < s->count + 2; i++)
        first_of[i] += first_of[i - 1];
    for (uint32_t c = 0; c < s->pairs; c++) {
        contact_of[first_of[s->pair[c].a + 1]++] = (int32_t)c;
        contact_of[first_of[s->pair[c].b + 1]++] = (int32_t)c;
    }
    *first = work_upload(w, first_of, (s->count + 1) * sizeof *first_of);
    *list = work_upload(w, contact_of, (2 * (size_t)s->pairs + 1) * sizeof *contact_of);
}

static struct work_shape blocks_for(uint32_t items, uint32_t per_block)
{
    return (struct work_shape){.x = (items + per_block - 1) / per_block};
}

/* The pairs and their contacts; returns the contacts, and in *on_device their copy there. */
static struct contact *find_contacts(struct work *w, struct world *s, CUdeviceptr bodies, CUdeviceptr *pairs,
                                     CUdeviceptr *on_device, uint32_t cells)
{
    const struct work_shape block = {.x = BLOCK};
    int32_t *neighbours = work_buffer(w, (size_t)s->count * MOST_NEIGHBOURS, sizeof *neighbours);
    int32_t *found = work_buffer(w, s->count, sizeof *found);
    CUdeviceptr cell_first = work_upload(w, s->cell_first, (cells + 1) * sizeof *s->cell_first),
                list = work_alloc(w, (size_t)s->count * MOST_NEIGHBOURS * sizeof *neighbours),
                counts = work_alloc(w, s->count * sizeof *found);
    work_launch(w, "find_pairs", blocks_for(s->count, BLOCK), block, 0,
                (void *[]){&bodies, &s->count, &s->grid, &cell_first, &list, &counts});
    work_read(w, neighbours, list, (size_t)s->count * MOST_NEIGHBOURS * sizeof *neighbours);
    work_read(w, found, counts, s->count * sizeof *found);
    check_pairs(w, s, neighbours, found);
    list_pairs(w, s, neighbours, found);
    struct contact *contact = work_buffer(w, s->pairs + 1, sizeof *contact);
    *pairs = work_upload(w, s->pair, (s->pairs + 1) * sizeof *s->pair);
    *on_device = work_alloc(w, (s->pairs + 1) * sizeof *contact);
    work_launch(w, "collide", blocks_for(s->pairs, PAIRS_A_BLOCK), block, 0,
                (void *[]){&bodies, pairs, &s->pairs, on_device});
    work_read(w, contact, *on_device, s->pairs * sizeof *contact);
    for (uint32_t i = 0; i < s->pairs; i++)
        check_contact(w, s, i, &contact[i]);
    return contact;
}

static void step(struct work *w, struct world *s)
{
    const struct work_shape block = {.x = BLOCK};
    uint32_t cells = sort_into_cells(w, s);
    size_t body_bytes = s->count * sizeof *s->body, motion_bytes = s->count * sizeof *s->motion;
    CUdeviceptr bodies = work_upload(w, s->body, body_bytes), pairs, contacts, first_of, contact_of;
    CUdeviceptr motions = work_upload(w, s->motion, motion_bytes), next = work_alloc(w, motion_bytes);
    struct contact *contact = find_contacts(w, s, bodies, &pairs, &contacts, cells);
    list_contacts(w, s, &first_of, &contact_of);
    for (int round = 0; round < ROUNDS; round++) {
        struct motion *after = work_buffer(w, s->count, sizeof *after);
        work_launch(w, "solve", blocks_for(s->count, BLOCK), block, 0,
                    (void *[]){&bodies, &s->count, &pairs, &contacts, &first_of, &contact_of, &motions, &next});
        work_read(w, after, next, motion_bytes);
        check_impulses(w, s, contact, s->motion, after);
        s->motion = after;
        CUdeviceptr swap = motions;
        motions = next;
        next = swap;
    }
    float seconds = SECONDS;
    struct body *body = work_buffer(w, s->count, sizeof *body);
    struct motion *motion = work_buffer(w, s->count, sizeof *motion);
    work_launch(w, "move", blocks_for(s->count, BLOCK), block, 0,
                (void *[]){&bodies, &motions, &s->count, &s->low, &s->high, &seconds});
    work_read(w, body, bodies, body_bytes);
    work_read(w, motion, motions, motion_bytes);
    check_moves(w, s, motion, body);
    s->body = body;
    s->motion = motion;
}

static void run(struct work *w, enum work_size size)
{
    struct world s;
    make_world(w, &s, problem_of[size].bodies);
    for (uint32_t i = 0; i < problem_of[size].steps; i++)
        step(w, &s);
    work_check(w, s.unsure <= s.all_pairs / 20, "%u contacts of %u are left to rounding", s.unsure, s.all_pairs);
    work_say(w, "%u bodies, %u steps, %u pairs, %u touched, %u left to rounding", s.count, problem_of[size].steps,
             s.all_pairs, s.touching, s.unsure);
}

const struct workload workload = {.name = "gamephysics", .run = run};
