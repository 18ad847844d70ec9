// A path tracer: spheres in a Cornell box whose walls are large spheres. A thread has one pixel and several samples of
// it; a sample is a path of bounces that a random number ends (Russian roulette).

#include "device.h"

enum { SPHERES = 9, MOST_BOUNCES = 16 };
enum { DIFFUSE, MIRROR, GLASS };

struct vec {
    float x, y, z;
};

struct sphere {
    vec centre;
    float radius;
    vec emission, colour;
    int kind;
};

struct camera {
    vec at, ahead, right, down; // the last two span the picture
};

__constant__ sphere spheres[SPHERES];

#define FAR_AWAY 1e20f
#define LEAST    0.01f // units: nearer hits are those of the surface that the ray leaves
#define PI       3.14159265f

static __device__ __forceinline__ vec operator+(vec a, vec b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

static __device__ __forceinline__ vec operator-(vec a, vec b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

static __device__ __forceinline__ vec operator*(float f, vec a)
{
    return {f * a.x, f * a.y, f * a.z};
}

static __device__ __forceinline__ vec operator*(vec a, vec b)
{
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}

static __device__ __forceinline__ float dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static __device__ __forceinline__ vec cross(vec a, vec b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static __device__ __forceinline__ vec normal(vec a)
{
    return rsqrtf(dot(a, a)) * a;
}

// A multiple of 2^-24 in [0, 1).
static __device__ __forceinline__ float random_unit(unsigned &state)
{
    state = state * 747796405u + 2891336453u;
    unsigned mixed = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return ((mixed >> 22 ^ mixed) >> 8) * 0x1p-24f;
}

// The distance to a sphere along a ray, or 0.
static __device__ __forceinline__ float meet(const sphere &s, vec from, vec along)
{
    vec to = s.centre - from;
    float middle = dot(to, along), square = middle * middle - dot(to, to) + s.radius * s.radius;
    if (square < 0)
        return 0;
    float half = sqrtf(square);
    if (middle - half > LEAST)
        return middle - half;
    if (middle + half > LEAST)
        return middle + half;
    return 0;
}

// The direction in which a ray goes on. `outside` is the surface's normal, `facing` the one towards the ray.
static __device__ __forceinline__ vec bounce(int kind, vec along, vec outside, vec facing, unsigned &random,
                                             vec &throughput)
{
    if (kind == DIFFUSE) {
        float turn = 2 * PI * random_unit(random), share = random_unit(random), out = sqrtf(share);
        vec axis = fabsf(facing.x) > 0.1f ? vec{0, 1, 0} : vec{1, 0, 0};
        vec u = normal(cross(axis, facing)), v = cross(facing, u);
        return normal(out * cosf(turn) * u + out * sinf(turn) * v + sqrtf(1 - share) * facing);
    }
    vec reflected = along - 2 * dot(outside, along) * outside;
    if (kind == MIRROR)
        return reflected;
    bool enters = dot(outside, facing) > 0;
    float ratio = enters ? 1 / 1.5f : 1.5f, cosine = dot(along, facing);
    float square = 1 - ratio * ratio * (1 - cosine * cosine);
    if (square < 0)
        return reflected;
    vec refracted = normal(ratio * along - (cosine * ratio + sqrtf(square)) * facing);
    float rest = 1 - (enters ? -cosine : -dot(refracted, facing));
    float reflectance = 0.04f + 0.96f * rest * rest * rest * rest * rest; // Schlick's
    float chance = 0.25f + 0.5f * reflectance;
    if (random_unit(random) < chance) {
        throughput = reflectance / chance * throughput;
        return reflected;
    }
    throughput = (1 - reflectance) / (1 - chance) * throughput;
    return refracted;
}

// Blocks of 16x8 pixels.
extern "C" __global__ void trace(camera c, int width, int height, int samples, vec *picture, unsigned *bounces)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int pixel = y * width + x;
    vec sum = {0, 0, 0};
    unsigned count = 0;
    HEDDLE_PREDICT(next_bounce);
#pragma unroll 1
    for (int sample = 0; sample < samples; sample++) {
        unsigned random = (pixel * samples + sample) * 2654435769u + 12345;
        float dx = (x + random_unit(random)) / width - 0.5f, dy = (y + random_unit(random)) / height - 0.5f;
        vec along = normal(c.ahead + dx * c.right + dy * c.down), from = c.at;
        vec throughput = {1, 1, 1}, light = {0, 0, 0};
#pragma unroll 1
        for (int depth = 0; depth < MOST_BOUNCES; depth++) {
            HEDDLE_LABEL(next_bounce);
            float nearest = FAR_AWAY;
            int hit = -1;
#pragma unroll 1
            for (int i = 0; i < SPHERES; i++) {
                float distance = meet(spheres[i], from, along);
                if (distance != 0 && distance < nearest) {
                    nearest = distance;
                    hit = i;
                }
            }
            if (hit < 0)
                break;
            count++;
            const sphere &s = spheres[hit];
            light = light + throughput * s.emission;
            float survival = fmaxf(s.colour.x, fmaxf(s.colour.y, s.colour.z));
            if (random_unit(random) >= survival)
                break;
            throughput = 1 / survival * (throughput * s.colour);
            from = from + nearest * along;
            vec outside = normal(from - s.centre);
            vec facing = dot(outside, along) < 0 ? outside : -1.0f * outside;
            along = bounce(s.kind, along, outside, facing, random, throughput);
        }
        sum = sum + light;
    }
    picture[pixel] = 1.0f / samples * sum;
    bounces[pixel] = count;
}
