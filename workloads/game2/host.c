/* Terrain with layers, normal maps and several render targets; verified against both passes in double precision. */
#include "work.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK_X = 32, BLOCK_Y = 8 };
enum { LAYERS = 4, TEXTURE_SIDE = 256, LIGHTS = 4 }; /* as in kernels.cu */
enum { TEXELS = LAYERS * TEXTURE_SIDE * TEXTURE_SIDE };

struct problem {
    int width, height, map_side, frames;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 64, .height = 27, .map_side = 64, .frames = 1},
    [WORK_SMALL] = {.width = 320, .height = 180, .map_side = 512, .frames = 1},
    [WORK_PAPER] = {.width = 640, .height = 360, .map_side = 1024, .frames = 2},
};

struct light {
    float direction[3], colour[3], half[3]; /* as in kernels.cu */
};

struct view {
    int width, height, map_side, scroll_x, scroll_y; /* as in kernels.cu */
    float steepness;
};

typedef uint8_t texel[4];

struct point {
    int x, y; /* as int2 */
};

/* What frames are made from. */
struct world {
    float *heights;
    texel *weights, *baked_light, *colours, *normal_maps;
    struct point origins[LAYERS];
    struct light lights[LIGHTS];
};

/* What a frame consists of: the targets of the first pass, and that of the second. */
struct targets {
    texel *albedo, *normal, *baked, *frame;
    float *height;
};

static void normalise(float v[3])
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length;
}

static void make_lights(struct work *w, struct light lights[LIGHTS])
{
    for (int i = 0; i < LIGHTS; i++) {
        struct light *l = &lights[i];
        for (int k = 0; k < 3; k++) {
            l->direction[k] = k < 2 ? 2 * work_random_unit(w) - 1 : 0.5f + work_random_unit(w);
            l->colour[k] = 0.1f + 0.2f * work_random_unit(w);
        }
        normalise(l->direction);
        for (int k = 0; k < 3; k++)
            l->half[k] = l->direction[k] + (k == 2);
        normalise(l->half);
    }
}

static texel *draw_texels(struct work *w, size_t count)
{
    texel *t = work_buffer(w, count, sizeof *t);
    for (size_t i = 0; i < count; i++) {
        uint32_t r = work_random(w);
        for (int k = 0; k < 4; k++)
            t[i][k] = (uint8_t)(r >> 8 * k);
    }
    return t;
}

/* Heights from 0 to 1 by waves that repeat with the map; weights that add up to 255; all else random. */
static struct world make_world(struct work *w, const struct problem *p)
{
    size_t area = (size_t)p->map_side * (size_t)p->map_side;
    struct world world = {.heights = work_buffer(w, area, sizeof *world.heights),
                          .weights = draw_texels(w, area),
                          .baked_light = draw_texels(w, area),
                          .colours = draw_texels(w, TEXELS),
                          .normal_maps = draw_texels(w, TEXELS)};
    const double turn = 2 * 3.14159265358979 / p->map_side;
    for (int i = 0; i < (int)area; i++) {
        int x = i % p->map_side, y = i / p->map_side;
        world.heights[i] =
            (float)(0.5 + 0.25 * sin(3 * turn * x) * cos(2 * turn * y) + 0.15 * sin(7 * turn * (x + y))) +
            0.02f * work_random_unit(w);
        unsigned sum = 0;
        for (int k = 0; k < LAYERS; k++)
            sum += world.weights[i][k] + 1u;
        for (int k = 0; k < LAYERS; k++)
            world.weights[i][k] = (uint8_t)((world.weights[i][k] + 1u) * 255 / sum);
    }
    for (int k = 0; k < LAYERS; k++)
        world.origins[k] =
            (struct point){(int)work_random_below(w, TEXTURE_SIDE), (int)work_random_below(w, TEXTURE_SIDE)};
    make_lights(w, world.lights);
    return world;
}

static uint8_t to_byte(double value)
{
    return (uint8_t)lround(fmin(fmax(value, 0), 255));
}

static int wrap(int value, int side)
{
    return (value % side + side) % side;
}

/* The slope of the terrain along one axis, in units of height per texel. */
static double slope(const struct world *world, int side, int x, int y, int step_x, int step_y)
{
    return ((double)world->heights[wrap(y + step_y, side) * side + wrap(x + step_x, side)] -
            (double)world->heights[wrap(y - step_y, side) * side + wrap(x - step_x, side)]) /
           2;
}

static void lay_terrain(const struct world *world, const struct view *v, struct targets *t)
{
    for (int pixel = 0; pixel < v->width * v->height; pixel++) {
        int x = wrap(pixel % v->width + v->scroll_x, v->map_side),
            y = wrap(pixel / v->width + v->scroll_y, v->map_side);
        int here = y * v->map_side + x;
        double mixed[4] = {0}, n[3] = {0, 0, 1};
        for (int k = 0; k < LAYERS; k++) {
            int at = wrap(y + world->origins[k].y, TEXTURE_SIDE) * TEXTURE_SIDE +
                     wrap(x + world->origins[k].x, TEXTURE_SIDE) + k * TEXTURE_SIDE * TEXTURE_SIDE;
            for (int i = 0; i < 4; i++)
                mixed[i] += world->weights[here][k] * world->colours[at][i] / 255.0;
            for (int i = 0; i < 2; i++)
                n[i] += world->weights[here][k] / 255.0 * (world->normal_maps[at][i] / 127.5 - 1);
        }
        n[0] -= (double)v->steepness * slope(world, v->map_side, x, y, 1, 0);
        n[1] -= (double)v->steepness * slope(world, v->map_side, x, y, 0, 1);
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + 1);
        for (int i = 0; i < 3; i++) {
            t->normal[pixel][i] = to_byte(127.5 + 127.5 * n[i] / length);
            t->baked[pixel][i] = to_byte(mixed[i] * world->baked_light[here][i] / 255.0);
        }
        for (int i = 0; i < 4; i++)
            t->albedo[pixel][i] = to_byte(mixed[i]);
        t->normal[pixel][3] = world->weights[here][0];
        t->baked[pixel][3] = world->baked_light[here][3];
        t->height[pixel] = world->heights[here];
    }
}

/* From the targets that the GPU's first pass wrote. */
static void light_terrain(const struct world *world, const struct view *v, const struct targets *from, texel *frame)
{
    static const double fog_colour[3] = {200, 210, 230};
    for (int pixel = 0; pixel < v->width * v->height; pixel++) {
        double fog = 0.25 * fmin(fmax(1 - (double)from->height[pixel], 0), 1), n[3], diffuse[LIGHTS], shine[LIGHTS];
        for (int i = 0; i < 3; i++)
            n[i] = from->normal[pixel][i] / 127.5 - 1;
        for (int l = 0; l < LIGHTS; l++) {
            const struct light *light = &world->lights[l];
            double lit = 0, mirrored = 0;
            for (int i = 0; i < 3; i++) {
                lit += n[i] * (double)light->direction[i];
                mirrored += n[i] * (double)light->half[i];
            }
            diffuse[l] = lit > 0 ? lit : 0;
            shine[l] = mirrored > 0 ? pow(mirrored, 8) * (255 - from->albedo[pixel][3]) : 0;
        }
        for (int i = 0; i < 3; i++) {
            double sum = from->baked[pixel][i];
            for (int l = 0; l < LIGHTS; l++)
                sum += (double)world->lights[l].colour[i] * (diffuse[l] * from->albedo[pixel][i] + shine[l]);
            frame[pixel][i] = to_byte(sum * (1 - fog) + fog_colour[i] * fog);
        }
        frame[pixel][3] = 255;
    }
}

/* A value near the middle between two bytes may be rounded to either: as many bytes may be off by one as a thousandth
 * of the pixels, since floats are off by some 2^-15 of a byte's step. No byte may be off by more. */
static void compare_texels(struct work *w, const char *what, const texel *got, const texel *want, size_t pixels)
{
    size_t off_by_one = 0, wrong = 0;
    for (size_t i = 0; i < 4 * pixels; i++) {
        int difference = abs(got[i / 4][i % 4] - want[i / 4][i % 4]);
        off_by_one += difference == 1;
        wrong += difference > 1;
    }
    work_check(w, !wrong && off_by_one <= pixels / 1000, "%s: %zu of %zu bytes are off by one, %zu by more", what,
               off_by_one, 4 * pixels, wrong);
}

static struct targets make_targets(struct work *w, size_t pixels)
{
    return (struct targets){.albedo = work_buffer(w, pixels, sizeof(texel)),
                            .normal = work_buffer(w, pixels, sizeof(texel)),
                            .baked = work_buffer(w, pixels, sizeof(texel)),
                            .frame = work_buffer(w, pixels, sizeof(texel)),
                            .height = work_buffer(w, pixels, sizeof(float))};
}

/* The device's copies of a world, and of the targets of a frame. */
struct device_world {
    CUdeviceptr heights, weights, baked_light, colours, normal_maps, albedo, normal, baked, height, frame;
};

static struct device_world upload(struct work *w, const struct problem *p, const struct world *world)
{
    size_t area = (size_t)p->map_side * (size_t)p->map_side, bytes = (size_t)p->width * (size_t)p->height * 4;
    work_write(w, work_symbol(w, "lights", sizeof world->lights), world->lights, sizeof world->lights);
    work_write(w, work_symbol(w, "origins", sizeof world->origins), world->origins, sizeof world->origins);
    return (struct device_world){.heights = work_upload(w, world->heights, 4 * area),
                                 .weights = work_upload(w, world->weights, 4 * area),
                                 .baked_light = work_upload(w, world->baked_light, 4 * area),
                                 .colours = work_upload(w, world->colours, 4 * TEXELS),
                                 .normal_maps = work_upload(w, world->normal_maps, 4 * TEXELS),
                                 .albedo = work_alloc(w, bytes),
                                 .normal = work_alloc(w, bytes),
                                 .baked = work_alloc(w, bytes),
                                 .height = work_alloc(w, bytes),
                                 .frame = work_alloc(w, bytes)};
}

static void render(struct work *w, struct device_world *d, struct view *v, struct targets *t)
{
    struct work_shape block = {.x = BLOCK_X, .y = BLOCK_Y}, grid = {.x = (unsigned)(v->width + BLOCK_X - 1) / BLOCK_X,
                                                                    .y = (unsigned)(v->height + BLOCK_Y - 1) / BLOCK_Y};
    size_t bytes = (size_t)v->width * (size_t)v->height * 4;
    work_launch(w, "lay_terrain", grid, block, 0,
                (void *[]){&d->heights, &d->weights, &d->baked_light, &d->colours, &d->normal_maps, &d->albedo,
                           &d->normal, &d->baked, &d->height, v});
    work_launch(w, "light_terrain", grid, block, 0,
                (void *[]){&d->albedo, &d->normal, &d->baked, &d->height, &d->frame, v});
    work_read(w, t->albedo, d->albedo, bytes);
    work_read(w, t->normal, d->normal, bytes);
    work_read(w, t->baked, d->baked, bytes);
    work_read(w, t->height, d->height, bytes);
    work_read(w, t->frame, d->frame, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t pixels = (size_t)p->width * (size_t)p->height;
    struct world world = make_world(w, p);
    struct device_world device = upload(w, p, &world);
    struct targets got = make_targets(w, pixels), want = make_targets(w, pixels);
    for (int frame = 0; frame < p->frames; frame++) {
        struct view v = {.width = p->width,
                         .height = p->height,
                         .map_side = p->map_side,
                         .scroll_x = 37 + 11 * frame,
                         .scroll_y = 21 + 5 * frame,
                         .steepness = 20};
        render(w, &device, &v, &got);
        lay_terrain(&world, &v, &want);
        light_terrain(&world, &v, &got, want.frame);
        compare_texels(w, "albedos", got.albedo, want.albedo, pixels);
        compare_texels(w, "normals", got.normal, want.normal, pixels);
        compare_texels(w, "baked lights", got.baked, want.baked, pixels);
        compare_texels(w, "pixels of the frame", got.frame, want.frame, pixels);
        work_compare_f32(w, "heights", got.height, want.height, pixels, 0, 0);
    }
    work_say(w, "%dx%d pixels, frames: %d", p->width, p->height, p->frames);
}

const struct workload workload = {.name = "game2", .run = run};
