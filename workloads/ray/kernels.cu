/*
 * A ray tracer in the manner of Whitted, 1980: spheres and planes, shadows, mirrors up to a depth. One thread
 * a pixel, in blocks of 16 x 8; every ray is tried against every object.
 *
 * Recursion is a loop with a weight, since a mirror has one ray to follow. Every product that is added to
 * something is an explicit fmaf(), so no compiler is free to round otherwise, and the host finds the same
 * bits.
 */
enum {
    SPHERES = 10,
    PLANES = 2,
    MOST_DEPTH = 5, /* rays one after the other: one from the eye, four from mirrors */
    NONE = -1,
};

#include "device.h"

#define NEAREST  1e-3f /* a hit closer than this is the surface that the ray leaves */
#define FARTHEST 1e30f
#define FAINT    (1 / 512.0f) /* weight of a ray that is not worth following */
#define AMBIENT  0.15f

struct sphere {
    float3 centre;
    float square; /* of the radius */
};

struct plane {
    float3 normal;
    float offset; /* points p with normal . p == offset */
};

struct surface {
    float3 colour; /* red, green, blue */
    float mirror;  /* its part of the light is that of the mirrored direction */
};

struct scene {
    struct sphere spheres[SPHERES];
    struct plane planes[PLANES];
    struct surface
        surfaces[SPHERES + 2 * PLANES]; /* of the spheres, and two of each plane, in squares of side 1 */
    float3 eye, corner, right, down;    /* the pixel at x, y: corner + x * right + y * down */
    float3 light;
    int width, height;
};

extern "C" {
__constant__ struct scene ray_scene;
}

__device__ __forceinline__ float dot(float3 a, float3 b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

__device__ __forceinline__ float3 subtract(float3 a, float3 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* a + s * b */
__device__ __forceinline__ float3 along(float3 a, float s, float3 b)
{
    return make_float3(fmaf(s, b.x, a.x), fmaf(s, b.y, a.y), fmaf(s, b.z, a.z));
}

__device__ __forceinline__ float3 unit(float3 a)
{
    float s = 1 / sqrtf(dot(a, a));
    return make_float3(a.x * s, a.y * s, a.z * s);
}

/* Distance at which the ray meets the sphere, or FARTHEST. */
__device__ __forceinline__ float meet_sphere(const struct sphere *s, float3 from, float3 direction)
{
    float3 to = subtract(s->centre, from);
    float middle = dot(to, direction), under = fmaf(middle, middle, s->square - dot(to, to));
    if (under < 0)
        return FARTHEST;
    float half = sqrtf(under), t = middle - half > NEAREST ? middle - half : middle + half;
    return t > NEAREST ? t : FARTHEST;
}

__device__ __forceinline__ float meet_plane(const struct plane *p, float3 from, float3 direction)
{
    float t = (p->offset - dot(p->normal, from)) / dot(p->normal, direction);
    return t > NEAREST ? t : FARTHEST;
}

/* The object that the ray meets first: spheres, then planes; NONE. */
__device__ __forceinline__ int find_first(float3 from, float3 direction, float *distance)
{
    int found = NONE;
    *distance = FARTHEST;
#pragma unroll 1
    for (int i = 0; i < SPHERES; i++) {
        float t = meet_sphere(&ray_scene.spheres[i], from, direction);
        if (t < *distance) {
            *distance = t;
            found = i;
        }
    }
#pragma unroll 1
    for (int i = 0; i < PLANES; i++) {
        float t = meet_plane(&ray_scene.planes[i], from, direction);
        if (t < *distance) {
            *distance = t;
            found = SPHERES + i;
        }
    }
    return found;
}

/* Planes cast no shadow: the lamp and all spheres are on one side of each. */
__device__ __forceinline__ bool is_dark(float3 from, float3 direction, float distance)
{
#pragma unroll 1
    for (int i = 0; i < SPHERES; i++)
        if (meet_sphere(&ray_scene.spheres[i], from, direction) < distance)
            return true;
    return false;
}

/* Light that comes straight from the lamp: what the surface spreads, and what it mirrors. */
__device__ __forceinline__ void illuminate(float3 at, float3 normal, float3 mirrored, float *spread,
                                           float *shine)
{
    float3 far = subtract(ray_scene.light, at), to = unit(far);
    float facing = dot(to, normal);
    *spread = AMBIENT;
    *shine = 0;
    if (facing <= 0 || is_dark(at, to, sqrtf(dot(far, far))))
        return;
    *spread = fmaf(1 - AMBIENT, facing, AMBIENT);
    float s = fmaxf(dot(to, mirrored), 0);
    for (int k = 0; k < 5; k++)
        s *= s;
    *shine = s;
}

__device__ __forceinline__ unsigned byte_of(float x)
{
    return (unsigned)fmaf(fminf(x, 1), 255, 0.5f);
}

__device__ __forceinline__ float3 normal_of(int object, float3 at)
{
    if (object < SPHERES)
        return unit(subtract(at, ray_scene.spheres[object].centre));
    return ray_scene.planes[object - SPHERES].normal;
}

__device__ __forceinline__ struct surface surface_of(int object, float3 at)
{
    if (object >= SPHERES)
        object = 2 * object - SPHERES + (((int)floorf(at.x) + (int)floorf(at.z)) & 1);
    return ray_scene.surfaces[object];
}

__device__ __forceinline__ float3 sky(float3 direction)
{
    float high = fmaf(0.5f, direction.y, 0.5f);
    return make_float3(fmaf(-0.5f, high, 0.9f), fmaf(-0.3f, high, 0.9f), 0.95f);
}

extern "C" __global__ void ray(unsigned *image)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ray_scene.width || y >= ray_scene.height)
        return;
    float3 from = ray_scene.eye, colour = make_float3(0, 0, 0);
    float3 direction =
        unit(along(along(ray_scene.corner, (float)x, ray_scene.right), (float)y, ray_scene.down));
    float weight = 1;
    for (int depth = 0; depth < MOST_DEPTH && weight > FAINT; depth++) {
        float distance, spread, shine;
        int object = find_first(from, direction, &distance);
        if (object == NONE) {
            colour = along(colour, weight, sky(direction));
            break;
        }
        from = along(from, distance, direction);
        float3 normal = normal_of(object, from);
        direction = along(direction, -2 * dot(direction, normal), normal);
        illuminate(from, normal, direction, &spread, &shine);
        struct surface own = surface_of(object, from);
        colour = along(colour, weight * (1 - own.mirror) * spread, own.colour);
        colour = along(colour, weight, make_float3(shine, shine, shine));
        weight *= own.mirror;
    }
    image[y * ray_scene.width + x] = byte_of(colour.x) | byte_of(colour.y) << 8 | byte_of(colour.z) << 16;
}
