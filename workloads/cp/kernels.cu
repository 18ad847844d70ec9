// The electrostatic potential of point charges on a plane of grid points. A thread has two points, 16 columns apart,
// and goes through all charges, which are in constant memory.

#include "device.h"

enum { WIDTH = 16, HEIGHT = 8, POINTS = 2, MOST_CHARGES = 4000 };

// z is the square of the distance from the plane; w is the charge.
__constant__ float4 charges[MOST_CHARGES];

// Blocks of 16x8 threads. Adds to what is in `potentials`, so that more charges can follow in another launch.
extern "C" __global__ void add_charges(int count, float spacing, float *potentials)
{
    unsigned column = __umul24(blockIdx.x, blockDim.x) * POINTS + threadIdx.x;
    unsigned row = __umul24(blockIdx.y, blockDim.y) + threadIdx.y;
    unsigned place = __umul24(gridDim.x, blockDim.x) * POINTS * row + column;
    float x = spacing * column, y = spacing * row, next = spacing * WIDTH;
    float first = 0, second = 0;
#pragma unroll 1 // as compilers of the time left it
    for (int i = 0; i < count; i++) {
        float dy = y - charges[i].y;
        float dyz = dy * dy + charges[i].z;
        float dx = x - charges[i].x, dx_second = dx + next;
        first += charges[i].w * rsqrtf(dx * dx + dyz);
        second += charges[i].w * rsqrtf(dx_second * dx_second + dyz);
    }
    potentials[place] += first;
    potentials[place + WIDTH] += second;
}
