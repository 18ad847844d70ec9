/*
 * The ray tracer's scene, and the same picture by the CPU.
 *
 * The reference is written as the method is usually told: a recursive function of a ray, over one list of
 * objects. Each of its formulas rounds as the kernel's does (products that are added to something are fmaf(),
 * and both compilers are kept from making others), so pictures are compared bit by bit: the edge of a shadow
 * on another pixel is an error.
 */
#include "work.h"

#include <math.h>

enum { SPHERES = 10, PLANES = 2, OBJECTS = SPHERES + PLANES, MOST_DEPTH = 5 };

#define NEAREST  1e-3f
#define FARTHEST 1e30f
#define FAINT    (1 / 512.0f)
#define AMBIENT  0.15f

struct vec {
    float x, y, z;
};

/* As the kernel has it. A sphere: its centre and the square of its radius; a plane: normal and offset. */
struct object {
    struct vec v;
    float s;
};

struct surface {
    struct vec colour;
    float mirror;
};

struct scene {
    struct object object[OBJECTS];
    struct surface surface[SPHERES + 2 * PLANES];
    struct vec eye, corner, right, down, light;
    int32_t width, height;
};

static float dot(struct vec a, struct vec b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

static struct vec scale(float s, struct vec a)
{
    return (struct vec){a.x * s, a.y * s, a.z * s};
}

static struct vec from_to(struct vec a, struct vec b)
{
    return (struct vec){b.x - a.x, b.y - a.y, b.z - a.z};
}

static struct vec go(struct vec from, float s, struct vec way)
{
    return (struct vec){fmaf(s, way.x, from.x), fmaf(s, way.y, from.y), fmaf(s, way.z, from.z)};
}

static struct vec unit(struct vec a)
{
    return scale(1 / sqrtf(dot(a, a)), a);
}

/* ---- the scene: y is up ---- */

static void set_up_camera(struct scene *s, int width, int height)
{
    const struct vec forward = unit((struct vec){0, -0.25f, -1});
    const struct vec right = {1, 0, 0}, up = {0, -forward.z, forward.y};
    float pixel = 1.6f / (float)width, high = 0.8f * (float)height / (float)width;
    s->width = width;
    s->height = height;
    s->eye = (struct vec){0, 3, 9};
    s->light = (struct vec){-6, 9, 7};
    s->right = scale(pixel, right);
    s->down = scale(-pixel, up);
    s->corner = go(go(forward, -0.8f, right), high, up);
}

/* A floor and a wall behind, both tiled; one large mirror and nine spheres around it that mirror less. */
static struct scene make_scene(struct work *w, int width, int height)
{
    struct scene s = {
        .object = {[0] = {{0, 1.5f, 0}, 1.5f * 1.5f}, [SPHERES] = {{0, 1, 0}, 0}, [SPHERES + 1] = {{0, 0, 1}, -8}},
        .surface = {[0] = {{0.9f, 0.9f, 0.9f}, 0.8f},
                    [SPHERES] = {{0.9f, 0.9f, 0.8f}, 0.25f},
                    [SPHERES + 1] = {{0.2f, 0.2f, 0.3f}, 0.25f},
                    [SPHERES + 2] = {{0.7f, 0.5f, 0.4f}, 0},
                    [SPHERES + 3] = {{0.6f, 0.4f, 0.3f}, 0}}};
    for (int i = 1; i < SPHERES; i++) {
        float x = (float)((i - 1) % 3) * 2.6f - 2.6f, z = (float)((i - 1) / 3) * 2.6f - 2.6f;
        float radius = 0.4f + 0.3f * work_random_unit(w);
        x += 0.8f * work_random_unit(w);
        z += 0.8f * work_random_unit(w);
        float red = work_random_unit(w), green = work_random_unit(w), blue = work_random_unit(w);
        s.object[i] = (struct object){{x, radius, z}, radius * radius};
        s.surface[i] = (struct surface){{red, green, blue}, i % 3 ? 0.1f : 0.5f};
    }
    s.object[5].v = (struct vec){0, 3.8f, 0.3f}; /* in the air */
    set_up_camera(&s, width, height);
    return s;
}

/* ---- the reference ---- */

/* The distance of object i, and whether there is one. */
static bool meets(const struct scene *s, int i, struct vec from, struct vec way, float *distance)
{
    const struct object *o = &s->object[i];
    if (i >= SPHERES) {
        *distance = (o->s - dot(o->v, from)) / dot(o->v, way);
        return *distance > NEAREST;
    }
    struct vec to = from_to(from, o->v);
    float middle = dot(to, way), under = fmaf(middle, middle, o->s - dot(to, to));
    if (under < 0)
        return false;
    *distance = middle - sqrtf(under);
    if (*distance <= NEAREST)
        *distance = middle + sqrtf(under);
    return *distance > NEAREST;
}

static bool is_lit(const struct scene *s, struct vec at, struct vec to_light, float far)
{
    float distance;
    for (int i = SPHERES - 1; i >= 0; i--)
        if (meets(s, i, at, to_light, &distance) && distance < far)
            return false;
    return true;
}

/* Adds what comes along the ray to the colour. */
static struct vec follow(const struct scene *s, struct vec from, struct vec way, float weight, int depth,
                         struct vec colour)
{
    float nearest = FARTHEST, distance;
    int hit = -1;
    if (depth == MOST_DEPTH || weight <= FAINT)
        return colour;
    for (int i = OBJECTS - 1; i >= 0; i--)
        if (meets(s, i, from, way, &distance) && distance < nearest) {
            nearest = distance;
            hit = i;
        }
    if (hit < 0) {
        float high = fmaf(0.5f, way.y, 0.5f);
        return go(colour, weight, (struct vec){fmaf(-0.5f, high, 0.9f), fmaf(-0.3f, high, 0.9f), 0.95f});
    }
    struct vec at = go(from, nearest, way), normal = s->object[hit].v;
    const struct surface *own = &s->surface[hit];
    if (hit < SPHERES)
        normal = unit(from_to(normal, at));
    else
        own = &s->surface[SPHERES + 2 * (hit - SPHERES) + (((int)floorf(at.x) + (int)floorf(at.z)) & 1)];
    struct vec mirrored = go(way, -2 * dot(way, normal), normal);
    struct vec to_light = from_to(at, s->light), towards = unit(to_light);
    float facing = dot(towards, normal), spread = AMBIENT, shine = 0;
    if (facing > 0 && is_lit(s, at, towards, sqrtf(dot(to_light, to_light)))) {
        spread = fmaf(1 - AMBIENT, facing, AMBIENT);
        shine = fmaxf(dot(towards, mirrored), 0);
        for (int k = 0; k < 5; k++)
            shine *= shine;
    }
    colour = go(colour, weight * (1 - own->mirror) * spread, own->colour);
    colour = go(colour, weight, (struct vec){shine, shine, shine});
    return follow(s, at, mirrored, weight * own->mirror, depth + 1, colour);
}

static uint32_t byte_of(float x)
{
    return (uint32_t)fmaf(fminf(x, 1), 255, 0.5f);
}

static void draw(const struct scene *s, uint32_t *image)
{
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            struct vec way = unit(go(go(s->corner, (float)x, s->right), (float)y, s->down));
            struct vec c = follow(s, s->eye, way, 1, 0, (struct vec){0, 0, 0});
            image[y * s->width + x] = byte_of(c.x) | byte_of(c.y) << 8 | byte_of(c.z) << 16;
        }
}

static void run(struct work *w, enum work_size size)
{
    static const struct {
        int width, height;
    } sizes[] = {[WORK_TEST] = {64, 32}, [WORK_SMALL] = {192, 128}, [WORK_PAPER] = {256, 256}};
    enum { BLOCK_X = 16, BLOCK_Y = 8 };
    int width = sizes[size].width, height = sizes[size].height;
    size_t pixels = (size_t)width * (size_t)height;
    struct scene scene = make_scene(w, width, height);
    uint32_t *got = work_buffer(w, pixels, sizeof *got), *want = work_buffer(w, pixels, sizeof *want);
    CUdeviceptr image = work_alloc(w, pixels * sizeof *got);
    work_write(w, work_symbol(w, "ray_scene", sizeof scene), &scene, sizeof scene);
    work_launch(w, "ray", (struct work_shape){(unsigned)width / BLOCK_X, (unsigned)height / BLOCK_Y, 1},
                (struct work_shape){BLOCK_X, BLOCK_Y, 1}, 0, (void *[]){&image});
    work_read(w, got, image, pixels * sizeof *got);
    draw(&scene, want);
    work_compare_u32(w, "pixels", got, want, pixels);
    work_say(w, "%d x %d pixels, %d objects", width, height, OBJECTS);
}

const struct workload workload = {.name = "ray", .run = run};
