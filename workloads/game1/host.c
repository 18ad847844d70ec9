/* Ambient occlusion in screen space; verified against sums in double precision over positions computed beforehand. */
#include "work.h"

#include <math.h>

enum { BLOCK_X = 32, BLOCK_Y = 8 };
enum { TAPS = 16, BLUR_REACH = 4 }; /* as in kernels.cu */

struct problem {
    int width, height, spheres;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.width = 64, .height = 27, .spheres = 12},
    [WORK_SMALL] = {.width = 256, .height = 144, .spheres = 60},
    [WORK_PAPER] = {.width = 640, .height = 360, .spheres = 200},
};

struct camera {
    int width, height; /* as in kernels.cu */
    float pixel, middle_x, middle_y, bias, softness, strength, edge;
};

struct tap {
    int x, y; /* as int2 */
};

struct vector {
    double x, y, z;
};

/* What the geometry pass of a game leaves: depths, and the x and y of normals. */
struct scene {
    float *depths;
    float (*normals)[2];
};

static struct camera make_camera(const struct problem *p)
{
    return (struct camera){
        .width = p->width,
        .height = p->height,
        .pixel = 1.5f / (float)p->height, /* 74 degrees from top to bottom */
        .middle_x = (float)(p->width - 1) / 2,
        .middle_y = (float)(p->height - 1) / 2,
        .bias = 0.002f,
        .softness = 0.01f,
        .strength = 0.5f,
        .edge = 2,
    };
}

/* A wall behind, and spheres in front of it that hide it and each other. */
static struct scene draw_scene(struct work *w, const struct problem *p, const struct camera *c)
{
    size_t pixels = (size_t)p->width * (size_t)p->height;
    struct scene s = {.depths = work_buffer(w, pixels, sizeof *s.depths),
                      .normals = work_buffer(w, pixels, sizeof *s.normals)};
    for (size_t i = 0; i < pixels; i++)
        s.depths[i] = 12;
    for (int k = 0; k < p->spheres; k++) {
        double z = 8 + 4 * (double)work_random_unit(w), radius = 0.2 + 0.8 * (double)work_random_unit(w);
        double x = (double)(work_random_unit(w) - 0.5f) * z * 1.5 * p->width / p->height,
               y = (double)(work_random_unit(w) - 0.5f) * z * 1.5;
        for (int i = 0; i < (int)pixels; i++) { /* where the pixel's ray enters the sphere, if it does */
            double ray_x = (i % p->width - (double)c->middle_x) * (double)c->pixel,
                   ray_y = (i / p->width - (double)c->middle_y) * (double)c->pixel;
            double square = ray_x * ray_x + ray_y * ray_y + 1, along = ray_x * x + ray_y * y + z;
            double root = along * along - square * (x * x + y * y + z * z - radius * radius);
            double depth = root > 0 ? (along - sqrt(root)) / square : 12;
            if (depth >= (double)s.depths[i])
                continue;
            s.depths[i] = (float)depth;
            s.normals[i][0] = (float)((ray_x * depth - x) / radius);
            s.normals[i][1] = (float)((ray_y * depth - y) / radius);
        }
    }
    return s;
}

/* A spiral of two turns, from one pixel to 16 away. */
static void lay_taps(struct tap taps[TAPS])
{
    for (int i = 0; i < TAPS; i++) {
        double radius = 1 + 15.0 * i / (TAPS - 1), angle = 4 * 3.14159265358979 * i / TAPS;
        taps[i] = (struct tap){(int)lround(radius * cos(angle)), (int)lround(radius * sin(angle))};
    }
}

static void make_bell(float bell[BLUR_REACH + 1])
{
    for (int i = 0; i <= BLUR_REACH; i++)
        bell[i] = (float)exp(-0.125 * i * i);
}

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static void occlude(struct work *w, const struct camera *c, const struct scene *s, double *light)
{
    struct vector *position = work_buffer(w, (size_t)(c->width * c->height), sizeof *position);
    struct tap taps[TAPS];
    lay_taps(taps);
    for (int i = 0; i < c->width * c->height; i++) {
        double depth = s->depths[i];
        position[i] = (struct vector){(i % c->width - (double)c->middle_x) * (double)c->pixel * depth,
                                      (i / c->width - (double)c->middle_y) * (double)c->pixel * depth, depth};
    }
    for (int i = 0; i < c->width * c->height; i++) {
        double n_x = s->normals[i][0], n_y = s->normals[i][1], n_z = -sqrt(fmax(1 - n_x * n_x - n_y * n_y, 0)), sum = 0;
        for (int k = 0; k < TAPS; k++) {
            const struct vector *there = &position[clamp(i / c->width + taps[k].y, c->height - 1) * c->width +
                                                   clamp(i % c->width + taps[k].x, c->width - 1)];
            struct vector to = {there->x - position[i].x, there->y - position[i].y, there->z - position[i].z};
            double above = to.x * n_x + to.y * n_y + to.z * n_z - (double)c->bias * position[i].z;
            if (above > 0)
                sum += above / (to.x * to.x + to.y * to.y + to.z * to.z + (double)c->softness);
        }
        light[i] = fmax(1 - (double)c->strength * sum / TAPS, 0);
    }
}

static void blur(const struct camera *c, const struct scene *s, const double *light, double *blurred, bool is_vertical)
{
    float bell[BLUR_REACH + 1];
    make_bell(bell);
    for (int i = 0; i < c->width * c->height; i++) {
        double sum = 0, weights = 0;
        for (int k = -BLUR_REACH; k <= BLUR_REACH; k++) {
            int at = is_vertical ? clamp(i / c->width + k, c->height - 1) * c->width + i % c->width
                                 : i / c->width * c->width + clamp(i % c->width + k, c->width - 1);
            double difference = fabs((double)s->depths[at] - (double)s->depths[i]) * (double)c->edge;
            if (difference >= 1)
                continue;
            sum += (double)bell[k < 0 ? -k : k] * (1 - difference) * light[at];
            weights += (double)bell[k < 0 ? -k : k] * (1 - difference);
        }
        blurred[i] = sum / weights;
    }
}

/* Leaves the light before the blur in `light`, and what both passes of the blur make of it in `blurred`. */
static void shade(struct work *w, struct camera *c, const struct scene *s, float *light, float *blurred)
{
    size_t pixels = (size_t)c->width * (size_t)c->height, bytes = pixels * sizeof(float);
    struct tap spiral[TAPS];
    float bell[BLUR_REACH + 1];
    lay_taps(spiral);
    make_bell(bell);
    work_write(w, work_symbol(w, "taps", sizeof spiral), spiral, sizeof spiral);
    work_write(w, work_symbol(w, "blur_weights", sizeof bell), bell, sizeof bell);
    CUdeviceptr depths = work_upload(w, s->depths, bytes), normals = work_upload(w, s->normals, 2 * bytes),
                raw = work_alloc(w, bytes), half = work_alloc(w, bytes), whole = work_alloc(w, bytes);
    struct work_shape block = {.x = BLOCK_X, .y = BLOCK_Y}, grid = {.x = (unsigned)(c->width + BLOCK_X - 1) / BLOCK_X,
                                                                    .y = (unsigned)(c->height + BLOCK_Y - 1) / BLOCK_Y};
    int no = 0, yes = 1;
    work_launch(w, "occlude", grid, block, 0, (void *[]){&depths, &normals, &raw, c});
    work_launch(w, "blur", grid, block, 0, (void *[]){&depths, &raw, &half, c, &yes, &no});
    work_launch(w, "blur", grid, block, 0, (void *[]){&depths, &half, &whole, c, &no, &yes});
    work_read(w, light, raw, bytes);
    work_read(w, blurred, whole, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct camera c = make_camera(p);
    struct scene s = draw_scene(w, p, &c);
    size_t pixels = (size_t)p->width * (size_t)p->height;
    float *light = work_buffer(w, pixels, sizeof *light), *blurred = work_buffer(w, pixels, sizeof *blurred),
          *want = work_buffer(w, pixels, sizeof *want);
    double *raw = work_buffer(w, pixels, sizeof *raw), *half = work_buffer(w, pixels, sizeof *half),
           *whole = work_buffer(w, pixels, sizeof *whole);
    shade(w, &c, &s, light, blurred);
    occlude(w, &c, &s, raw);
    blur(&c, &s, raw, half, false);
    blur(&c, &s, half, whole, true);
    /* Positions are below 16 and off by 2^-21. The division by a squared distance of at least 0.01 may turn that into
     * 2^-14 for one tap, of which 1/32 counts; other roundings are smaller. */
    for (size_t i = 0; i < pixels; i++)
        want[i] = (float)raw[i];
    work_compare_f32(w, "lights", light, want, pixels, 0, 0x1p-15f);
    for (size_t i = 0; i < pixels; i++)
        want[i] = (float)whole[i];
    work_compare_f32(w, "blurred lights", blurred, want, pixels, 0, 0x1p-15f);
    work_say(w, "%dx%d pixels, %d spheres", p->width, p->height, p->spheres);
}

const struct workload workload = {.name = "game1", .run = run};
