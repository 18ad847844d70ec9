// Rays against spheres with a bounce: divisions, roots and branches that few threads share.
#include "corpus.h"

struct vector3 {
    float x, y, z;
};

static __device__ float dot(vector3 a, vector3 b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

static __device__ vector3 along(vector3 from, vector3 way, float t)
{
    return {fmaf(way.x, t, from.x), fmaf(way.y, t, from.y), fmaf(way.z, t, from.z)};
}

static __device__ bool hit(vector3 from, vector3 way, float4 sphere, float *t)
{
    vector3 to = {sphere.x - from.x, sphere.y - from.y, sphere.z - from.z};
    float b = dot(to, way), c = dot(to, to) - sphere.w * sphere.w;
    float d = fmaf(b, b, -c);
    if (d < 0)
        return false;
    float root = sqrtf(d);
    *t = b - root;
    if (*t < 0.001f)
        *t = b + root;
    return *t > 0.001f;
}

extern "C" __global__ void raycast(const float4 *spheres, int count, float *depth, u8 *bounces, int width,
                                   int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    vector3 from = {0, 0, -4};
    vector3 way = {((float)px + 0.5f) / (float)width - 0.5f, ((float)py + 0.5f) / (float)height - 0.5f, 1};
    float length = sqrtf(dot(way, way));
    way = {way.x / length, way.y / length, way.z / length};
    float travelled = 0;
    int turn = 0;
    for (; turn < 4; turn++) {
        float nearest = 1e9f, t;
        int which = -1;
        for (int k = 0; k < count; k++) {
            if (hit(from, way, spheres[k], &t) && t < nearest) {
                nearest = t;
                which = k;
            }
        }
        if (which < 0)
            break;
        travelled += nearest;
        from = along(from, way, nearest);
        float4 s = spheres[which];
        vector3 normal = {(from.x - s.x) / s.w, (from.y - s.y) / s.w, (from.z - s.z) / s.w};
        way = along(way, normal, -2.0f * dot(way, normal));
    }
    depth[py * width + px] = travelled;
    bounces[py * width + px] = (u8)turn;
}
