// Gravity between all pairs of bodies. A block has BODIES columns and ROWS rows of threads: a column is a body, and its
// rows share the work of summing the pull of all others. Each row walks through tiles of BODIES bodies in shared
// memory, other tiles than the other rows; then the rows' sums are added, and the body moves.

#include "device.h"

enum { BODIES = 32, ROWS = 8 };

// The acceleration of a body at `me` by one at `other`, whose mass is in w. `softening` keeps it finite for close ones.
static __device__ __forceinline__ void pull(float4 me, float4 other, float softening, float3 *acceleration)
{
    float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
    float square = x * x + y * y + z * z + softening * softening;
    float inverse = rsqrtf(square);
    float strength = other.w * (inverse * inverse * inverse);
    acceleration->x += x * strength;
    acceleration->y += y * strength;
    acceleration->z += z * strength;
}

// `count` is a multiple of BODIES * ROWS; the grid has count / BODIES blocks.
extern "C" __global__ void step(const float4 *before, float4 *after, float4 *velocities, int count, float softening,
                                float seconds)
{
    __shared__ float4 tile[ROWS][BODIES];
    int x = threadIdx.x, y = threadIdx.y;
    int me = blockIdx.x * BODIES + x, tiles = count / (BODIES * ROWS);
    float4 position = before[me];
    float3 acceleration = make_float3(0, 0, 0);
    for (int t = 0; t < tiles; t++) {
        // Blocks start at different tiles, so that they do not all read the same memory at the same time.
        int from = blockIdx.x + ROWS * t + y;
        from = from < gridDim.x ? from : from - gridDim.x;
        tile[y][x] = before[from * BODIES + x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < BODIES; k++)
            pull(position, tile[y][k], softening, &acceleration);
        __syncthreads(); // before the next tile replaces this one
    }
    tile[y][x] = make_float4(acceleration.x, acceleration.y, acceleration.z, 0);
    __syncthreads();
    if (y == 0) {
        for (int row = 1; row < ROWS; row++) {
            acceleration.x += tile[row][x].x;
            acceleration.y += tile[row][x].y;
            acceleration.z += tile[row][x].z;
        }
        float4 velocity = velocities[me];
        velocity.x += acceleration.x * seconds;
        velocity.y += acceleration.y * seconds;
        velocity.z += acceleration.z * seconds;
        position.x += velocity.x * seconds;
        position.y += velocity.y * seconds;
        position.z += velocity.z * seconds;
        after[me] = position;
        velocities[me] = velocity;
    }
}
