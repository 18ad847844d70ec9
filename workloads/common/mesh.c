#include "mesh.h"

#include <math.h>
#include <stdlib.h>

#define PAD      1e-4f /* boxes are larger than their triangles by more than the rounding of the kernels */
#define FAR_AWAY 1e30f

struct mesh_vec mesh_vec(float x, float y, float z)
{
    return (struct mesh_vec){x, y, z};
}

struct mesh_vec mesh_add(struct mesh_vec a, struct mesh_vec b)
{
    return mesh_vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

struct mesh_vec mesh_scale(struct mesh_vec a, float s)
{
    return mesh_vec(a.x * s, a.y * s, a.z * s);
}

struct mesh_vec mesh_unit(struct mesh_vec a)
{
    return mesh_scale(a, 1 / sqrtf(a.x * a.x + a.y * a.y + a.z * a.z));
}

static float axis_of(struct mesh_vec a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* ---- shapes ---- */

struct mesh mesh_make(struct work *w, uint32_t capacity)
{
    return (struct mesh){.triangle = work_buffer(w, capacity, sizeof(struct mesh_triangle)), .capacity = capacity};
}

static void add_triangle(struct work *w, struct mesh *m, struct mesh_vec a, struct mesh_vec b, struct mesh_vec c,
                         uint32_t material)
{
    work_check(w, m->count < m->capacity, "the scene has more than %u triangles", m->capacity);
    if (m->count < m->capacity)
        m->triangle[m->count++] = (struct mesh_triangle){{a, b, c}, material};
}

void mesh_sheet(struct work *w, struct mesh *m, struct mesh_vec corner, struct mesh_vec u, struct mesh_vec v, int n,
                uint32_t material)
{
    struct mesh_vec du = mesh_scale(u, 1 / (float)n), dv = mesh_scale(v, 1 / (float)n);
    for (int i = 0; i < n * n; i++) {
        struct mesh_vec a = mesh_add(corner, mesh_add(mesh_scale(du, (float)(i % n)), mesh_scale(dv, (float)(i / n))));
        struct mesh_vec b = mesh_add(a, du), c = mesh_add(a, dv);
        add_triangle(w, m, a, b, c, material);
        add_triangle(w, m, mesh_add(b, dv), c, b, material);
    }
}

void mesh_box(struct work *w, struct mesh *m, struct mesh_vec corner, struct mesh_vec along, float height,
              uint32_t material)
{
    struct mesh_vec up = mesh_vec(0, height, 0), across = mesh_vec(-along.z, 0, along.x);
    mesh_sheet(w, m, corner, along, up, 1, material);
    mesh_sheet(w, m, corner, across, up, 1, material);
    mesh_sheet(w, m, mesh_add(corner, across), along, up, 1, material);
    mesh_sheet(w, m, mesh_add(corner, along), across, up, 1, material);
    mesh_sheet(w, m, mesh_add(corner, up), along, across, 1, material);
    mesh_sheet(w, m, corner, along, across, 1, material);
}

/* The corner of a face's grid that is i steps from the first and j from the second corner of the octahedron. */
static struct mesh_vec ball_corner(struct mesh_vec centre, float radius, int octant, int n, int i, int j)
{
    struct mesh_vec a = mesh_unit(mesh_vec((float)i, (float)j, (float)(n - i - j)));
    a = mesh_vec(octant & 1 ? -a.x : a.x, octant & 2 ? -a.y : a.y, octant & 4 ? -a.z : a.z);
    return mesh_add(centre, mesh_scale(a, radius));
}

void mesh_ball(struct work *w, struct mesh *m, struct mesh_vec centre, float radius, int n, uint32_t material)
{
    for (int octant = 0; octant < 8; octant++)
        for (int i = 0; i < n; i++)
            for (int j = 0; i + j < n; j++) {
                struct mesh_vec a = ball_corner(centre, radius, octant, n, i, j),
                                b = ball_corner(centre, radius, octant, n, i + 1, j),
                                c = ball_corner(centre, radius, octant, n, i, j + 1);
                add_triangle(w, m, a, b, c, material);
                if (i + j + 1 < n)
                    add_triangle(w, m, ball_corner(centre, radius, octant, n, i + 1, j + 1), c, b, material);
            }
}

/* ---- the tree ---- */

struct box {
    struct mesh_vec low, high;
};

struct piece { /* a triangle while the tree is built */
    struct box box;
    float middle[3];
    uint32_t triangle;
    int axis; /* that pieces are sorted by */
};

struct builder {
    struct mesh_tree tree;
    struct piece *piece;
    float *right_cost; /* of the pieces from each one on */
};

static const struct box empty = {{FAR_AWAY, FAR_AWAY, FAR_AWAY}, {-FAR_AWAY, -FAR_AWAY, -FAR_AWAY}};

static struct box join(struct box a, struct box b)
{
    return (struct box){
        mesh_vec(fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)),
        mesh_vec(fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z)),
    };
}

static float surface(struct box b)
{
    float x = b.high.x - b.low.x, y = b.high.y - b.low.y, z = b.high.z - b.low.z;
    return x * y + y * z + z * x;
}

/* Equal middles are ordered by number: every library's qsort() then gives the same tree. */
static int by_middle(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;
    if (p->middle[p->axis] != q->middle[p->axis])
        return p->middle[p->axis] < q->middle[p->axis] ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static void sort(struct piece *piece, uint32_t count, int axis)
{
    for (uint32_t i = 0; i < count; i++)
        piece[i].axis = axis;
    qsort(piece, count, sizeof *piece, by_middle);
}

/* Sorts the pieces along the best axis; returns how many go to the first child. */
static uint32_t split(struct builder *b, struct piece *piece, uint32_t count)
{
    float best = FAR_AWAY;
    int best_axis = 0;
    uint32_t best_count = count / 2;
    for (int axis = 0; axis < 3; axis++) {
        struct box left = empty, right = empty;
        sort(piece, count, axis);
        for (uint32_t i = count; i-- > 1;) {
            right = join(right, piece[i].box);
            b->right_cost[i] = surface(right) * (float)(count - i);
        }
        for (uint32_t i = 1; i < count; i++) {
            left = join(left, piece[i - 1].box);
            float cost = surface(left) * (float)i + b->right_cost[i];
            if (cost < best) {
                best = cost;
                best_axis = axis;
                best_count = i;
            }
        }
    }
    sort(piece, count, best_axis);
    return best_count;
}

static void build_node(struct builder *b, uint32_t node, uint32_t first, uint32_t count, uint32_t depth)
{
    struct box box = empty;
    for (uint32_t i = first; i < first + count; i++)
        box = join(box, b->piece[i].box);
    struct mesh_node n = {.low = mesh_add(box.low, mesh_vec(-PAD, -PAD, -PAD)),
                          .high = mesh_add(box.high, mesh_vec(PAD, PAD, PAD)),
                          .first = first,
                          .count = count};
    if (count > MESH_LEAF) {
        uint32_t in_first = split(b, b->piece + first, count);
        n.first = b->tree.nodes;
        n.count = 0;
        b->tree.nodes += 2;
        build_node(b, n.first, first, in_first, depth + 1);
        build_node(b, n.first + 1, first + in_first, count - in_first, depth + 1);
    } else if (depth > b->tree.depth) {
        b->tree.depth = depth;
    }
    b->tree.node[node] = n;
}

struct mesh_tree mesh_build(struct work *w, struct mesh *m)
{
    struct builder b = {.tree.nodes = 1};
    b.tree.node = work_buffer(w, 2 * (size_t)m->count, sizeof *b.tree.node);
    b.tree.rows = work_buffer(w, m->count, sizeof *b.tree.rows);
    b.piece = work_buffer(w, m->count, sizeof *b.piece);
    b.right_cost = work_buffer(w, m->count, sizeof *b.right_cost);
    for (uint32_t i = 0; i < m->count; i++) {
        b.piece[i] = (struct piece){.triangle = i, .box = empty};
        for (int k = 0; k < 3; k++)
            b.piece[i].box = join(b.piece[i].box, (struct box){m->triangle[i].corner[k], m->triangle[i].corner[k]});
        for (int axis = 0; axis < 3; axis++)
            b.piece[i].middle[axis] = (axis_of(b.piece[i].box.low, axis) + axis_of(b.piece[i].box.high, axis)) / 2;
    }
    build_node(&b, 0, 0, m->count, 0);
    struct mesh_triangle *sorted = work_buffer(w, m->count, sizeof *sorted);
    for (uint32_t i = 0; i < m->count; i++) {
        struct mesh_triangle t = sorted[i] = m->triangle[b.piece[i].triangle];
        b.tree.rows[i] = (struct mesh_rows){.corner = t.corner[0],
                                            .material = t.material,
                                            .side1 = mesh_add(t.corner[1], mesh_scale(t.corner[0], -1)),
                                            .side2 = mesh_add(t.corner[2], mesh_scale(t.corner[0], -1))};
    }
    m->triangle = sorted;
    return b.tree;
}

/* ---- the reference ---- */

/* A plane, and for each corner the plane through the opposite side that is 0 there and 1 at the corner. */
struct plate {
    struct mesh_point normal, to_corner[3];
    double offset, corner_offset[3];
    double per_slack; /* of the numbers of to_corner, what moving by 1 changes at most */
};

/* GROUP triangles that follow each other, so that one look may pass over them all. */
enum { GROUP = 8 };

struct group {
    struct mesh_point centre;
    double radius;                       /* of a ball that has every corner */
    double per_slack;                    /* the largest of its plates */
    double x[GROUP], y[GROUP], z[GROUP]; /* the normals; the last group has its last one several times */
};

struct mesh_reference {
    struct plate *plate;
    struct group *group;
    uint32_t count, groups;
};

/* Inline, unlike fmin and fmax; no number here is a NaN. */
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

struct mesh_point mesh_point(struct mesh_vec a)
{
    return (struct mesh_point){a.x, a.y, a.z};
}

struct mesh_point mesh_go(struct mesh_point from, double s, struct mesh_point way)
{
    return (struct mesh_point){from.x + s * way.x, from.y + s * way.y, from.z + s * way.z};
}

double mesh_dot(struct mesh_point a, struct mesh_point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct mesh_point mesh_unit_point(struct mesh_point a)
{
    return mesh_go((struct mesh_point){0, 0, 0}, 1 / sqrt(mesh_dot(a, a)), a);
}

static struct mesh_point cross(struct mesh_point a, struct mesh_point b)
{
    return (struct mesh_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct plate make_plate(const struct mesh_triangle *t)
{
    struct plate p = {.per_slack = 0};
    struct mesh_point c[3] = {mesh_point(t->corner[0]), mesh_point(t->corner[1]), mesh_point(t->corner[2])};
    p.normal = mesh_unit_point(cross(mesh_go(c[1], -1, c[0]), mesh_go(c[2], -1, c[0])));
    p.offset = mesh_dot(p.normal, c[0]);
    for (int k = 0; k < 3; k++) {
        struct mesh_point side = mesh_go(c[(k + 2) % 3], -1, c[(k + 1) % 3]), inwards = cross(p.normal, side);
        double height = mesh_dot(inwards, mesh_go(c[k], -1, c[(k + 1) % 3]));
        p.to_corner[k] = mesh_go((struct mesh_point){0, 0, 0}, 1 / height, inwards);
        p.corner_offset[k] = mesh_dot(p.to_corner[k], c[(k + 1) % 3]);
        p.per_slack = larger(p.per_slack, sqrt(mesh_dot(p.to_corner[k], p.to_corner[k])));
    }
    return p;
}

static struct group make_group(const struct mesh_triangle *t, const struct plate *p, uint32_t count)
{
    struct group g = {.radius = 0};
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            g.centre = mesh_go(g.centre, 1 / (3.0 * count), mesh_point(t[i].corner[k]));
    for (uint32_t i = 0; i < count; i++) {
        g.per_slack = larger(g.per_slack, p[i].per_slack);
        for (int k = 0; k < 3; k++) {
            struct mesh_point off = mesh_go(mesh_point(t[i].corner[k]), -1, g.centre);
            g.radius = larger(g.radius, sqrt(mesh_dot(off, off)));
        }
    }
    for (uint32_t i = 0; i < GROUP; i++) {
        struct mesh_point normal = p[i < count ? i : count - 1].normal;
        g.x[i] = normal.x;
        g.y[i] = normal.y;
        g.z[i] = normal.z;
    }
    return g;
}

struct mesh_reference *mesh_prepare(struct work *w, const struct mesh *m)
{
    struct mesh_reference *r = work_buffer(w, 1, sizeof *r);
    *r = (struct mesh_reference){.count = m->count, .groups = (m->count + GROUP - 1) / GROUP};
    r->plate = work_buffer(w, r->count, sizeof *r->plate);
    r->group = work_buffer(w, r->groups, sizeof *r->group);
    for (uint32_t i = 0; i < m->count; i++)
        r->plate[i] = make_plate(&m->triangle[i]);
    for (uint32_t i = 0; i < r->groups; i++) {
        uint32_t first = i * GROUP, left = r->count - first;
        r->group[i] = make_group(&m->triangle[first], &r->plate[first], left < GROUP ? left : GROUP);
    }
    return r;
}

enum certainty { APART, DOUBTFUL, MEETS };

struct meeting {
    enum certainty certainty;
    double distance, facing;
    double slack; /* how far rounding may move the distance */
    double moved; /* how far rounding may move the point on the triangle's plane */
};

/* Whether the ray meets the triangle in front of it and before its end. */
static struct meeting meet(const struct plate *p, const struct mesh_ray *ray)
{
    struct meeting m = {.facing = mesh_dot(p->normal, ray->way)};
    double steep = larger(fabs(m.facing), 1e-9), tilt = mesh_dot(p->normal, ray->flat);
    m.distance = (p->offset - mesh_dot(p->normal, ray->from)) / (m.facing ? m.facing : 1e-30);
    double moved = ray->moved * (ray->aimed ? larger(0, 1 - m.distance / ray->aimed) : 1);
    /* what is moved along the surface where the ray begins does not change its distance from a parallel plane */
    double across = sqrt(larger(0, 1 - tilt * tilt)), other = ray->lifted + ray->turned * fabs(m.distance);
    m.slack = (moved * across + other) / steep;
    m.moved = moved * smaller(1 / steep, 1 + across / steep) + other / steep;
    if (m.distance < -m.slack || m.distance > ray->most + m.slack)
        return m;
    struct mesh_point at = mesh_go(ray->from, m.distance, ray->way);
    double least = 1;
    for (int k = 0; k < 3; k++)
        least = smaller(least, mesh_dot(p->to_corner[k], at) - p->corner_offset[k]);
    if (least < -m.moved * p->per_slack)
        return m;
    bool is_certain = least > m.moved * p->per_slack && m.distance > m.slack && m.distance < ray->most - m.slack;
    m.certainty = is_certain ? MEETS : DOUBTFUL;
    return m;
}

/*
 * Whether `meet` would find the ray apart from every triangle of the group.
 *
 * It is not apart only where its line meets the triangle's plane at a point whose three numbers (to_corner) are at least
 * -e, with e = moved * per_slack / |facing| for a ray that rounding neither lifts nor turns. Their sum is 1, so that the
 * sum of their sizes is at most 1 + 4 e, and the point is within radius * (1 + 4 e) of the centre. A line that stays
 * farther away is apart from all. A thousandth of the radius, and twice the e, are for the rounding in here.
 */
static bool passes(const struct group *g, const struct mesh_ray *ray)
{
    if (ray->lifted != 0 || ray->turned != 0 || ray->aimed != 0)
        return false;
    struct mesh_point to = mesh_go(g->centre, -1, ray->from);
    double along = mesh_dot(to, ray->way), radius = 1.001 * g->radius;
    double apart2 = mesh_dot(to, to) - along * along;
    if (apart2 <= radius * radius)
        return false;
    double least[2] = {1, 1};
    for (int i = 0; i < GROUP; i += 2)
        for (int k = 0; k < 2; k++) {
            double facing = fabs(g->x[i + k] * ray->way.x + g->y[i + k] * ray->way.y + g->z[i + k] * ray->way.z);
            least[k] = smaller(least[k], facing);
        }
    double facing = smaller(least[0], least[1]);
    return facing * (sqrt(apart2) - radius) > 8 * (ray->moved + 1e-9) * g->per_slack * radius;
}

struct mesh_hit mesh_closest(const struct mesh_reference *r, const struct mesh_ray *ray)
{
    struct mesh_hit hit = {.distance = ray->most, .triangle = -1, .is_sure = true};
    double other = FAR_AWAY, slack = 0; /* other: where another triangle may be met, at least */
    for (uint32_t i = 0; i < r->count; i++) {
        if (i % GROUP == 0 && passes(&r->group[i / GROUP], ray)) {
            i += GROUP - 1;
            continue;
        }
        const struct plate *p = &r->plate[i];
        struct meeting m = meet(p, ray);
        if (m.certainty == DOUBTFUL || (m.certainty == MEETS && m.distance >= hit.distance))
            other = smaller(other, m.distance - m.slack);
        else if (m.certainty == MEETS) {
            if (hit.triangle >= 0)
                other = smaller(other, hit.distance - slack);
            hit = (struct mesh_hit){.distance = m.distance,
                                    .triangle = (int32_t)i,
                                    .normal = mesh_go((struct mesh_point){0, 0, 0}, m.facing < 0 ? 1 : -1, p->normal),
                                    .moved = m.moved};
            slack = m.slack;
        }
    }
    hit.is_sure = other > hit.distance + slack;
    return hit;
}

bool mesh_is_hidden(const struct mesh_reference *r, const struct mesh_ray *ray, bool *is_sure)
{
    bool is_doubtful = false;
    for (uint32_t i = 0; i < r->count; i++) {
        if (i % GROUP == 0 && passes(&r->group[i / GROUP], ray)) {
            i += GROUP - 1;
            continue;
        }
        struct meeting m = meet(&r->plate[i], ray);
        if (m.certainty == MEETS)
            return true;
        is_doubtful |= m.certainty == DOUBTFUL;
    }
    *is_sure = *is_sure && !is_doubtful;
    return false;
}
