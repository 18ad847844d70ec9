/*
 * A ray tracing engine as one kernel: paths of light in a room with a lamp, mirrors and glass, some samples per pixel.
 *
 * The reference follows each path by an ordinary loop in double precision, asks every triangle (common/mesh.h), and
 * draws the same random numbers. It keeps account of how far rounding may have moved the kernel's ray, and so knows
 * which paths rounding may decide; these are not compared, and there may be few of them.
 */
#include "mesh.h"

#include <math.h>

enum { BLOCK = 8, MOST_BOUNCES = 5, SURE_BOUNCES = 1, MOST_PENDING = 32, MOST_TRIANGLES = 1 << 14 };
enum kind { DIFFUSE, MIRROR, GLASS, EMITTER };
enum { WHITE, RED, GREEN, LAMP, SILVER, GOLD, CLEAR, TINTED, BLUE, MATERIALS };

#define FARTHEST 1e30
#define OFFSET   1e-3
#define INDEX    1.5

/* As the kernel has them. */
struct material {
    struct mesh_vec colour;
    int32_t kind;
};

struct scene {
    CUdeviceptr nodes, triangles, materials;
    struct mesh_vec eye, corner, right, down;
    struct mesh_vec lamp, lamp_side1, lamp_side2, glow;
    float lamp_area;
    int32_t width, height, samples;
};

struct problem {
    int width, height, samples, balls, boxes, facets; /* facets: of the side of a ball's octant */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 12, .height = 7, .samples = 2, .balls = 3, .boxes = 3, .facets = 2},
    [WORK_SMALL] = {.width = 112, .height = 120, .samples = 1, .balls = 3, .boxes = 3, .facets = 2},
    [WORK_PAPER] = {.width = 128, .height = 120, .samples = 2, .balls = 9, .boxes = 6, .facets = 3},
};

static const struct material material[MATERIALS] = {
    [WHITE] = {{0.75f, 0.75f, 0.75f}, DIFFUSE},
    [RED] = {{0.7f, 0.2f, 0.2f}, DIFFUSE},
    [GREEN] = {{0.2f, 0.65f, 0.2f}, DIFFUSE},
    [LAMP] = {{12, 11, 9}, EMITTER},
    [SILVER] = {{0.95f, 0.95f, 0.95f}, MIRROR},
    [GOLD] = {{0.9f, 0.7f, 0.3f}, MIRROR},
    [CLEAR] = {{1, 1, 1}, GLASS},
    [TINTED] = {{0.6f, 0.8f, 1}, GLASS},
    [BLUE] = {{0.2f, 0.3f, 0.7f}, DIFFUSE},
};

/* ---- the scene: a room of 8x5x8, open to the camera; y is up ---- */

static struct mesh make_room(struct work *w, const struct problem *p, struct scene *s)
{
    static const uint32_t of_things[] = {SILVER, CLEAR, WHITE, GOLD, TINTED, BLUE};
    struct mesh m = mesh_make(w, MOST_TRIANGLES);
    mesh_sheet(w, &m, mesh_vec(-4, 0, -4), mesh_vec(8, 0, 0), mesh_vec(0, 0, 8), 2, WHITE);
    mesh_sheet(w, &m, mesh_vec(-4, 5, -4), mesh_vec(8, 0, 0), mesh_vec(0, 0, 8), 2, WHITE);
    mesh_sheet(w, &m, mesh_vec(-4, 0, -4), mesh_vec(8, 0, 0), mesh_vec(0, 5, 0), 2, WHITE);
    mesh_sheet(w, &m, mesh_vec(-4, 0, -4), mesh_vec(0, 0, 8), mesh_vec(0, 5, 0), 2, RED);
    mesh_sheet(w, &m, mesh_vec(4, 0, -4), mesh_vec(0, 0, 8), mesh_vec(0, 5, 0), 2, GREEN);
    s->lamp = mesh_vec(-1, 4.98f, -1);
    s->lamp_side1 = mesh_vec(2, 0, 0);
    s->lamp_side2 = mesh_vec(0, 0, 2);
    s->lamp_area = 4;
    s->glow = material[LAMP].colour;
    mesh_sheet(w, &m, s->lamp, s->lamp_side1, s->lamp_side2, 1, LAMP);
    for (int i = 0; i < p->boxes; i++) {
        float x = -3 + 5.5f * work_random_unit(w), z = -3 + 5 * work_random_unit(w);
        float along_z = 0.1f + work_random_unit(w), along_x = work_random_unit(w) - 0.5f;
        struct mesh_vec along = mesh_unit(mesh_vec(along_x, 0, along_z));
        float side = 0.5f + 0.6f * work_random_unit(w), height = 0.4f + work_random_unit(w);
        mesh_box(w, &m, mesh_vec(x, 0.01f, z), mesh_scale(along, side), height, of_things[i % 6]);
    }
    for (int i = 0; i < p->balls; i++) {
        float x = -3.2f + 6.4f * work_random_unit(w), y = 1 + 2.4f * work_random_unit(w);
        float z = -3 + 5.5f * work_random_unit(w), radius = 0.35f + 0.45f * work_random_unit(w);
        mesh_ball(w, &m, mesh_vec(x, y, z), radius, p->facets, of_things[(i + 1) % 6]);
    }
    return m;
}

static void set_camera(struct scene *s, const struct problem *p)
{
    float pixel = 1.0f / (float)p->width, high = 0.5f * (float)p->height / (float)p->width;
    s->width = p->width;
    s->height = p->height;
    s->samples = p->samples;
    s->eye = mesh_vec(0.03f, 2.4f, 11);
    s->right = mesh_vec(pixel, 0, 0);
    s->down = mesh_vec(0, -pixel, 0);
    s->corner = mesh_vec(-0.5f, high, -1.3f);
}

/* ---- the reference ---- */

struct view {
    const struct scene *scene;
    const struct mesh *mesh;
    const struct mesh_reference *reference;
};

struct path {
    struct mesh_ray ray;
    struct mesh_point weight, light;
    uint32_t random;
    int bounce;
    bool is_seen, is_inside, is_sure;
};

/* What one operation rounds: coordinates are below 16, directions below 1. A ray's direction takes several. */
static const double lifted_by_one = 3e-6, turned_by_one = 4e-7;

static double draw(struct path *p)
{
    p->random = p->random * 1664525u + 1013904223u;
    return (p->random >> 8) * 0x1p-24;
}

static struct mesh_point scaled(struct mesh_point a, double s)
{
    return mesh_go((struct mesh_point){0, 0, 0}, s, a);
}

static struct mesh_point product(struct mesh_point a, struct mesh_point b)
{
    return (struct mesh_point){a.x * b.x, a.y * b.y, a.z * b.z};
}

/* True with this chance; unsure if rounding may decide. */
static bool happens(struct path *p, double chance)
{
    double drawn = draw(p);
    p->is_sure = p->is_sure && fabs(drawn - chance) > 2e-6 + 10 * p->ray.turned;
    return drawn < chance;
}

static bool goes_on(struct path *p)
{
    if (++p->bounce == MOST_BOUNCES)
        return false;
    if (p->bounce <= SURE_BOUNCES)
        return true;
    double chance = fmax(p->weight.x, fmax(p->weight.y, p->weight.z));
    if (!happens(p, chance))
        return false;
    p->weight = scaled(p->weight, 1 / chance);
    return true;
}

static void ask_lamp(const struct view *v, struct path *p, struct mesh_point at, struct mesh_point normal)
{
    const struct scene *s = v->scene;
    double a = draw(p), b = draw(p);
    struct mesh_point on_lamp =
        mesh_go(mesh_go(mesh_point(s->lamp), a, mesh_point(s->lamp_side1)), b, mesh_point(s->lamp_side2));
    struct mesh_point to_lamp = mesh_go(on_lamp, -1, at);
    double away = sqrt(mesh_dot(to_lamp, to_lamp));
    to_lamp = scaled(to_lamp, 1 / away);
    double facing = mesh_dot(to_lamp, normal);
    if (facing <= 0 || to_lamp.y <= 0)
        return;
    struct mesh_ray shadow = {at,          to_lamp, away - 2 * OFFSET, p->ray.moved, lifted_by_one, turned_by_one,
                              p->ray.flat, away};
    if (mesh_is_hidden(v->reference, &shadow, &p->is_sure))
        return;
    double share = facing * to_lamp.y * s->lamp_area / (M_PI * away * away);
    p->light = mesh_go(p->light, share, product(p->weight, mesh_point(s->glow)));
}

static bool bounce_diffuse(const struct view *v, struct path *p, struct mesh_point at, struct mesh_point normal,
                           struct mesh_point colour)
{
    p->weight = product(p->weight, colour);
    p->ray.from = mesh_go(at, OFFSET, normal);
    ask_lamp(v, p, p->ray.from, normal);
    if (!goes_on(p))
        return false;
    double high = 1 - 2 * draw(p), round = sqrt(1 - high * high), angle = 2 * M_PI * draw(p);
    p->ray.way = mesh_go(normal, 1, (struct mesh_point){round * cos(angle), high, round * sin(angle)});
    double length = sqrt(mesh_dot(p->ray.way, p->ray.way));
    p->ray.way = scaled(p->ray.way, 1 / length);
    /* near the poles the square root magnifies the rounding of what it is taken of */
    p->ray.turned = turned_by_one * (1 + 0.1 / fmax(round, 1e-6)) / fmax(length, 1e-6);
    p->is_seen = false;
    return true;
}

static bool bounce_glass(struct path *p, struct mesh_point at, struct mesh_point normal, struct mesh_point colour)
{
    double index = p->is_inside ? INDEX : 1 / INDEX, facing = -mesh_dot(p->ray.way, normal);
    double squared = 1 - index * index * (1 - facing * facing), chance = 1, turned = p->ray.turned;
    p->is_sure = p->is_sure && fabs(squared) > 1e-4 + 10 * p->ray.turned;
    if (squared > 0) {
        double steep = 1 - (p->is_inside ? sqrt(squared) : facing), least = (INDEX - 1) / (INDEX + 1);
        chance = least * least + (1 - least * least) * pow(steep, 5);
        p->ray.turned /= sqrt(squared); /* the chance's own rounding */
    }
    p->is_seen = true;
    if (!goes_on(p))
        return false;
    bool is_reflected = happens(p, chance);
    if (is_reflected) {
        p->ray.turned = turned + turned_by_one;
        p->ray.from = mesh_go(at, OFFSET, normal);
        p->ray.way = mesh_go(p->ray.way, 2 * facing, normal);
        return true;
    }
    p->ray.turned = turned * index / sqrt(squared) + turned_by_one / sqrt(squared);
    p->weight = product(p->weight, colour);
    p->is_inside = !p->is_inside;
    p->ray.from = mesh_go(at, -OFFSET, normal);
    p->ray.way = mesh_unit_point(mesh_go(scaled(p->ray.way, index), index * facing - sqrt(squared), normal));
    return true;
}

static bool bounce_mirror(struct path *p, struct mesh_point at, struct mesh_point normal, struct mesh_point colour)
{
    p->weight = product(p->weight, colour);
    p->is_seen = true;
    if (!goes_on(p))
        return false;
    p->ray.from = mesh_go(at, OFFSET, normal);
    p->ray.way = mesh_go(p->ray.way, -2 * mesh_dot(p->ray.way, normal), normal);
    p->ray.turned += turned_by_one;
    return true;
}

/* One ray of a path and what its hit does; false at the path's end. */
static bool advance(const struct view *v, struct path *p)
{
    struct mesh_hit hit = mesh_closest(v->reference, &p->ray);
    p->is_sure = p->is_sure && hit.is_sure;
    if (hit.triangle < 0) {
        double high = (1 + p->ray.way.y) / 2;
        struct mesh_point sky = {0.3 - 0.1 * high, 0.3, 0.3 + 0.1 * high};
        p->light = mesh_go(p->light, 1, product(p->weight, sky));
        return false;
    }
    const struct material *m = &material[v->mesh->triangle[hit.triangle].material];
    struct mesh_point at = mesh_go(p->ray.from, hit.distance, p->ray.way), colour = mesh_point(m->colour);
    p->ray.moved = hit.moved;
    p->ray.flat = hit.normal;
    switch ((enum kind)m->kind) {
    case DIFFUSE:
        return bounce_diffuse(v, p, at, hit.normal, colour);
    case MIRROR:
        return bounce_mirror(p, at, hit.normal, colour);
    case GLASS:
        return bounce_glass(p, at, hit.normal, colour);
    case EMITTER:
        if (p->is_seen)
            p->light = mesh_go(p->light, 1, product(p->weight, colour));
        return false;
    }
    return false;
}

static struct path follow(const struct view *v, int number)
{
    const struct scene *s = v->scene;
    int pixel = number / s->samples;
    struct path p = {.weight = {1, 1, 1},
                     .ray = {.most = FARTHEST, .lifted = lifted_by_one, .turned = turned_by_one},
                     .is_seen = true,
                     .is_sure = true};
    p.random = (uint32_t)number * 747796405u + 2891336453u;
    p.random ^= p.random >> 15;
    double x = pixel % s->width + draw(&p), y = (int)(pixel / s->width) + draw(&p);
    p.ray.from = mesh_point(s->eye);
    p.ray.way =
        mesh_unit_point(mesh_go(mesh_go(mesh_point(s->corner), x, mesh_point(s->right)), y, mesh_point(s->down)));
    while (advance(v, &p))
        continue;
    return p;
}

static void compare(struct work *w, const struct view *v, const float *got)
{
    const struct scene *s = v->scene;
    int paths = s->width * s->height * s->samples, unsure = 0, bounces = 0;
    for (int i = 0; i < paths; i++) {
        struct path p = follow(v, i);
        double off = fabs(got[4 * i] - p.light.x) + fabs(got[4 * i + 1] - p.light.y) +
                     fabs(got[4 * i + 2] - p.light.z); /* a sum, so that a NaN stays one */
        unsure += !p.is_sure;
        bounces += p.bounce;
        work_check(w, !p.is_sure || got[4 * i + 3] == (float)p.bounce, "path %d: %g bounces, should be %d", i,
                   got[4 * i + 3], p.bounce);
        /* Sure paths went through the same triangles; their light is a product of some ten numbers that are right
         * within 1e-6, and what the lamp sends changes by a few times as much as the point moves. */
        work_check(w, !p.is_sure || off <= 1e-4, "path %d: light is off by %g", i, off);
    }
    work_check(w, unsure <= paths / 50 + 4, "%d paths of %d are left to rounding", unsure, paths);
    work_say(w, "%dx%d pixels, %u triangles, %d paths, %d bounces, %d paths were left to rounding", s->width, s->height,
             v->mesh->count, paths, bounces, unsure);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct scene s = {.width = p->width};
    struct mesh mesh = make_room(w, p, &s);
    struct mesh_tree tree = mesh_build(w, &mesh);
    work_check(w, tree.depth <= MOST_PENDING, "the tree is %u deep", tree.depth);
    s.nodes = work_upload(w, tree.node, tree.nodes * sizeof *tree.node);
    s.triangles = work_upload(w, tree.rows, mesh.count * sizeof *tree.rows);
    s.materials = work_upload(w, material, sizeof material);
    set_camera(&s, p);
    size_t paths = (size_t)p->width * (size_t)p->height * (size_t)p->samples;
    float *got = work_buffer(w, paths, 4 * sizeof *got);
    CUdeviceptr radiance = work_alloc(w, paths * 4 * sizeof *got);
    work_launch(
        w, "optix",
        (struct work_shape){(unsigned)(p->width + BLOCK - 1) / BLOCK, (unsigned)(p->height + BLOCK - 1) / BLOCK, 1},
        (struct work_shape){BLOCK, BLOCK, 1}, 0, (void *[]){&s, &radiance});
    work_read(w, got, radiance, paths * 4 * sizeof *got);
    compare(w, &(struct view){&s, &mesh, mesh_prepare(w, &mesh)}, got);
}

const struct workload workload = {.name = "optix", .run = run};
