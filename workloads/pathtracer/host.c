/*
 * A picture of spheres in a box. The reference follows the same paths in double precision, with another way to meet
 * spheres: it projects the centre onto the ray and looks at the distance there.
 */
#include "work.h"

#include <math.h>

enum { ACROSS = 16, DOWN = 8, SPHERES = 9, MOST_BOUNCES = 16 };
enum { DIFFUSE, MIRROR, GLASS };

struct vec {
    double x, y, z;
};

/* As in kernels.cu. */
struct device_vec {
    float x, y, z;
};

struct device_sphere {
    struct device_vec centre;
    float radius;
    struct device_vec emission, colour;
    int32_t kind;
};

struct device_camera {
    struct device_vec at, ahead, right, down;
};

struct sphere {
    struct vec centre;
    double radius;
    struct vec emission, colour;
    int kind;
};

struct camera {
    struct vec at, ahead, right, down;
};

struct problem {
    int width, height, samples;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 16, .height = 16, .samples = 4},
    [WORK_SMALL] = {.width = 128, .height = 120, .samples = 3},
    [WORK_PAPER] = {.width = 128, .height = 120, .samples = 8},
};

/* Six walls of radius 1000, seen from inside, a mirror, a ball of glass, and a lamp that comes through the ceiling. */
static const struct sphere scene[SPHERES] = {
    {{1001, 40.8, 81.6}, 1000, {0, 0, 0}, {0.75, 0.25, 0.25}, DIFFUSE}, /* left */
    {{-901, 40.8, 81.6}, 1000, {0, 0, 0}, {0.25, 0.25, 0.75}, DIFFUSE}, /* right */
    {{50, 40.8, 1000}, 1000, {0, 0, 0}, {0.75, 0.75, 0.75}, DIFFUSE},   /* back */
    {{50, 40.8, -830}, 1000, {0, 0, 0}, {0, 0, 0}, DIFFUSE},            /* front, behind the camera */
    {{50, 1000, 81.6}, 1000, {0, 0, 0}, {0.75, 0.75, 0.75}, DIFFUSE},   /* floor */
    {{50, -918.4, 81.6}, 1000, {0, 0, 0}, {0.75, 0.75, 0.75}, DIFFUSE}, /* ceiling */
    {{27, 16.5, 47}, 16.5, {0, 0, 0}, {0.999, 0.999, 0.999}, MIRROR},
    {{73, 16.5, 78}, 16.5, {0, 0, 0}, {0.999, 0.999, 0.999}, GLASS},
    {{50, 681.33, 81.6}, 600, {12, 12, 12}, {0, 0, 0}, DIFFUSE}, /* the lamp */
};

static struct vec add(struct vec a, double f, struct vec b)
{
    return (struct vec){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
}

static double dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vec cross(struct vec a, struct vec b)
{
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct vec normal(struct vec a)
{
    return add((struct vec){0}, 1 / sqrt(dot(a, a)), a);
}

/* In the middle of the room's front, with the field of view that shows the whole back wall. */
static struct camera place_camera(const struct problem *p)
{
    struct camera c = {.at = {50, 46, 160}, .ahead = normal((struct vec){0, -0.042612, -1})};
    double view = 0.9;
    c.right = (struct vec){view * p->width / p->height, 0, 0};
    c.down = add((struct vec){0}, -view, normal(cross((struct vec){1, 0, 0}, c.ahead)));
    return c;
}

static struct device_vec narrow(struct vec a)
{
    return (struct device_vec){(float)a.x, (float)a.y, (float)a.z};
}

static struct vec widen(struct device_vec a)
{
    return (struct vec){a.x, a.y, a.z};
}

static void trace_on_device(struct work *w, const struct problem *p, struct device_vec *picture, uint32_t *bounces)
{
    struct camera c = place_camera(p);
    struct device_camera camera = {narrow(c.at), narrow(c.ahead), narrow(c.right), narrow(c.down)};
    struct device_sphere spheres[SPHERES];
    for (int i = 0; i < SPHERES; i++)
        spheres[i] = (struct device_sphere){narrow(scene[i].centre), (float)scene[i].radius, narrow(scene[i].emission),
                                            narrow(scene[i].colour), scene[i].kind};
    int32_t width = p->width, height = p->height, samples = p->samples;
    size_t pixels = (size_t)width * (size_t)height;
    CUdeviceptr colours = work_alloc(w, pixels * sizeof *picture), counts = work_alloc(w, pixels * sizeof *bounces);
    work_write(w, work_symbol(w, "spheres", sizeof spheres), spheres, sizeof spheres);
    work_launch(
        w, "trace",
        (struct work_shape){.x = (unsigned)(width + ACROSS - 1) / ACROSS, .y = (unsigned)(height + DOWN - 1) / DOWN},
        (struct work_shape){.x = ACROSS, .y = DOWN}, 0,
        (void *[]){&camera, &width, &height, &samples, &colours, &counts});
    work_read(w, picture, colours, pixels * sizeof *picture);
    work_read(w, bounces, counts, pixels * sizeof *bounces);
}

/* ---- the reference ---- */

static double draw(uint32_t *state)
{
    *state = *state * UINT32_C(747796405) + UINT32_C(2891336453);
    uint32_t mixed = ((*state >> ((*state >> 28) + 4)) ^ *state) * UINT32_C(277803737);
    return ((mixed >> 22 ^ mixed) >> 8) * 0x1p-24;
}

/* The distance along the ray at which it meets the sphere more than 0.01 away, or infinity. */
static double distance_to(const struct sphere *s, struct vec from, struct vec along)
{
    double middle = dot(add(s->centre, -1, from), along);
    struct vec foot = add(add(from, middle, along), -1, s->centre); /* where the ray is nearest to the centre */
    double square = s->radius * s->radius - dot(foot, foot);
    if (square < 0)
        return INFINITY;
    double near = middle - sqrt(square), far = middle + sqrt(square);
    return near > 0.01 ? near : far > 0.01 ? far : INFINITY;
}

static struct vec scatter(struct vec facing, uint32_t *random)
{
    double turn = 2 * M_PI * draw(random), share = draw(random);
    struct vec axis = fabs(facing.x) > 0.1 ? (struct vec){0, 1, 0} : (struct vec){1, 0, 0};
    struct vec u = normal(cross(axis, facing)), v = cross(facing, u), d = {0};
    d = add(d, sqrt(share) * cos(turn), u);
    d = add(d, sqrt(share) * sin(turn), v);
    return normal(add(d, sqrt(1 - share), facing));
}

static struct vec pass_glass(struct vec along, struct vec outside, uint32_t *random, double *weight)
{
    bool enters = dot(outside, along) < 0;
    struct vec reflected = add(along, -2 * dot(outside, along), outside),
               facing = add((struct vec){0}, enters ? 1 : -1, outside);
    double ratio = enters ? 1 / 1.5 : 1.5, cos1 = -dot(along, facing), sin2 = ratio * sqrt(fmax(0, 1 - cos1 * cos1));
    if (sin2 > 1)
        return reflected;
    double cos2 = sqrt(1 - sin2 * sin2), in_air = enters ? cos1 : cos2;
    double reflectance = 0.04 + 0.96 * pow(1 - in_air, 5), chance = 0.25 + 0.5 * reflectance;
    if (draw(random) < chance) {
        *weight *= reflectance / chance;
        return reflected;
    }
    *weight *= (1 - reflectance) / (1 - chance);
    return normal(add(add((struct vec){0}, ratio, along), ratio * cos1 - cos2, facing));
}

/* Adds the light of one path to `sum`, and returns how often it bounced. `nudge` lengthens every way by that share. */
static uint32_t follow(struct vec from, struct vec along, uint32_t random, double nudge, struct vec *sum)
{
    struct vec throughput = {1, 1, 1};
    for (uint32_t depth = 0; depth < MOST_BOUNCES; depth++) {
        const struct sphere *hit = NULL;
        double nearest = INFINITY;
        for (int i = SPHERES - 1; i >= 0; i--)
            if (distance_to(&scene[i], from, along) < nearest)
                nearest = distance_to((hit = &scene[i]), from, along);
        if (!hit)
            return depth;
        struct vec e = hit->emission, c = hit->colour;
        *sum = (struct vec){sum->x + throughput.x * e.x, sum->y + throughput.y * e.y, sum->z + throughput.z * e.z};
        double survival = fmax(c.x, fmax(c.y, c.z)), weight = 1 / survival;
        if (draw(&random) >= survival)
            return depth + 1;
        from = add(from, nearest * (1 + nudge), along);
        struct vec outside = normal(add(from, -1, hit->centre));
        bool is_outside = dot(outside, along) < 0;
        if (hit->kind == DIFFUSE)
            along = scatter(add((struct vec){0}, is_outside ? 1 : -1, outside), &random);
        else if (hit->kind == MIRROR)
            along = add(along, -2 * dot(outside, along), outside);
        else
            along = pass_glass(along, outside, &random, &weight);
        throughput =
            (struct vec){weight * throughput.x * c.x, weight * throughput.y * c.y, weight * throughput.z * c.z};
    }
    return MOST_BOUNCES;
}

static void trace_pixel(const struct problem *p, const struct camera *c, int x, int y, double nudge, struct vec *colour,
                        uint32_t *bounces)
{
    struct vec sum = {0};
    *bounces = 0;
    for (int sample = 0; sample < p->samples; sample++) {
        uint32_t random = (uint32_t)((y * p->width + x) * p->samples + sample) * UINT32_C(2654435769) + 12345;
        double dx = (x + draw(&random)) / p->width - 0.5, dy = (y + draw(&random)) / p->height - 0.5;
        struct vec along = normal(add(add(c->ahead, dx, c->right), dy, c->down));
        struct vec from = add(c->at, 100 * nudge, (struct vec){0.9, 0.4, 0}); /* the box is 100 wide */
        *bounces += follow(from, along, random, nudge, &sum);
    }
    *colour = add((struct vec){0}, 1.0 / p->samples, sum);
}

static bool is_close(struct vec got, struct vec want)
{
    /* A product of up to 32 factors and a sum of a few such products: 64 roundings of 2^-24. The weights of glass come
     * from cosines that are off by 10^-5 at flat angles. */
    return fabs(got.x - want.x) <= 1e-4 * want.x + 1e-6 && fabs(got.y - want.y) <= 1e-4 * want.y + 1e-6 &&
           fabs(got.z - want.z) <= 1e-4 * want.z + 1e-6;
}

/* Whether the pixel changes if hits are moved by somewhat more than rounding moves them. */
static bool is_left_to_rounding(const struct problem *p, const struct camera *c, int x, int y, struct vec colour,
                                uint32_t bounces)
{
    static const double nudge[] = {-3e-5, -4e-6, 4e-6, 3e-5};
    for (int i = 0; i < 4; i++) {
        struct vec other;
        uint32_t count;
        trace_pixel(p, c, x, y, nudge[i], &other, &count);
        if (count != bounces || !is_close(other, colour))
            return true;
    }
    return false;
}

/* Positions on a wall of radius 1000 are off by some 1000 * 2^-23, a millionth of the box, and glass and mirror
 * multiply that. So of 12,000 bounces one meets another sphere, and its path is another one from there on; a path has
 * four bounces. The limit is one path in 800, four times that. Most of these show when hits are moved; of 20,000 paths
 * one may be left to rounding without showing, since hits are moved in few directions only. */
static void compare(struct work *w, const struct problem *p, const struct device_vec *picture, const uint32_t *bounces)
{
    struct camera c = place_camera(p);
    uint32_t strangers = 0, unexplained = 0, pixels = (uint32_t)(p->width * p->height),
             paths = pixels * (uint32_t)p->samples;
    uint64_t all = 0;
    for (uint32_t i = 0; i < pixels; i++) {
        struct vec want;
        uint32_t count;
        int x = (int)i % p->width, y = (int)i / p->width;
        trace_pixel(p, &c, x, y, 0, &want, &count);
        all += bounces[i];
        if (count == bounces[i] && is_close(widen(picture[i]), want))
            continue;
        strangers++;
        unexplained += !is_left_to_rounding(p, &c, x, y, want, count);
    }
    work_check(w, strangers <= 1 + paths / 800, "%u of %u pixels differ", strangers, pixels);
    work_check(w, unexplained <= paths / 20000, "%u of %u pixels differ, and not by rounding", unexplained, pixels);
    work_say(w, "%dx%d pixels, %d samples, %.2f bounces per sample; %u pixels differ from those in double precision",
             p->width, p->height, p->samples, (double)all / paths, strangers);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t pixels = (size_t)p->width * (size_t)p->height;
    struct device_vec *picture = work_buffer(w, pixels, sizeof *picture);
    uint32_t *bounces = work_buffer(w, pixels, sizeof *bounces);
    trace_on_device(w, p, picture, bounces);
    compare(w, p, picture, bounces);
}

const struct workload workload = {.name = "pathtracer", .run = run};
