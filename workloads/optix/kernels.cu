// A ray tracing engine as one kernel: a loop over the states of a machine, one case per program (ray generation,
// traversal, intersection, the shaders of four materials, the program for rays that miss). A program ends by naming the
// next state. One thread draws the samples of one pixel, one path after the other.

#include "vector.cuh"

enum {
    MOST_PENDING = 32, // nodes that wait on a thread's stack: the host checks the tree's depth
    MOST_BOUNCES = 5,
    SURE_BOUNCES = 1, // after this one a path may end by chance
    NONE = -1,        // in place of a triangle
};

enum state { // the first four are also the kinds of materials
    DIFFUSE,
    MIRROR,
    GLASS,
    EMITTER,
    GENERATE,
    TRAVERSE,
    INTERSECT,
    LIT, // the second half of DIFFUSE, behind the shadow ray
    MISS,
    ENDED, // of the path
    DONE,
};

struct node {    // two rows of four numbers
    float4 low;  // a corner of the box; the bits of the first child's or triangle's number
    float4 high; // the other corner; the bits of the number of triangles, 0 in an inner node
};

struct material {
    float3 colour; // of an emitter: its light
    int kind;
};

struct scene {
    const node *nodes;
    const float4 *triangles; // three rows each: corner and material, side, side
    const material *materials;
    float3 eye, corner, right, down;           // of the camera; corner: from the eye to the first pixel
    float3 lamp, lamp_side1, lamp_side2, glow; // the lamp: a corner, two sides, its light
    float lamp_area;
    int width, height, samples;
};

#define FARTHEST 1e30f
#define OFFSET   1e-3f // new rays begin this far from the surface
#define PI       3.14159265f
#define INDEX    1.5f // of refraction

__device__ __forceinline__ float3 unit(float3 a)
{
    return 1 / sqrtf(dot(a, a)) * a;
}

// A direction parallel to a side of the boxes is turned a little, to have an inverse.
__device__ __forceinline__ float inverse_of(float x)
{
    return 1 / (fabsf(x) > 1e-20f ? x : 1e-20f);
}

__device__ __forceinline__ float draw(unsigned *random)
{
    *random = *random * 1664525u + 1013904223u;
    return (float)(*random >> 8) * 0x1p-24f;
}

// All that a thread keeps between two states.
struct path {
    float3 from, way, inverse; // the ray that is traced
    float most;                // distance of the closest triangle so far; of a shadow ray, of the lamp
    int triangle;
    int at, top; // the node to visit; the nodes on the stack
    bool is_shadow;
    float3 weight, light; // what later light counts; what came so far
    float3 point, normal; // of the last hit
    float3 to_lamp, glow; // of the shadow ray: what it brings if nothing is in its way
    unsigned random;
    int bounce, sample;
    bool is_seen; // whether the emitter counts: not behind a diffuse surface, which asked it by a shadow ray
    bool is_inside;
};

__device__ __forceinline__ state start_ray(path *p, float3 from, float3 way, float most, bool is_shadow)
{
    p->from = from;
    p->way = way;
    p->inverse = make_float3(inverse_of(way.x), inverse_of(way.y), inverse_of(way.z));
    p->most = most;
    p->triangle = NONE;
    p->at = 0;
    p->top = 0;
    p->is_shadow = is_shadow;
    return TRAVERSE;
}

__device__ __forceinline__ float enter(const path *p, float4 low, float4 high)
{
    float x0 = (low.x - p->from.x) * p->inverse.x, x1 = (high.x - p->from.x) * p->inverse.x;
    float y0 = (low.y - p->from.y) * p->inverse.y, y1 = (high.y - p->from.y) * p->inverse.y;
    float z0 = (low.z - p->from.z) * p->inverse.z, z1 = (high.z - p->from.z) * p->inverse.z;
    float first = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
    float last = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), p->most));
    return first <= last ? first : FARTHEST;
}

// The test of Moeller and Trumbore; the distance, or FARTHEST.
__device__ __forceinline__ float meet(const path *p, const float4 *rows)
{
    float3 side1 = xyz(rows[1]), side2 = xyz(rows[2]);
    float3 across = cross(p->way, side2);
    float determinant = dot(side1, across);
    if (determinant == 0)
        return FARTHEST;
    float inverse = 1 / determinant;
    float3 s = p->from - xyz(rows[0]);
    float u = dot(s, across) * inverse;
    if (u < 0 || u > 1)
        return FARTHEST;
    float3 q = cross(s, side1);
    float v = dot(p->way, q) * inverse;
    if (v < 0 || u + v > 1)
        return FARTHEST;
    float distance = dot(side2, q) * inverse;
    return distance > 0 ? distance : FARTHEST;
}

// Behind the last node of a ray: the program that the ray was traced for. A material's program begins at the point that
// was hit, with the normal on the ray's side.
__device__ __forceinline__ state end_ray(const scene &s, path *p, float3 *colour)
{
    if (p->is_shadow)
        return LIT;
    if (p->triangle == NONE)
        return MISS;
    const float4 *rows = s.triangles + 3 * p->triangle;
    material m = s.materials[__float_as_int(rows[0].w)];
    p->normal = unit(cross(xyz(rows[1]), xyz(rows[2])));
    if (dot(p->normal, p->way) > 0)
        p->normal = -1 * p->normal;
    p->point = p->from + p->most * p->way;
    *colour = m.colour;
    return (state)m.kind;
}

// The triangles of a leaf; one ends a shadow ray.
__device__ __forceinline__ state intersect(const scene &s, path *p, const int *pending, float3 *colour)
{
    int i = __float_as_int(s.nodes[p->at].low.w), end = i + __float_as_int(s.nodes[p->at].high.w);
#pragma unroll 1
    for (; i < end; i++) {
        float distance = meet(p, s.triangles + 3 * i);
        if (distance < p->most) {
            p->most = distance;
            p->triangle = i;
        }
    }
    if (p->top == 0 || (p->is_shadow && p->triangle != NONE))
        return end_ray(s, p, colour);
    p->at = pending[--p->top];
    return TRAVERSE;
}

// Whether the path goes on behind a bounce. Long paths go on by chance, the more likely the more they count.
__device__ __forceinline__ bool goes_on(path *p)
{
    if (++p->bounce >= MOST_BOUNCES)
        return false;
    if (p->bounce > SURE_BOUNCES) {
        float chance = fmaxf(p->weight.x, fmaxf(p->weight.y, p->weight.z));
        if (draw(&p->random) >= chance)
            return false;
        p->weight = 1 / chance * p->weight;
    }
    return true;
}

// A camera ray through a random point of the pixel.
__device__ __forceinline__ state generate(const scene &s, path *p, int pixel)
{
    if (p->sample == s.samples)
        return DONE;
    p->random = (unsigned)(pixel * s.samples + p->sample) * 747796405u + 2891336453u;
    p->random ^= p->random >> 15;
    float x = (float)(pixel % s.width) + draw(&p->random), y = (float)(pixel / s.width) + draw(&p->random);
    p->weight = make_float3(1, 1, 1);
    p->light = make_float3(0, 0, 0);
    p->bounce = 0;
    p->is_seen = true;
    p->is_inside = false;
    return start_ray(p, s.eye, unit(s.corner + x * s.right + y * s.down), FARTHEST, false);
}

// Asks a random point of the lamp by a shadow ray.
__device__ __forceinline__ state shade_diffuse(const scene &s, path *p, float3 colour)
{
    p->weight = p->weight * colour;
    p->point = p->point + OFFSET * p->normal;
    float a = draw(&p->random), b = draw(&p->random);
    float3 to_lamp = s.lamp + a * s.lamp_side1 + b * s.lamp_side2 - p->point;
    float squared = dot(to_lamp, to_lamp), away = sqrtf(squared);
    to_lamp = 1 / away * to_lamp;
    float facing = dot(to_lamp, p->normal);
    p->glow = make_float3(0, 0, 0);
    if (facing <= 0 || to_lamp.y <= 0) // the lamp shines down from the ceiling
        return LIT;
    p->glow = facing * to_lamp.y * s.lamp_area / (PI * squared) * s.glow;
    return start_ray(p, p->point, to_lamp, away - 2 * OFFSET, true);
}

// Into a random direction, by the cosine law: the normal plus a random point of the unit sphere.
__device__ __forceinline__ state shade_lit(path *p)
{
    if (p->triangle == NONE)
        p->light = p->light + p->weight * p->glow;
    if (!goes_on(p))
        return ENDED;
    float high = 1 - 2 * draw(&p->random), round = sqrtf(1 - high * high), sine, cosine;
    sincosf(2 * PI * draw(&p->random), &sine, &cosine);
    p->is_seen = false;
    return start_ray(p, p->point, unit(p->normal + make_float3(round * cosine, high, round * sine)), FARTHEST, false);
}

__device__ __forceinline__ state shade_mirror(path *p, float3 colour)
{
    p->weight = p->weight * colour;
    p->is_seen = true;
    if (!goes_on(p))
        return ENDED;
    return start_ray(p, p->point + OFFSET * p->normal, p->way - 2 * dot(p->way, p->normal) * p->normal, FARTHEST,
                     false);
}

// Reflects or refracts by chance, as Schlick's approximation of Fresnel's equations says.
__device__ __forceinline__ state shade_glass(path *p, float3 colour)
{
    float index = p->is_inside ? INDEX : 1 / INDEX, facing = -dot(p->way, p->normal);
    float squared = 1 - index * index * (1 - facing * facing), chance = 1;
    if (squared > 0) {
        float steep = 1 - (p->is_inside ? sqrtf(squared) : facing), least = (INDEX - 1) / (INDEX + 1);
        least *= least;
        chance = least + (1 - least) * steep * steep * steep * steep * steep;
    }
    p->is_seen = true;
    if (!goes_on(p))
        return ENDED;
    if (draw(&p->random) < chance)
        return start_ray(p, p->point + OFFSET * p->normal, p->way + 2 * facing * p->normal, FARTHEST, false);
    p->weight = p->weight * colour;
    p->is_inside = !p->is_inside;
    float3 way = unit(index * p->way + (index * facing - sqrtf(squared)) * p->normal);
    return start_ray(p, p->point - OFFSET * p->normal, way, FARTHEST, false);
}

// Blocks of 8x8. `radiance` has all samples of a pixel, one after the other: light, and the number of bounces.
extern "C" __global__ void optix(scene s, float4 *radiance)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    int pixel = y * s.width + x, pending[MOST_PENDING];
    float3 colour = make_float3(0, 0, 0);
    path p;
    p.sample = 0;
    state now = GENERATE;
    HEDDLE_PREDICT(traverse);
#pragma unroll 1
    while (now != DONE) {
        switch (now) {
        case GENERATE:
            now = generate(s, &p, pixel);
            break;
        case TRAVERSE: // inner nodes until a leaf, the nearer child first
#pragma unroll 1
            for (;;) {
                HEDDLE_SOFT_LABEL(traverse, 8);
                int first = __float_as_int(s.nodes[p.at].low.w);
                if (__float_as_int(s.nodes[p.at].high.w) != 0) {
                    now = INTERSECT;
                    break;
                }
                float enter0 = enter(&p, s.nodes[first].low, s.nodes[first].high);
                float enter1 = enter(&p, s.nodes[first + 1].low, s.nodes[first + 1].high);
                int nearer = enter1 < enter0;
                if (enter0 < FARTHEST && enter1 < FARTHEST)
                    pending[p.top++] = first + !nearer;
                if (enter0 < FARTHEST || enter1 < FARTHEST) {
                    p.at = first + nearer;
                } else if (p.top > 0) {
                    p.at = pending[--p.top];
                } else {
                    now = end_ray(s, &p, &colour);
                    break;
                }
            }
            break;
        case INTERSECT:
            now = intersect(s, &p, pending, &colour);
            break;
        case DIFFUSE:
            p.triangle = NONE;
            now = shade_diffuse(s, &p, colour);
            break;
        case LIT:
            now = shade_lit(&p);
            break;
        case MIRROR:
            now = shade_mirror(&p, colour);
            break;
        case GLASS:
            now = shade_glass(&p, colour);
            break;
        case EMITTER:
            if (p.is_seen)
                p.light = p.light + p.weight * colour;
            now = ENDED;
            break;
        case MISS: {
            float high = 0.5f + 0.5f * p.way.y;
            p.light = p.light + p.weight * make_float3(0.3f - 0.1f * high, 0.3f, 0.3f + 0.1f * high);
            now = ENDED;
            break;
        }
        case ENDED:
            radiance[pixel * s.samples + p.sample] = make_float4(p.light.x, p.light.y, p.light.z, (float)p.bounce);
            p.sample++;
            now = GENERATE;
            break;
        default:
            break;
        }
    }
}
