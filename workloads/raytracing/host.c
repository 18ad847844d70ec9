/*
 * A ray tracer with a tree of boxes: balls of flat facets and boxes on a floor; shadows and one reflection.
 *
 * The reference (common/mesh.h) asks every triangle in double precision and knows no tree. It says for each ray whether
 * rounding may decide what the ray hits; the pixels of such rays are not compared, and there may be few of them.
 */
#include "mesh.h"

#include <math.h>

enum { BLOCK = 8, MATERIALS = 12, BOUNCES = 2, MOST_PENDING = 32, MOST_TRIANGLES = 1 << 16 };

#define OFFSET   1e-3
#define AMBIENT  0.2
#define FARTHEST 1e30

struct material {
    struct mesh_vec colour;
    float mirror;
};

/* As the kernel has it. */
struct scene {
    CUdeviceptr nodes, triangles, materials;
    struct mesh_vec eye, corner, right, down, light;
    int32_t width, height;
};

struct problem {
    int width, height, balls, boxes, facets; /* facets: of the side of a ball's octant */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 32, .height = 24, .balls = 6, .boxes = 6, .facets = 3},
    [WORK_SMALL] = {.width = 192, .height = 160, .balls = 16, .boxes = 12, .facets = 4},
    [WORK_PAPER] = {.width = 256, .height = 256, .balls = 24, .boxes = 16, .facets = 5},
};

/* ---- the scene: y is up ---- */

static void set_camera(struct scene *s, const struct problem *p)
{
    struct mesh_vec forward = mesh_unit(mesh_vec(0, -0.4f, -1)), up = mesh_vec(0, -forward.z, forward.y);
    float pixel = 1.4f / (float)p->width, high = 0.7f * (float)p->height / (float)p->width;
    s->width = p->width;
    s->height = p->height;
    s->eye = mesh_vec(0.03f, 3.5f, 7.5f);
    s->light = mesh_vec(-4, 8, 5);
    s->right = mesh_vec(pixel, 0, 0);
    s->down = mesh_scale(up, -pixel);
    s->corner = mesh_add(mesh_add(forward, mesh_vec(-0.7f, 0, 0)), mesh_scale(up, high));
}

/* A floor, two walls, balls in the air and boxes that stand; every third thing mirrors. */
static struct mesh make_things(struct work *w, const struct problem *p, struct material *material)
{
    struct mesh m = mesh_make(w, MOST_TRIANGLES);
    for (int i = 0; i < MATERIALS; i++) {
        float red = work_random_unit(w), green = work_random_unit(w), blue = work_random_unit(w);
        material[i] = (struct material){mesh_vec(red, green, blue), i % 3 == 2 ? 0.6f : 0};
    }
    mesh_sheet(w, &m, mesh_vec(-5, 0, -5), mesh_vec(10, 0, 0), mesh_vec(0, 0, 10), 4, 0);
    mesh_sheet(w, &m, mesh_vec(-5, 0, -5), mesh_vec(10, 0, 0), mesh_vec(0, 3, 0), 4, 1);
    mesh_sheet(w, &m, mesh_vec(-5, 0, -5), mesh_vec(0, 0, 10), mesh_vec(0, 3, 0), 4, 2);
    for (int i = 0; i < p->boxes; i++) {
        float x = -4.2f + 8 * work_random_unit(w), z = -4.2f + 8 * work_random_unit(w);
        float along_z = 0.1f + work_random_unit(w), along_x = work_random_unit(w) - 0.5f;
        struct mesh_vec along = mesh_unit(mesh_vec(along_x, 0, along_z));
        float side = 0.4f + 0.6f * work_random_unit(w), height = 0.3f + 1.2f * work_random_unit(w);
        mesh_box(w, &m, mesh_vec(x, 0.01f, z), mesh_scale(along, side), height, 3 + (uint32_t)i % (MATERIALS - 3));
    }
    for (int i = 0; i < p->balls; i++) {
        float x = -4 + 8 * work_random_unit(w), y = 0.6f + 2 * work_random_unit(w), z = -4 + 7 * work_random_unit(w);
        float radius = 0.25f + 0.5f * work_random_unit(w);
        mesh_ball(w, &m, mesh_vec(x, y, z), radius, p->facets, 3 + (uint32_t)i % (MATERIALS - 3));
    }
    return m;
}

/* ---- the reference ---- */

struct view {
    const struct scene *scene;
    const struct mesh *mesh;
    const struct mesh_reference *reference;
    const struct material *material;
};

/* Coordinates are below 16, so rounding moves a point by some 1e-6. */
static const double slack = 2e-5;

static struct mesh_point sky(struct mesh_point way)
{
    double high = (1 + way.y) / 2;
    return (struct mesh_point){0.9 - high / 2, 0.9 - 0.3 * high, 0.95};
}

/* What comes along a ray, as a recursive function; *is_sure becomes false if rounding may decide it. */
static struct mesh_point look(const struct view *v, struct mesh_point from, struct mesh_point way, int bounce,
                              int32_t *seen, bool *is_sure)
{
    struct mesh_ray ray = {.from = from, .way = way, .most = FARTHEST, .moved = slack};
    struct mesh_hit hit = mesh_closest(v->reference, &ray);
    *is_sure = *is_sure && hit.is_sure;
    *seen = hit.triangle;
    if (hit.triangle < 0)
        return sky(way);
    const struct material *m = &v->material[v->mesh->triangle[hit.triangle].material];
    struct mesh_point at = mesh_go(mesh_go(from, hit.distance, way), OFFSET, hit.normal);
    struct mesh_point to_light = mesh_go(mesh_point(v->scene->light), -1, at), towards = mesh_unit_point(to_light);
    double facing = mesh_dot(towards, hit.normal), bright = AMBIENT;
    ray = (struct mesh_ray){at, towards, sqrt(mesh_dot(to_light, to_light)), .moved = slack};
    if (facing > 0 && !mesh_is_hidden(v->reference, &ray, is_sure))
        bright += (1 - AMBIENT) * facing;
    struct mesh_point own = mesh_go((struct mesh_point){0, 0, 0}, (1 - m->mirror) * bright, mesh_point(m->colour));
    if (m->mirror == 0 || bounce == BOUNCES - 1)
        return own;
    int32_t unused;
    struct mesh_point mirrored = mesh_go(way, -2 * mesh_dot(way, hit.normal), hit.normal);
    return mesh_go(own, m->mirror, look(v, at, mirrored, bounce + 1, &unused, is_sure));
}

/* Of the sum over three channels. Colours are of size 1. Rounding moves a hit by some 1e-6, and the light's direction
 * less; the colour follows continuously, with slopes of about 1. */
static const double colour_tolerance = 3e-5;

static void compare(struct work *w, const struct view *v, const float *image, const int32_t *first_hit)
{
    const struct scene *s = v->scene;
    int pixels = s->width * s->height, unsure = 0, hits = 0;
    for (int i = 0; i < pixels; i++) {
        struct mesh_point way = mesh_go(mesh_go(mesh_point(s->corner), i % s->width, mesh_point(s->right)),
                                        i / s->width, mesh_point(s->down));
        bool is_sure = true;
        int32_t seen;
        struct mesh_point want = look(v, mesh_point(s->eye), mesh_unit_point(way), 0, &seen, &is_sure);
        double off = fabs(image[4 * i] - want.x) + fabs(image[4 * i + 1] - want.y) + fabs(image[4 * i + 2] - want.z);
        unsure += !is_sure;
        hits += first_hit[i] >= 0;
        work_check(w, image[4 * i + 3] == 1, "pixel %d was not drawn", i);
        work_check(w, !is_sure || first_hit[i] == seen, "pixel %d: triangle %d, should be %d", i, first_hit[i], seen);
        work_check(w, !is_sure || off <= colour_tolerance, "pixel %d: colour is off by %g", i, off);
    }
    work_check(w, unsure <= pixels / 500 + 2, "%d pixels of %d are left to rounding", unsure, pixels);
    work_say(w, "%dx%d pixels, %u triangles, %d pixels show one, %d were left to rounding", s->width, s->height,
             v->mesh->count, hits, unsure);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct material *material = work_buffer(w, MATERIALS, sizeof *material);
    struct mesh mesh = make_things(w, p, material);
    struct mesh_tree tree = mesh_build(w, &mesh);
    work_check(w, tree.depth <= MOST_PENDING, "the tree is %u deep", tree.depth);
    struct scene s = {.nodes = work_upload(w, tree.node, tree.nodes * sizeof *tree.node),
                      .triangles = work_upload(w, tree.rows, mesh.count * sizeof *tree.rows),
                      .materials = work_upload(w, material, MATERIALS * sizeof *material)};
    set_camera(&s, p);
    size_t pixels = (size_t)p->width * (size_t)p->height;
    float *got = work_buffer(w, pixels, 4 * sizeof *got);
    int32_t *first_hit = work_buffer(w, pixels, sizeof *first_hit);
    CUdeviceptr image = work_alloc(w, pixels * 4 * sizeof *got), hits = work_alloc(w, pixels * sizeof *first_hit);
    work_launch(
        w, "raytracing",
        (struct work_shape){(unsigned)(p->width + BLOCK - 1) / BLOCK, (unsigned)(p->height + BLOCK - 1) / BLOCK, 1},
        (struct work_shape){BLOCK, BLOCK, 1}, 0, (void *[]){&s, &image, &hits});
    work_read(w, got, image, pixels * 4 * sizeof *got);
    work_read(w, first_hit, hits, pixels * sizeof *first_hit);
    struct view view = {&s, &mesh, mesh_prepare(w, &mesh), material};
    compare(w, &view, got, first_hit);
}

const struct workload workload = {.name = "raytracing", .run = run};
