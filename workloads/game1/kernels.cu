// Ambient occlusion in screen space: how much of the sky a pixel sees, judged by the depths of the pixels around it;
// then a blur that stops at edges of depth, along rows and along columns. One thread per pixel.

#include "device.h"

enum { TAPS = 16, BLUR_REACH = 4 };

__constant__ int2 taps[TAPS];                    // pixels to look at, relative to the pixel itself
__constant__ float blur_weights[BLUR_REACH + 1]; // by distance

struct camera {
    int width, height;
    float pixel;                    // side of a pixel at depth 1
    float middle_x, middle_y;       // the pixel on the axis of view
    float bias, softness, strength; // of the occlusion
    float edge;                     // how fast a difference of depths ends the blur
};

static __device__ __forceinline__ float3 find_position(const camera &c, int x, int y, float depth)
{
    float scale = depth * c.pixel;
    return make_float3((x - c.middle_x) * scale, (y - c.middle_y) * scale, depth);
}

// normals: x and y; z follows, since normals have length 1 and point to the camera (z is negative).
extern "C" __global__ void occlude(const float *depths, const float2 *normals, float *light, camera c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= c.width || y >= c.height)
        return;
    int me = y * c.width + x;
    float3 here = find_position(c, x, y, depths[me]);
    float2 n = normals[me];
    float n_z = -sqrtf(fmaxf(1 - n.x * n.x - n.y * n.y, 0));
    float least = c.bias * here.z, sum = 0;
    for (int i = 0; i < TAPS; i++) {
        int at_x = min(max(x + taps[i].x, 0), c.width - 1), at_y = min(max(y + taps[i].y, 0), c.height - 1);
        float3 there = find_position(c, at_x, at_y, depths[at_y * c.width + at_x]);
        float to_x = there.x - here.x, to_y = there.y - here.y, to_z = there.z - here.z;
        float above = to_x * n.x + to_y * n.y + to_z * n_z - least; // over the surface by so much
        sum += fmaxf(above, 0) / (to_x * to_x + to_y * to_y + to_z * to_z + c.softness);
    }
    light[me] = fmaxf(1 - c.strength / TAPS * sum, 0);
}

// One axis at a time: (step_x, step_y) is (1, 0) or (0, 1).
extern "C" __global__ void blur(const float *depths, const float *light, float *blurred, camera c, int step_x,
                                int step_y)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= c.width || y >= c.height)
        return;
    int me = y * c.width + x;
    float depth = depths[me], sum = 0, weights = 0;
    for (int i = -BLUR_REACH; i <= BLUR_REACH; i++) {
        int at_x = min(max(x + i * step_x, 0), c.width - 1), at_y = min(max(y + i * step_y, 0), c.height - 1);
        int at = at_y * c.width + at_x;
        float weight = blur_weights[abs(i)] * fmaxf(1 - c.edge * fabsf(depths[at] - depth), 0);
        sum += weight * light[at];
        weights += weight;
    }
    blurred[me] = sum / weights;
}
