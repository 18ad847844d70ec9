/*
 * Clustered lighting of a game's picture: balls on a plane under an open sky, many point and spot lights, two suns.
 *
 * The reference knows no clusters: in double precision it asks every light for every pixel. The lists of clusters only
 * leave out lights whose range does not reach the cluster, and these give nothing. Which texels of a shadow map are
 * around a point, and whether they are in front of it, may depend on rounding: such pixels are known to the reference
 * and not compared, and there may be few of them. The number of each pixel's cluster is compared exactly.
 */
#include "work.h"

#include <math.h>

enum { BLOCK_X = 16, BLOCK_Y = 8, TILE = 16, SLICES = 8, MAP_SIDE = 64, NO_MAP = -1 };
enum { SUNS = 2, MOST_BALLS = 40 };
enum kind { POINT, SPOT, SUN };

#define NEAREST       1.0
#define SHADOW_OFFSET 0.05
#define AMBIENT       0.04
#define FARTHEST      60.0f /* of what is drawn */
#define EYE_HEIGHT    2.0f
#define FAR_AWAY      1e30f

struct vec {
    float x, y, z;
};

/* As the kernel has them. */
struct light {
    struct vec at;
    float range;
    struct vec way;
    int32_t kind;
    struct vec colour;
    float outer, inner;
    int32_t map, unused[2];
};

struct shadow {
    struct vec right, up;
    float scale;
    int32_t is_parallel;
};

struct frame {
    CUdeviceptr normals, colours, lights, cluster_first, cluster_lights, shadows, maps;
    struct vec sky;
    float pixel;
    int32_t width, height, tiles_x;
};

struct pixel {
    float normal[3], gloss, colour[3], depth;
};

struct scene {
    struct vec ball[MOST_BALLS], ball_colour[MOST_BALLS];
    float radius[MOST_BALLS], gloss[MOST_BALLS];
    struct light *light;
    struct shadow *shadow;
    float *map;
    struct pixel *pixel;
    struct frame frame;
    uint32_t balls, lights, maps;
};

struct problem {
    int width, height;
    uint32_t balls, points, spots;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 40, .height = 32, .balls = 40, .points = 64, .spots = 24},
    [WORK_SMALL] = {.width = 160, .height = 144, .balls = 40, .points = 128, .spots = 64},
    [WORK_PAPER] = {.width = 320, .height = 240, .balls = 40, .points = 160, .spots = 80},
};

static struct vec vec(float x, float y, float z)
{
    return (struct vec){x, y, z};
}

static struct vec from_to(struct vec a, struct vec b)
{
    return vec(b.x - a.x, b.y - a.y, b.z - a.z);
}

static struct vec go(struct vec from, float s, struct vec way)
{
    return vec(from.x + s * way.x, from.y + s * way.y, from.z + s * way.z);
}

static float dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vec unit(struct vec a)
{
    return go(vec(0, 0, 0), 1 / sqrtf(dot(a, a)), a);
}

static struct vec cross(struct vec a, struct vec b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static float between(struct work *w, float least, float most)
{
    return least + (most - least) * work_random_unit(w);
}

/* Three numbers between two values. They are drawn one by one: in which order a compiler evaluates the arguments of a
 * call is its own choice. */
static struct vec vec_between(struct work *w, float least, float most)
{
    float z = between(w, least, most), y = between(w, least, most), x = between(w, least, most);
    return vec(x, y, z);
}

/* ---- the scene, in the camera's space ---- */

/* Distance of the first ball along a ray, or FAR_AWAY. */
static float meet_balls(const struct scene *s, struct vec from, struct vec way, uint32_t *which)
{
    float best = FAR_AWAY;
    for (uint32_t i = 0; i < s->balls; i++) {
        struct vec to = from_to(from, s->ball[i]);
        float squared = dot(way, way), along = dot(to, way) / squared;
        float under = along * along - (dot(to, to) - s->radius[i] * s->radius[i]) / squared;
        if (under >= 0 && along - sqrtf(under) > 0 && along - sqrtf(under) < best) {
            best = along - sqrtf(under);
            *which = i;
        }
    }
    return best;
}

static void place_things(struct work *w, struct scene *s, const struct problem *p)
{
    s->balls = p->balls;
    for (uint32_t i = 0; i < p->balls; i++) {
        float z = between(w, 3, 40), radius = between(w, 0.5f, 2);
        float y = radius - EYE_HEIGHT + between(w, 0, 2), x = z * between(w, -0.7f, 0.7f);
        s->ball[i] = vec(x, y, z);
        s->ball_colour[i] = vec_between(w, 0.2f, 0.9f);
        s->radius[i] = radius;
        s->gloss[i] = i % 3 ? between(w, 8, 64) : 0;
    }
}

/* What an earlier pass of the game would have left: the surface at each pixel. */
static void draw_surfaces(struct work *w, struct scene *s, const struct problem *p)
{
    float pixel = 1.5f / (float)p->width;
    s->frame.pixel = pixel;
    s->frame.width = p->width;
    s->frame.height = p->height;
    s->frame.tiles_x = (p->width + TILE - 1) / TILE;
    s->frame.sky = vec(0.4f, 0.6f, 0.9f);
    s->pixel = work_buffer(w, (size_t)p->width * (size_t)p->height, sizeof *s->pixel);
    for (int i = 0; i < p->width * p->height; i++) {
        struct vec way = vec(((float)(i % p->width) - 0.5f * (float)p->width) * pixel,
                             (0.5f * (float)p->height - (float)(i / p->width)) * pixel, 1);
        uint32_t ball = 0;
        float depth = meet_balls(s, vec(0, 0, 0), way, &ball), ground = way.y < 0 ? -EYE_HEIGHT / way.y : FAR_AWAY;
        struct pixel *to = &s->pixel[i];
        if (depth < ground && depth < FARTHEST) {
            struct vec normal = unit(from_to(s->ball[ball], go(vec(0, 0, 0), depth, way))), c = s->ball_colour[ball];
            *to = (struct pixel){{normal.x, normal.y, normal.z}, s->gloss[ball], {c.x, c.y, c.z}, depth};
        } else if (ground < FARTHEST) {
            *to = (struct pixel){{0, 1, 0}, 0, {0.5f, 0.45f, 0.4f}, ground};
        }
    }
}

/* For each texel the distance along the light's way of what the light meets first. */
static void draw_map(struct scene *s, const struct light *l)
{
    const struct shadow *shadow = &s->shadow[l->map];
    float *map = s->map + (size_t)l->map * MAP_SIDE * MAP_SIDE;
    for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++) {
        float u = ((float)(i % MAP_SIDE) + 0.5f) / (MAP_SIDE / 2) - 1, v = (float)(i / MAP_SIDE) + 0.5f;
        v = v / (MAP_SIDE / 2) - 1;
        struct vec aside = go(go(vec(0, 0, 0), u / shadow->scale, shadow->right), v / shadow->scale, shadow->up);
        uint32_t unused;
        if (shadow->is_parallel)
            map[i] = meet_balls(s, go(l->at, 1, aside), l->way, &unused);
        else
            map[i] = meet_balls(s, l->at, go(aside, 1, l->way), &unused);
    }
}

static void add_shadow(struct scene *s, struct light *l, float scale)
{
    struct vec right = unit(cross(vec(0.3f, 0.2f, 1), l->way));
    l->map = (int32_t)s->maps++;
    s->shadow[l->map] = (struct shadow){right, cross(l->way, right), scale, l->kind == SUN};
    draw_map(s, l);
}

/* Suns first, so that they are first in all lists; half of the spots have shadows. */
static void place_lights(struct work *w, struct scene *s, const struct problem *p)
{
    s->lights = SUNS + p->points + p->spots;
    s->light = work_buffer(w, s->lights, sizeof *s->light);
    s->shadow = work_buffer(w, SUNS + p->spots, sizeof *s->shadow);
    s->map = work_buffer(w, SUNS + p->spots, MAP_SIDE * MAP_SIDE * sizeof *s->map);
    for (uint32_t i = 0; i < s->lights; i++) {
        struct light *l = &s->light[i];
        l->map = NO_MAP;
        l->colour = vec_between(w, 0.5f, 4);
        float z = between(w, 2, 42), y = between(w, -1.5f, 2), x = z * between(w, -0.8f, 0.8f);
        l->at = vec(x, y, z);
        l->range = between(w, 2, 7);
        if (i < SUNS) {
            l->kind = SUN;
            l->way = unit(vec(i ? -0.6f : 0.5f, -1, i ? 0.1f : 0.4f));
            l->at = go(vec(0, 0, 20), -40, l->way);
            l->range = FAR_AWAY;
            l->colour = i ? vec(0.1f, 0.1f, 0.2f) : vec(0.7f, 0.65f, 0.5f);
            if (i == 0)
                add_shadow(s, l, 1 / 25.0f);
        } else if (i < SUNS + p->points) {
            l->kind = POINT;
        } else {
            l->kind = SPOT;
            l->at.y = between(w, 1, 3);
            l->range = between(w, 5, 10);
            float ahead = between(w, -0.5f, 0.5f), aside = between(w, -0.5f, 0.5f);
            l->way = unit(vec(aside, -1, ahead));
            l->outer = between(w, 0.6f, 0.85f);
            l->inner = l->outer + 0.1f;
            if (i % 2)
                add_shadow(s, l, l->outer / sqrtf(1 - l->outer * l->outer));
        }
    }
}

/* ---- clusters ---- */

/* Whether the light reaches the box around a cluster. */
static bool reaches(const struct scene *s, const struct light *l, int tile_x, int tile_y, int slice)
{
    if (l->kind == SUN)
        return true;
    double nearest = slice ? NEAREST * (1 << slice) : 0,
           deepest = slice < SLICES - 1 ? NEAREST * (2 << slice) : FARTHEST;
    double squared = 0, low, high, half_x = 0.5 * s->frame.width, half_y = 0.5 * s->frame.height;
    const double side[3][2] = {
        {(TILE * tile_x - half_x - 1) * s->frame.pixel, (TILE * (tile_x + 1) - half_x + 1) * s->frame.pixel},
        {(half_y - TILE * (tile_y + 1) - 1) * s->frame.pixel, (half_y - TILE * tile_y + 1) * s->frame.pixel},
        {1, 1}};
    const double at[3] = {l->at.x, l->at.y, l->at.z};
    for (int k = 0; k < 3; k++) {
        low = side[k][0] * (side[k][0] < 0 ? deepest : nearest) - 0.01;
        high = side[k][1] * (side[k][1] < 0 ? nearest : deepest) + 0.01;
        double off = at[k] < low ? low - at[k] : at[k] > high ? at[k] - high : 0;
        squared += off * off;
    }
    return squared < (double)l->range * l->range;
}

/* Returns how many lights are in all lists. */
static uint32_t list_lights(struct work *w, struct scene *s)
{
    int tiles_y = (s->frame.height + TILE - 1) / TILE, clusters = s->frame.tiles_x * tiles_y * SLICES;
    int32_t *first = work_buffer(w, (size_t)clusters + 1, sizeof *first);
    int32_t *list = work_buffer(w, (size_t)clusters * s->lights, sizeof *list);
    uint32_t listed = 0;
    for (int c = 0; c < clusters; c++) {
        first[c] = (int32_t)listed;
        for (uint32_t i = 0; i < s->lights; i++)
            if (reaches(s, &s->light[i], c / SLICES % s->frame.tiles_x, c / SLICES / s->frame.tiles_x, c % SLICES))
                list[listed++] = (int32_t)i;
    }
    first[clusters] = (int32_t)listed;
    s->frame.cluster_first = work_upload(w, first, ((size_t)clusters + 1) * sizeof *first);
    s->frame.cluster_lights = work_upload(w, list, listed * sizeof *list);
    return listed;
}

/* ---- the reference ---- */

struct point {
    double x, y, z;
};

static struct point point(struct vec a)
{
    return (struct point){a.x, a.y, a.z};
}

static struct point go_point(struct point from, double s, struct point way)
{
    return (struct point){from.x + s * way.x, from.y + s * way.y, from.z + s * way.z};
}

static double dot_point(struct point a, struct point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* By rounding, a coordinate of some 40 is off by a few 1e-6; in texels it is off by less than `texel_slack`. */
static const double slack = 5e-5, texel_slack = 2e-4;

static double lit_share(const struct scene *s, const struct light *l, struct point at, bool *is_sure)
{
    const struct shadow *shadow = &s->shadow[l->map];
    struct point from_light = go_point(at, -1, point(l->at));
    double depth = dot_point(from_light, point(l->way));
    double scale = shadow->is_parallel ? shadow->scale : shadow->scale / depth;
    double u = (dot_point(from_light, point(shadow->right)) * scale + 1) * MAP_SIDE / 2 - 0.5;
    double v = (dot_point(from_light, point(shadow->up)) * scale + 1) * MAP_SIDE / 2 - 0.5;
    if (fabs(u - rint(u)) < texel_slack || fabs(v - rint(v)) < texel_slack)
        *is_sure = false;
    if (u < 0 || v < 0 || u >= MAP_SIDE - 1 || v >= MAP_SIDE - 1)
        return 1;
    double share = 0;
    for (int row = (int)v; row <= (int)v + 1; row++)
        for (int column = (int)u; column <= (int)u + 1; column++) {
            double over = depth - s->map[(l->map * MAP_SIDE + row) * MAP_SIDE + column] - SHADOW_OFFSET;
            *is_sure = *is_sure && fabs(over) > slack;
            share += over <= 0 ? 0.25 : 0;
        }
    return share;
}

/* What reaches the point, before shadows; *to_light becomes the direction. */
static double strength_of(const struct light *l, struct point at, struct point *to_light)
{
    if (l->kind == SUN) {
        *to_light = go_point((struct point){0, 0, 0}, -1, point(l->way));
        return 1;
    }
    *to_light = go_point(point(l->at), -1, at);
    double away = sqrt(dot_point(*to_light, *to_light)), part = away / l->range;
    *to_light = go_point((struct point){0, 0, 0}, 1 / away, *to_light);
    if (part >= 1)
        return 0;
    double strength = pow(1 - part * part, 2) / (1 + away * away);
    if (l->kind == POINT)
        return strength;
    double share = (-dot_point(*to_light, point(l->way)) - l->outer) / ((double)l->inner - l->outer);
    share = fmin(fmax(share, 0), 1);
    return strength * share * share * (3 - 2 * share);
}

static struct point light_pixel(const struct scene *s, int number, bool *is_sure)
{
    const struct pixel *p = &s->pixel[number];
    int x = number % s->frame.width, y = number / s->frame.width;
    if (p->depth == 0)
        return point(s->frame.sky);
    struct point at = {(x - 0.5 * s->frame.width) * s->frame.pixel, (0.5 * s->frame.height - y) * s->frame.pixel, 1};
    at = go_point((struct point){0, 0, 0}, p->depth, at);
    struct point colour = {p->colour[0], p->colour[1], p->colour[2]};
    struct point normal = {p->normal[0], p->normal[1], p->normal[2]};
    struct point sum = go_point((struct point){0, 0, 0}, AMBIENT, colour);
    for (uint32_t i = s->lights; i-- > 0;) {
        const struct light *l = &s->light[i];
        struct point to_light;
        double strength = strength_of(l, at, &to_light), facing = dot_point(to_light, normal);
        if (strength == 0 || facing <= 0)
            continue;
        if (l->map != NO_MAP)
            strength *= lit_share(s, l, at, is_sure);
        struct point middle = go_point(to_light, -1 / sqrt(dot_point(at, at)), at);
        double shine = dot_point(middle, normal) / sqrt(dot_point(middle, middle));
        double glare = p->gloss > 0 && shine > 0 ? 0.04 * pow(shine, p->gloss) : 0, got = strength * facing;
        struct point shown = {l->colour.x * (colour.x + glare), l->colour.y * (colour.y + glare),
                              l->colour.z * (colour.z + glare)};
        sum = go_point(sum, got, shown);
    }
    return sum;
}

/* Slices double, so the slice is the exponent of the depth. */
static int cluster_of(const struct scene *s, int number)
{
    int x = number % s->frame.width, y = number / s->frame.width;
    if (s->pixel[number].depth == 0)
        return -1;
    int slice = ilogb(s->pixel[number].depth / NEAREST);
    slice = slice < 0 ? 0 : slice < SLICES ? slice : SLICES - 1;
    return (y / TILE * s->frame.tiles_x + x / TILE) * SLICES + slice;
}

/* Of the sum over three channels. Terms are of size 1 and some ten are added, each right within 1e-6, except that the
 * power magnifies the rounding of what it is taken of by the gloss, 64 at most, and the cone's edge and the range's
 * square by 20. */
static const double tolerance = 5e-5;

static void compare(struct work *w, const struct scene *s, const float *image, uint32_t listed)
{
    int pixels = s->frame.width * s->frame.height, unsure = 0;
    for (int i = 0; i < pixels; i++) {
        bool is_sure = true;
        struct point want = light_pixel(s, i, &is_sure);
        double off = fabs(image[4 * i] - want.x) + fabs(image[4 * i + 1] - want.y) + fabs(image[4 * i + 2] - want.z);
        unsure += !is_sure;
        work_check(w, image[4 * i + 3] == (float)cluster_of(s, i), "pixel %d: cluster %g, should be %d", i,
                   image[4 * i + 3], cluster_of(s, i));
        work_check(w, !is_sure || off <= tolerance, "pixel %d: light is off by %g", i, off);
    }
    work_check(w, unsure <= pixels / 100 + 2, "%d pixels of %d are left to rounding", unsure, pixels);
    work_say(w, "%dx%d pixels, %u lights, %u in the lists of clusters, %d pixels left to rounding", s->frame.width,
             s->frame.height, s->lights, listed, unsure);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct scene *s = work_buffer(w, 1, sizeof *s);
    place_things(w, s, p);
    draw_surfaces(w, s, p);
    place_lights(w, s, p);
    uint32_t listed = list_lights(w, s);
    size_t pixels = (size_t)p->width * (size_t)p->height;
    float *normals = work_buffer(w, pixels, 4 * sizeof *normals),
          *colours = work_buffer(w, pixels, 4 * sizeof *colours);
    for (size_t i = 0; i < pixels; i++)
        for (int k = 0; k < 4; k++) {
            normals[4 * i + (size_t)k] = k < 3 ? s->pixel[i].normal[k] : s->pixel[i].gloss;
            colours[4 * i + (size_t)k] = k < 3 ? s->pixel[i].colour[k] : s->pixel[i].depth;
        }
    s->frame.normals = work_upload(w, normals, pixels * 4 * sizeof *normals);
    s->frame.colours = work_upload(w, colours, pixels * 4 * sizeof *colours);
    s->frame.lights = work_upload(w, s->light, s->lights * sizeof *s->light);
    s->frame.shadows = work_upload(w, s->shadow, s->maps * sizeof *s->shadow);
    s->frame.maps = work_upload(w, s->map, s->maps * sizeof *s->map * MAP_SIDE * MAP_SIDE);
    float *got = work_buffer(w, pixels, 4 * sizeof *got);
    CUdeviceptr image = work_alloc(w, pixels * 4 * sizeof *got);
    work_launch(w, "lighting",
                (struct work_shape){(unsigned)(p->width + BLOCK_X - 1) / BLOCK_X,
                                    (unsigned)(p->height + BLOCK_Y - 1) / BLOCK_Y, 1},
                (struct work_shape){BLOCK_X, BLOCK_Y, 1}, 0, (void *[]){&s->frame, &image});
    work_read(w, got, image, pixels * 4 * sizeof *got);
    compare(w, s, got, listed);
}

const struct workload workload = {.name = "lighting", .run = run};
