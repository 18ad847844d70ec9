/*
 * Ray traversal by persistent threads: a meeting room of triangles, a tree of boxes over them, and one
 * launch of three kinds of rays: the primary rays of a camera, short rays from what they hit that ask whether
 * anything is near (ambient occlusion), and rays from there into random directions (diffuse).
 *
 * The reference knows neither the tree nor Woop's test: it walks a uniform grid and intersects vertices in
 * double precision. Rounding may decide a ray that passes an edge closer than SLACK, or a plane at a flat
 * angle, either way. So the reference finds the closest triangle that is hit for certain, and an answer is
 * right if its triangle is hit within the slack at the distance it says, and nothing is hit for certain
 * before.
 */
#include "room.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,
    WARPS = 6,
    LEAF_TRIANGLES = 4,
    BINS = 16,          /* for the surface area heuristic */
    WEIGHED_DEPTH = 30, /* below it halves do: 20 levels more at most; the kernel's stacks have 64 */
};

#define BOX_PAD  1e-4f /* metres: boxes are larger than their triangles by more than the kernel's rounding */
#define OFFSET   1e-3f /* metres: new rays begin this far from the surface */
#define NEARBY   1.5f  /* metres: length of occlusion rays */
#define FAR_AWAY 1e30f
#define SLACK    1e-4 /* metres: about 100 times the rounding of coordinates in a room of 12 metres */
#define FLAT     0.01 /* cosine between ray and normal below which no hit is certain */

enum { MISS = -1, UNANSWERED = -2 };

struct ray {
    struct vec origin;
    float least;
    struct vec direction;
    float greatest; /* negative: any hit will do */
};

struct hit {
    int32_t triangle;
    float distance;
};

/* ---- the tree: binned surface area heuristic ---- */

struct box {
    float low[3], high[3];
};

/* As the kernel has it. */
struct child {
    float x[2], y[2], z[2];
    int32_t what;
    uint32_t unused;
};

struct tree {
    struct box *box;    /* of each triangle */
    uint32_t *order;    /* of the triangles: leaves have consecutive ones */
    struct child *node; /* two of each */
    uint32_t nodes;
};

static const struct box empty = {{FAR_AWAY, FAR_AWAY, FAR_AWAY}, {-FAR_AWAY, -FAR_AWAY, -FAR_AWAY}};

static void extend(struct box *b, const struct box *by)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = fminf(b->low[k], by->low[k]);
        b->high[k] = fmaxf(b->high[k], by->high[k]);
    }
}

static struct box box_of(const struct triangle *t)
{
    struct box b = empty;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            b.low[k] = fminf(b.low[k], axis(t->corner[i], k));
            b.high[k] = fmaxf(b.high[k], axis(t->corner[i], k));
        }
    return b;
}

static float surface(const struct box *b)
{
    float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

static float middle(const struct box *b, int k)
{
    return (b->low[k] + b->high[k]) / 2;
}

struct split {
    int axis, bin; /* triangles of bins below `bin` go first */
    float cost, low, width;
};

static int bin_of(const struct split *s, const struct box *b)
{
    int bin = (int)((middle(b, s->axis) - s->low) / s->width);
    return bin < 0 ? 0 : bin < BINS ? bin : BINS - 1;
}

static void weigh_axis(const struct tree *t, uint32_t first, uint32_t count, struct split try, struct split *best)
{
    struct box bin[BINS], right[BINS], left = empty;
    uint32_t in_bin[BINS] = {0}, on_left = 0;
    for (int i = 0; i < BINS; i++)
        bin[i] = empty;
    for (uint32_t i = first; i < first + count; i++) {
        const struct box *b = &t->box[t->order[i]];
        extend(&bin[bin_of(&try, b)], b);
        in_bin[bin_of(&try, b)]++;
    }
    right[BINS - 1] = bin[BINS - 1];
    for (int i = BINS - 2; i >= 0; i--) {
        right[i] = right[i + 1];
        extend(&right[i], &bin[i]);
    }
    for (int i = 1; i < BINS; i++) {
        extend(&left, &bin[i - 1]);
        on_left += in_bin[i - 1];
        if (!on_left || on_left == count)
            continue;
        try.bin = i;
        try.cost = surface(&left) * (float)on_left + surface(&right[i]) * (float)(count - on_left);
        if (try.cost < best->cost)
            *best = try;
    }
}

/* How many of the triangles go into the first half; they are put in front. */
static uint32_t divide(struct tree *t, uint32_t first, uint32_t count, int depth)
{
    struct split best = {.cost = FAR_AWAY};
    struct box middles = empty;
    for (uint32_t i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            float m = middle(&t->box[t->order[i]], k);
            middles.low[k] = fminf(middles.low[k], m);
            middles.high[k] = fmaxf(middles.high[k], m);
        }
    for (int k = 0; k < 3 && depth < WEIGHED_DEPTH; k++) {
        float width = (middles.high[k] - middles.low[k]) / BINS;
        if (width > 0)
            weigh_axis(t, first, count, (struct split){.axis = k, .low = middles.low[k], .width = width}, &best);
    }
    if (best.cost == FAR_AWAY) /* all in one place, or too deep: any half will do */
        return count / 2;
    uint32_t front = first;
    for (uint32_t i = first; i < first + count; i++)
        if (bin_of(&best, &t->box[t->order[i]]) < best.bin) {
            uint32_t moved = t->order[i];
            t->order[i] = t->order[front];
            t->order[front++] = moved;
        }
    return front - first;
}

static int32_t build(struct tree *t, uint32_t first, uint32_t count, int depth, struct box *around)
{
    *around = empty;
    if (count <= LEAF_TRIANGLES && depth) {
        for (uint32_t i = first; i < first + count; i++)
            extend(around, &t->box[t->order[i]]);
        return ~(int32_t)(first * 8 + count);
    }
    uint32_t n = t->nodes++, half = divide(t, first, count, depth);
    for (int i = 0; i < 2; i++) {
        struct box b;
        int32_t what = build(t, i ? first + half : first, i ? count - half : half, depth + 1, &b);
        t->node[2 * n + (uint32_t)i] = (struct child){{b.low[0] - BOX_PAD, b.high[0] + BOX_PAD},
                                                      {b.low[1] - BOX_PAD, b.high[1] + BOX_PAD},
                                                      {b.low[2] - BOX_PAD, b.high[2] + BOX_PAD},
                                                      what,
                                                      0};
        extend(around, &b);
    }
    return (int32_t)n;
}

/* Builds the tree and puts the scene's triangles in its order. */
static struct tree make_tree(struct work *w, struct scene *s)
{
    struct tree t = {.box = work_buffer(w, s->count, sizeof *t.box),
                     .order = work_buffer(w, s->count, sizeof *t.order),
                     .node = work_buffer(w, 2 * (size_t)s->count, sizeof *t.node)};
    struct triangle *sorted = work_buffer(w, s->count, sizeof *sorted);
    struct box all;
    for (uint32_t i = 0; i < s->count; i++) {
        t.box[i] = box_of(&s->triangle[i]);
        t.order[i] = i;
    }
    build(&t, 0, s->count, 0, &all);
    for (uint32_t i = 0; i < s->count; i++)
        sorted[i] = s->triangle[t.order[i]];
    s->triangle = sorted;
    return t;
}

/* The rows that map the triangle to (0,0,0), (1,0,0), (0,1,0): the inverse of the matrix of its two sides and
 * its normal. The third is kept with the sign that the kernel wants. */
static void woop(const struct triangle *t, float rows[12])
{
    struct vec a = t->corner[0], u = subtract(t->corner[1], a), v = subtract(t->corner[2], a), n = cross(u, v);
    float scaled = 1 / dot(n, n);
    struct vec row[3] = {scale(cross(v, n), scaled), scale(cross(n, u), scaled), scale(n, scaled)};
    for (int i = 0; i < 3; i++) {
        float at = dot(row[i], a);
        memcpy(rows + 4 * i, &row[i], sizeof row[i]);
        rows[4 * i + 3] = i == 2 ? at : -at;
    }
}

/* ---- the reference: a uniform grid, in double precision ---- */

struct grid {
    const struct scene *scene;
    int cells[3];
    double low[3], size[3];     /* of a cell */
    uint32_t *first, *triangle; /* of cell i: triangle[first[i]] up to triangle[first[i + 1] - 1] */
};

struct meeting {
    double distance, outside,
        cosine; /* outside: metres from the triangle to where its plane is met; negative: inside */
};

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Where the ray meets the triangle's plane. The corners are looked at one after the other: on which side of
 * the opposite edge the point is, and how far. */
static struct meeting meet(const struct ray *r, const struct triangle *t)
{
    double corner[3][3], normal[3], u[3], v[3], d[3], at[3], from[3];
    struct meeting m = {.distance = INFINITY, .outside = INFINITY};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            corner[i][k] = (double)axis(t->corner[i], k);
        u[k] = corner[1][k] - corner[0][k];
        v[k] = corner[2][k] - corner[0][k];
        d[k] = (double)axis(r->direction, k);
        from[k] = corner[0][k] - (double)axis(r->origin, k);
    }
    cross3(u, v, normal);
    double facing = dot3(normal, d);
    m.cosine = fabs(facing) / sqrt(dot3(normal, normal) * dot3(d, d));
    if (facing == 0)
        return m;
    m.distance = dot3(normal, from) / facing;
    m.outside = -INFINITY;
    for (int k = 0; k < 3; k++)
        at[k] = (double)axis(r->origin, k) + m.distance * d[k];
    for (int i = 0; i < 3; i++) {
        double edge[3], away[3], side[3];
        for (int k = 0; k < 3; k++) {
            edge[k] = corner[(i + 1) % 3][k] - corner[i][k];
            away[k] = at[k] - corner[i][k];
        }
        cross3(edge, away, side);
        m.outside = fmax(m.outside, -dot3(side, normal) / sqrt(dot3(edge, edge) * dot3(normal, normal)));
    }
    return m;
}

static int cell_of(const struct grid *g, int k, double x)
{
    int i = (int)floor((x - g->low[k]) / g->size[k]);
    return i < 0 ? 0 : i < g->cells[k] ? i : g->cells[k] - 1;
}

/* Counts (where `triangle` is not there yet) or enters a triangle in every cell that its box touches. */
static void enter(struct grid *g, uint32_t number, uint32_t *fill)
{
    struct box b = box_of(&g->scene->triangle[number]);
    int from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = cell_of(g, k, (double)b.low[k] - 2 * SLACK);
        to[k] = cell_of(g, k, (double)b.high[k] + 2 * SLACK);
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                uint32_t cell = (uint32_t)((z * g->cells[1] + y) * g->cells[0] + x);
                if (g->triangle)
                    g->triangle[fill[cell]] = number;
                fill[cell]++;
            }
}

static struct grid make_grid(struct work *w, const struct scene *s)
{
    struct grid g = {.scene = s, .cells = {48, 16, 32}, .size = {0.25, 0.2, 0.25}};
    size_t cells = (size_t)g.cells[0] * (size_t)g.cells[1] * (size_t)g.cells[2];
    uint32_t *fill = work_buffer(w, cells, sizeof *fill), total = 0;
    g.first = work_buffer(w, cells + 1, sizeof *g.first);
    for (uint32_t i = 0; i < s->count; i++)
        enter(&g, i, fill);
    for (size_t i = 0; i < cells; i++) {
        g.first[i] = total;
        total += fill[i];
        fill[i] = g.first[i];
    }
    g.first[cells] = total;
    g.triangle = work_buffer(w, total, sizeof *g.triangle);
    for (uint32_t i = 0; i < s->count; i++)
        enter(&g, i, fill);
    return g;
}

struct sure {
    int32_t triangle;
    double distance;
};

static void look_in_cell(const struct grid *g, const struct ray *r, uint32_t cell, struct sure *found)
{
    for (uint32_t i = g->first[cell]; i < g->first[cell + 1]; i++) {
        struct meeting m = meet(r, &g->scene->triangle[g->triangle[i]]);
        double slack = SLACK / m.cosine;
        if (m.cosine > FLAT && m.outside < -slack && m.distance > (double)r->least + slack &&
            m.distance < found->distance)
            *found = (struct sure){(int32_t)g->triangle[i], m.distance};
    }
}

/* The closest triangle that the ray hits for certain: cell by cell along the ray, which begins in the room.
 */
static struct sure find_sure(const struct grid *g, const struct ray *r)
{
    struct sure found = {MISS, fabs((double)r->greatest)};
    int cell[3], step[3];
    double next[3], width[3];
    for (int k = 0; k < 3; k++) {
        double o = (double)axis(r->origin, k), d = (double)axis(r->direction, k);
        cell[k] = cell_of(g, k, o);
        step[k] = d < 0 ? -1 : 1;
        width[k] = d ? g->size[k] / fabs(d) : INFINITY;
        next[k] = d ? (g->low[k] + (cell[k] + (d > 0)) * g->size[k] - o) / d : INFINITY;
    }
    for (;;) {
        int k = next[0] < next[1] ? 0 : 1;
        k = next[2] < next[k] ? 2 : k;
        look_in_cell(g, r, (uint32_t)((cell[2] * g->cells[1] + cell[1]) * g->cells[0] + cell[0]), &found);
        cell[k] += step[k];
        if (found.distance < next[k] || cell[k] < 0 || cell[k] >= g->cells[k])
            return found;
        next[k] += width[k];
    }
}

static bool is_right(const struct grid *g, const struct ray *r, struct hit hit, struct sure sure)
{
    if (hit.triangle == MISS)
        return sure.triangle == MISS;
    if (hit.triangle < 0 || (uint32_t)hit.triangle >= g->scene->count)
        return false;
    struct meeting m = meet(r, &g->scene->triangle[hit.triangle]);
    double slack = SLACK / m.cosine, distance = (double)hit.distance;
    if (!(m.outside <= slack && fabs(m.distance - distance) <= slack))
        return false;
    if (distance <= (double)r->least || distance >= fabs((double)r->greatest))
        return false;
    return r->greatest < 0 || sure.triangle == MISS || distance <= sure.distance + slack;
}

/* ---- rays ---- */

/* Of a camera in a corner of the room; pixels in tiles of 8 x 4, so that a warp's rays are close together. */
static void aim(struct ray *ray, uint32_t width, uint32_t height)
{
    struct vec eye = vec(0.7f, 2.1f, 7.2f), forward = unit(subtract(vec(7, 0.8f, 3.2f), eye));
    struct vec right = unit(cross(forward, vec(0, 1, 0))), up = cross(right, forward);
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t tile = i / LANES, x = tile % (width / 8) * 8 + i % 8, y = tile / (width / 8) * 4 + i / 8 % 4;
        float s = ((float)x + 0.5f) / (float)width * 2 - 1, t = 1 - ((float)y + 0.5f) / (float)height * 2;
        struct vec d = add(forward, add(scale(right, 0.8f * s), scale(up, 0.6f * t)));
        ray[i] = (struct ray){eye, 0, unit(d), FAR_AWAY};
    }
}

static struct vec random_unit_vector(struct work *w)
{
    for (;;) {
        float z = 2 * work_random_unit(w) - 1, y = 2 * work_random_unit(w) - 1;
        struct vec v = vec(2 * work_random_unit(w) - 1, y, z);
        float square = dot(v, v);
        if (square > 0.01f && square <= 1)
            return scale(v, 1 / sqrtf(square));
    }
}

/* A ray into a random direction from where `from` hit, more likely along the normal than along the surface.
 */
static struct ray bounce(struct work *w, const struct scene *s, const struct ray *from, struct sure sure,
                         float greatest)
{
    if (sure.triangle == MISS) /* along an edge */
        return (struct ray){from->origin, 0, random_unit_vector(w), greatest};
    const struct triangle *t = &s->triangle[sure.triangle];
    struct vec n = unit(cross(subtract(t->corner[1], t->corner[0]), subtract(t->corner[2], t->corner[0])));
    if (dot(n, from->direction) > 0)
        n = scale(n, -1);
    struct vec at = add(from->origin, scale(from->direction, (float)sure.distance)), d = add(n, random_unit_vector(w));
    if (dot(d, d) < 1e-4f)
        d = n;
    return (struct ray){add(at, scale(n, OFFSET)), 0, unit(d), greatest};
}

/* ---- the launch ---- */

/* As the kernel has it. */
struct input {
    CUtexObject nodes, triangles;
    CUdeviceptr rays, hits, answered;
    uint32_t count, padding;
};

enum { KINDS = 3 };
static const char *const kind_name[KINDS] = {"primary", "occlusion", "diffuse"};

/* The rays of all kinds, `count` of each, one kind after the other, and what the reference says of them. */
struct rays {
    struct ray *ray;
    struct sure *sure;
    uint32_t count;
};

static struct rays make_rays(struct work *w, const struct grid *g, uint32_t width, uint32_t height)
{
    uint32_t n = width * height;
    struct rays r = {work_buffer(w, KINDS * (size_t)n, sizeof *r.ray),
                     work_buffer(w, KINDS * (size_t)n, sizeof *r.sure), n};
    aim(r.ray, width, height);
    for (uint32_t i = 0; i < KINDS * n; i++) {
        if (i >= n)
            r.ray[i] = bounce(w, g->scene, &r.ray[i % n], r.sure[i % n], i < 2 * n ? -NEARBY : FAR_AWAY);
        r.sure[i] = find_sure(g, &r.ray[i]);
    }
    return r;
}

static void check_hits(struct work *w, const struct grid *g, const struct rays *r, const struct hit *hit, int kind)
{
    uint32_t lost = 0, wrong = 0, first = 0, from = (uint32_t)kind * r->count;
    for (uint32_t i = from; i < from + r->count; i++) {
        lost += hit[i].triangle == UNANSWERED;
        if (hit[i].triangle != UNANSWERED && !is_right(g, &r->ray[i], hit[i], r->sure[i]) && !wrong++)
            first = i;
    }
    work_check(w, !lost, "%u of %u %s rays were not answered", lost, r->count, kind_name[kind]);
    work_check(w, !wrong, "%u of %u %s rays: wrong hit; the first is number %u: triangle %d at %g, not %d at %g", wrong,
               r->count, kind_name[kind], first, hit[first].triangle, (double)hit[first].distance,
               r->sure[first].triangle, r->sure[first].distance);
}

/* `input` has the scene. */
static void trace(struct work *w, const struct grid *g, const struct rays *r, struct input input, unsigned blocks)
{
    uint32_t threads = blocks * WARPS * LANES, count = KINDS * r->count, zero = 0;
    struct hit *hit = work_buffer(w, count, sizeof *hit);
    uint32_t *answered = work_buffer(w, threads, sizeof *answered);
    uint64_t answers = 0;
    for (uint32_t i = 0; i < count; i++)
        hit[i].triangle = UNANSWERED;
    input.rays = work_upload(w, r->ray, count * sizeof *r->ray);
    input.hits = work_upload(w, hit, count * sizeof *hit);
    input.answered = work_alloc(w, threads * sizeof *answered);
    input.count = count;
    work_write(w, work_symbol(w, "nvrt_input", sizeof input), &input, sizeof input);
    work_write(w, work_symbol(w, "nvrt_queue", sizeof zero), &zero, sizeof zero);
    work_launch(w, "nvrt", (struct work_shape){.x = blocks}, (struct work_shape){LANES, WARPS, 1}, 0, NULL);
    work_read(w, hit, input.hits, count * sizeof *hit);
    work_read(w, answered, input.answered, threads * sizeof *answered);
    for (int kind = 0; kind < KINDS; kind++)
        check_hits(w, g, r, hit, kind);
    for (uint32_t i = 0; i < threads; i++)
        answers += answered[i];
    work_check(w, answers == count, "%llu answers for %u rays", (unsigned long long)answers, count);
}

static CUtexObject upload_texture(struct work *w, const void *texels, size_t bytes)
{
    return work_texture(w, work_upload(w, texels, bytes), bytes, CU_AD_FORMAT_FLOAT, 4);
}

/* Each warp gets ten batches of 96 rays or more; four at size test. */
static void run(struct work *w, enum work_size size)
{
    static const struct {
        struct furniture furniture;
        uint32_t width, height;
        unsigned blocks; /* 60: as many as fit on 30 multiprocessors */
    } sizes[] = {
        [WORK_TEST] = {{2, 1, 2, 1, 2, 1}, 32, 24, 1},
        [WORK_SMALL] = {{12, 2, 24, 3, 30, 6}, 160, 120, 10},
        [WORK_PAPER] = {{20, 17, 80, 5, 300, 20}, 432, 336, 60},
    };
    struct scene scene = make_room(w, &sizes[size].furniture);
    struct tree tree = make_tree(w, &scene);
    float *rows = work_buffer(w, scene.count, 12 * sizeof *rows);
    for (uint32_t i = 0; i < scene.count; i++)
        woop(&scene.triangle[i], rows + (size_t)i * 12);
    struct grid grid = make_grid(w, &scene);
    struct rays rays = make_rays(w, &grid, sizes[size].width, sizes[size].height);
    struct input input = {.nodes = upload_texture(w, tree.node, tree.nodes * 2 * sizeof *tree.node),
                          .triangles = upload_texture(w, rows, scene.count * 12 * sizeof *rows)};
    trace(w, &grid, &rays, input, sizes[size].blocks);
    work_say(w, "%u triangles, %u nodes, %u rays", scene.count, tree.nodes, KINDS * rays.count);
}

#ifndef NVRT_NAME
#define NVRT_NAME "nvrt"
#endif

const struct workload workload = {.name = NVRT_NAME, .run = run};
