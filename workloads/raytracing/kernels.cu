// A ray tracer with a tree of boxes: one thread per pixel follows the camera's ray, asks for shadow where the ray hits,
// and follows one mirrored ray. Each ray walks the tree with a stack of its own in local memory.

#include "vector.cuh"

enum {
    MOST_PENDING = 32, // nodes that wait on a thread's stack: the host checks the tree's depth
    BOUNCES = 2,       // the camera's ray and one mirrored ray
    NONE = -1,         // in place of a triangle
};

struct node { // two rows of four numbers
    float4 low;  // a corner of the box; the bits of the first child's or triangle's number
    float4 high; // the other corner; the bits of the number of triangles, 0 in an inner node
};

struct material {
    float3 colour;
    float mirror; // share of the light that is reflected
};

struct scene {
    const node *nodes;
    const float4 *triangles; // three rows each: corner and material, side, side
    const material *materials;
    float3 eye, corner, right, down; // of the camera; corner: from the eye to the first pixel
    float3 light;
    int width, height;
};

struct ray {
    float3 from, way, inverse;
};

struct hit {
    float distance;
    int triangle;
};

#define FARTHEST 1e30f
#define OFFSET   1e-3f // new rays begin this far from the surface
#define AMBIENT  0.2f

__device__ __forceinline__ float3 unit(float3 a)
{
    return rsqrtf(dot(a, a)) * a;
}

// A direction parallel to a side of the boxes is turned a little, to have an inverse.
__device__ __forceinline__ float inverse_of(float x)
{
    return 1 / (fabsf(x) > 1e-20f ? x : 1e-20f);
}

__device__ __forceinline__ ray make_ray(float3 from, float3 way)
{
    return {from, way, make_float3(inverse_of(way.x), inverse_of(way.y), inverse_of(way.z))};
}

// Where the ray enters the box; FARTHEST if it misses the box or enters it behind `most`.
__device__ __forceinline__ float enter(const ray &r, float4 low, float4 high, float most)
{
    float x0 = (low.x - r.from.x) * r.inverse.x, x1 = (high.x - r.from.x) * r.inverse.x;
    float y0 = (low.y - r.from.y) * r.inverse.y, y1 = (high.y - r.from.y) * r.inverse.y;
    float z0 = (low.z - r.from.z) * r.inverse.z, z1 = (high.z - r.from.z) * r.inverse.z;
    float first = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
    float last = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), most));
    return first <= last ? first : FARTHEST;
}

// The test of Moeller and Trumbore; the distance, or FARTHEST.
__device__ __forceinline__ float meet(const ray &r, const float4 *rows)
{
    float3 side1 = xyz(rows[1]), side2 = xyz(rows[2]);
    float3 p = cross(r.way, side2);
    float determinant = dot(side1, p);
    if (determinant == 0)
        return FARTHEST;
    float inverse = 1 / determinant;
    float3 s = r.from - xyz(rows[0]);
    float u = dot(s, p) * inverse;
    if (u < 0 || u > 1)
        return FARTHEST;
    float3 q = cross(s, side1);
    float v = dot(r.way, q) * inverse;
    if (v < 0 || u + v > 1)
        return FARTHEST;
    float distance = dot(side2, q) * inverse;
    return distance > 0 ? distance : FARTHEST;
}

// Down the tree: the nearer child first, the other one waits on the stack. With is_any the first triangle found ends
// the walk.
__device__ __forceinline__ hit trace(const scene &s, const ray &r, float most, bool is_any)
{
    int pending[MOST_PENDING], top = 0, at = 0;
    hit best = {most, NONE};
    for (;;) {
        int first = __float_as_int(s.nodes[at].low.w), count = __float_as_int(s.nodes[at].high.w);
        if (count == 0) {
            const node *child = s.nodes + first;
            float enter0 = enter(r, child[0].low, child[0].high, best.distance);
            float enter1 = enter(r, child[1].low, child[1].high, best.distance);
            int nearer = first, other = first + 1;
            if (enter1 < enter0) {
                nearer = first + 1;
                other = first;
            }
            if (enter0 < FARTHEST && enter1 < FARTHEST)
                pending[top++] = other;
            if (enter0 < FARTHEST || enter1 < FARTHEST) {
                at = nearer;
                continue;
            }
        } else {
#pragma unroll 1
            for (int i = first; i < first + count; i++) {
                float distance = meet(r, s.triangles + 3 * i);
                if (distance < best.distance) {
                    best.distance = distance;
                    best.triangle = i;
                    if (is_any)
                        return best;
                }
            }
        }
        if (top == 0)
            return best;
        at = pending[--top];
    }
}

// Blocks of 8x8. `first_hit` gets the triangle that the camera's ray hits.
extern "C" __global__ void raytracing(scene s, float4 *image, int *first_hit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    ray r = make_ray(s.eye, unit(s.corner + (float)x * s.right + (float)y * s.down));
    float3 colour = make_float3(0, 0, 0);
    float weight = 1;
    int seen = NONE;
#pragma unroll 1
    for (int bounce = 0; bounce < BOUNCES; bounce++) {
        hit h = trace(s, r, FARTHEST, false);
        if (bounce == 0)
            seen = h.triangle;
        if (h.triangle == NONE) {
            float high = 0.5f + 0.5f * r.way.y;
            colour = colour + weight * make_float3(0.9f - 0.5f * high, 0.9f - 0.3f * high, 0.95f);
            break;
        }
        const float4 *rows = s.triangles + 3 * h.triangle;
        material m = s.materials[__float_as_int(rows[0].w)];
        float3 normal = unit(cross(xyz(rows[1]), xyz(rows[2])));
        if (dot(normal, r.way) > 0)
            normal = make_float3(-normal.x, -normal.y, -normal.z);
        float3 at = r.from + h.distance * r.way + OFFSET * normal;
        float3 to_light = s.light - at;
        float away = sqrtf(dot(to_light, to_light));
        to_light = 1 / away * to_light;
        float facing = dot(to_light, normal), bright = AMBIENT;
        if (facing > 0) {
            hit shade = trace(s, make_ray(at, to_light), away, true);
            if (shade.triangle == NONE)
                bright += (1 - AMBIENT) * facing;
        }
        colour = colour + weight * (1 - m.mirror) * bright * m.colour;
        if (m.mirror == 0)
            break;
        weight *= m.mirror;
        r = make_ray(at, r.way - 2 * dot(r.way, normal) * normal);
    }
    image[y * s.width + x] = make_float4(colour.x, colour.y, colour.z, 1);
    first_hit[y * s.width + x] = seen;
}
