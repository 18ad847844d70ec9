/* Gravity between all pairs of bodies; verified against sums over pairs in double precision. */
#include "work.h"

#include <math.h>

enum { BODIES = 32, ROWS = 8 }; /* as in kernels.cu */

/* Multiples of BODIES * ROWS. */
static const unsigned bodies_of[] = {[WORK_TEST] = 512, [WORK_SMALL] = 3072, [WORK_PAPER] = 4096};

/* With a softening of 0.1 no two bodies of a cube of side 1 pull with more than 40 times the mass. */
static const float softening = 0.1f, step_seconds = 0.015625f;

struct vector {
    float x, y, z, w;
};

struct vector3 {
    double x, y, z;
};

/* Each pair once: what one body feels, the other feels the other way round. */
static void pull_by_pairs(const struct vector3 *position, const double *mass, unsigned count,
                          struct vector3 *acceleration)
{
    for (unsigned i = 0; i < count; i++)
        acceleration[i] = (struct vector3){0, 0, 0};
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = i + 1; k < count; k++) {
            double x = position[k].x - position[i].x, y = position[k].y - position[i].y,
                   z = position[k].z - position[i].z;
            double square = x * x + y * y + z * z + (double)softening * (double)softening;
            double cube = 1 / (square * sqrt(square));
            acceleration[i].x += x * mass[k] * cube;
            acceleration[i].y += y * mass[k] * cube;
            acceleration[i].z += z * mass[k] * cube;
            acceleration[k].x -= x * mass[i] * cube;
            acceleration[k].y -= y * mass[i] * cube;
            acceleration[k].z -= z * mass[i] * cube;
        }
}

/* Positions (their w is the mass) and velocities (their w is 0) after one step from `first` and `start`. */
static void move_by_pairs(struct work *w, unsigned count, const struct vector *first, const struct vector *start,
                          struct vector *positions, struct vector *velocities)
{
    struct vector3 *position = work_buffer(w, count, sizeof *position),
                   *acceleration = work_buffer(w, count, sizeof *acceleration);
    double *mass = work_buffer(w, count, sizeof *mass), seconds = (double)step_seconds;
    for (unsigned i = 0; i < count; i++) {
        position[i] = (struct vector3){first[i].x, first[i].y, first[i].z};
        mass[i] = first[i].w;
    }
    pull_by_pairs(position, mass, count, acceleration);
    for (unsigned i = 0; i < count; i++) {
        struct vector3 v = {
            .x = start[i].x + acceleration[i].x * seconds,
            .y = start[i].y + acceleration[i].y * seconds,
            .z = start[i].z + acceleration[i].z * seconds,
        };
        velocities[i] = (struct vector){(float)v.x, (float)v.y, (float)v.z, 0};
        positions[i] = (struct vector){(float)(position[i].x + v.x * seconds), (float)(position[i].y + v.y * seconds),
                                       (float)(position[i].z + v.z * seconds), first[i].w};
    }
}

static void move_by_tiles(struct work *w, unsigned count, const struct vector *first, const struct vector *start,
                          struct vector *positions, struct vector *velocities)
{
    size_t bytes = count * sizeof *first;
    float soft = softening, seconds = step_seconds;
    CUdeviceptr before = work_upload(w, first, bytes), after = work_alloc(w, bytes),
                speeds = work_upload(w, start, bytes);
    work_launch(w, "step", (struct work_shape){.x = count / BODIES}, (struct work_shape){.x = BODIES, .y = ROWS}, 0,
                (void *[]){&before, &after, &speeds, &count, &soft, &seconds});
    work_read(w, positions, after, bytes);
    work_read(w, velocities, speeds, bytes);
}

static void run(struct work *w, enum work_size size)
{
    unsigned count = bodies_of[size];
    struct vector *first = work_buffer(w, count, sizeof *first), *start = work_buffer(w, count, sizeof *start),
                  *positions = work_buffer(w, count, sizeof *positions),
                  *velocities = work_buffer(w, count, sizeof *velocities),
                  *want_positions = work_buffer(w, count, sizeof *want_positions),
                  *want_velocities = work_buffer(w, count, sizeof *want_velocities);
    for (unsigned i = 0; i < count; i++) { /* masses between half and one and a half of a body's even share */
        first[i].x = work_random_unit(w);
        first[i].y = work_random_unit(w);
        first[i].z = work_random_unit(w);
        first[i].w = (0.5f + work_random_unit(w)) / (float)count;
        start[i].x = 0.125f * (work_random_unit(w) - 0.5f);
        start[i].y = 0.125f * (work_random_unit(w) - 0.5f);
        start[i].z = 0.125f * (work_random_unit(w) - 0.5f);
    }
    move_by_tiles(w, count, first, start, positions, velocities);
    move_by_pairs(w, count, first, start, want_positions, want_velocities);
    /* Components of accelerations are below 2, and a thread sums up to 512 terms: rounding puts the sum off by about
     * sqrt(512) * 2^-25, and the fast reciprocal root adds 2^-21 of it. 2^-18 covers both. Even two bodies at opposite
     * corners of the cube pull with a fifth of a mass along each axis, which is 2^-15 with 4096 bodies: a lost term
     * shows. */
    work_compare_f32(w, "components of velocities", &velocities->x, &want_velocities->x, 4 * (size_t)count, 0,
                     0x1p-18f * step_seconds);
    /* Positions are below 2, so their rounding is 2^-24. */
    work_compare_f32(w, "components of positions", &positions->x, &want_positions->x, 4 * (size_t)count, 0, 0x1p-22f);
    work_say(w, "%u bodies", count);
}

const struct workload workload = {.name = "nbody", .run = run};
