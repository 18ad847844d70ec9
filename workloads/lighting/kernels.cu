// Clustered deferred lighting of a game's picture: one thread per pixel reads what an earlier pass left of the surface
// there, finds the pixel's cluster by tile and depth, and adds up the lights of the cluster's list: points, spots and
// suns, the latter two with shadow maps. All is in the camera's space: x right, y up, z forward.

#include "vector.cuh"

enum kind { POINT, SPOT, SUN };
enum { TILE = 16, SLICES = 8, MAP_SIDE = 64, NO_MAP = -1 };

#define NEAREST       1.0f // where the first slice of clusters begins; each slice is as deep as all before it
#define SHADOW_OFFSET 0.05f
#define AMBIENT       0.04f

struct light {
    float3 at;
    float range; // no light behind it
    float3 way;  // of spots and suns
    int kind;
    float3 colour;
    float outer; // of spots: the cosine of the angle at which light ends
    float inner; // the cosine at which it begins to fade
    int map;     // number of the shadow map, or NO_MAP
    int unused[2];
};

struct shadow {       // how a map is laid out
    float3 right, up; // across the light's way
    float scale;      // from what is along them to the map's side, half of which is 1
    int is_parallel;  // a sun's: not divided by the distance
};

struct frame {
    const float4 *normals; // of each pixel; in the last place the gloss
    const float4 *colours; // in the last place the depth; 0: sky
    const light *lights;
    const int *cluster_first; // of each cluster, and one more: its lights in cluster_lights
    const int *cluster_lights;
    const shadow *shadows;
    const float *maps;
    float3 sky;
    float pixel; // width of a pixel at depth 1
    int width, height, tiles_x;
};

__device__ __forceinline__ int slice_of(float depth)
{
    int slice = 0;
#pragma unroll 1
    for (float end = 2 * NEAREST; slice < SLICES - 1 && depth >= end; end *= 2)
        slice++;
    return slice;
}

// The share of four texels around the point whose caster is not in front of the point.
__device__ __forceinline__ float lit_share(const frame &f, const light &l, float3 at)
{
    shadow s = f.shadows[l.map];
    float3 from_light = at - l.at;
    float depth = dot(from_light, l.way), scale = s.is_parallel ? s.scale : s.scale / depth;
    float u = (dot(from_light, s.right) * scale + 1) * (MAP_SIDE / 2) - 0.5f;
    float v = (dot(from_light, s.up) * scale + 1) * (MAP_SIDE / 2) - 0.5f;
    int column = (int)floorf(u), row = (int)floorf(v), lit = 0;
    if (column < 0 || column >= MAP_SIDE - 1 || row < 0 || row >= MAP_SIDE - 1)
        return 1;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        float caster = f.maps[(l.map * MAP_SIDE + row + i / 2) * MAP_SIDE + column + i % 2];
        if (depth <= caster + SHADOW_OFFSET)
            lit++;
    }
    return 0.25f * (float)lit;
}

// Blocks of 16x8. The image gets each pixel's light and, in the last place, the number of its cluster; -1: sky.
extern "C" __global__ void lighting(frame f, float4 *image)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    int pixel = y * f.width + x;
    float4 colour_depth = f.colours[pixel];
    float depth = colour_depth.w;
    if (depth == 0) {
        image[pixel] = make_float4(f.sky.x, f.sky.y, f.sky.z, -1);
        return;
    }
    float4 normal_gloss = f.normals[pixel];
    float3 normal = xyz(normal_gloss), colour = xyz(colour_depth);
    float3 at = depth * make_float3(((float)x - 0.5f * (float)f.width) * f.pixel,
                                    (0.5f * (float)f.height - (float)y) * f.pixel, 1);
    float3 to_eye = -rsqrtf(dot(at, at)) * at;
    int cluster = ((y / TILE) * f.tiles_x + x / TILE) * SLICES + slice_of(depth);
    float3 sum = AMBIENT * colour;
#pragma unroll 1
    for (int i = f.cluster_first[cluster]; i < f.cluster_first[cluster + 1]; i++) {
        light l = f.lights[f.cluster_lights[i]];
        float3 to_light;
        float strength = 1;
        switch (l.kind) {
        case SUN:
            to_light = -1 * l.way;
            break;
        case SPOT:
        case POINT:
        default:
            to_light = l.at - at;
            float squared = dot(to_light, to_light);
            if (squared >= l.range * l.range)
                continue;
            to_light = rsqrtf(squared) * to_light;
            strength = 1 - squared / (l.range * l.range);
            strength = strength * strength / (1 + squared);
            if (l.kind == SPOT) {
                float cosine = -dot(to_light, l.way);
                if (cosine <= l.outer)
                    continue;
                if (cosine < l.inner) {
                    float share = (cosine - l.outer) / (l.inner - l.outer);
                    strength *= share * share * (3 - 2 * share);
                }
            }
        }
        float facing = dot(to_light, normal);
        if (facing <= 0)
            continue;
        if (l.map != NO_MAP) {
            strength *= lit_share(f, l, at);
            if (strength == 0)
                continue;
        }
        float3 middle = to_light + to_eye;
        float shine = dot(middle, normal) * rsqrtf(dot(middle, middle)), glare = 0;
        if (normal_gloss.w > 0 && shine > 0)
            glare = 0.04f * exp2f(normal_gloss.w * log2f(shine));
        sum = sum + strength * facing * l.colour * (colour + make_float3(glare, glare, glare));
    }
    image[pixel] = make_float4(sum.x, sum.y, sum.z, (float)cluster);
}
