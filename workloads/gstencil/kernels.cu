// A step of a stencil of seven points in three dimensions, from global memory alone. A thread has one column of the
// grid in z. Points on the faces of the grid keep their values.

#include "device.h"

// Blocks of 32x8 threads.
extern "C" __global__ void step(const float *before, float *after, int columns, int rows, int layers, float center,
                                float around)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, layer = columns * rows;
    if (x > 0 && x < columns - 1 && y > 0 && y < rows - 1) {
#pragma unroll 1 // by four, it would need 40 registers a thread, and one block would fill a core of the fx5800
        for (int z = 1; z < layers - 1; z++) {
            int at = z * layer + y * columns + x;
            after[at] = center * before[at] + around * (before[at - 1] + before[at + 1] + before[at - columns] +
                                                        before[at + columns] + before[at - layer] + before[at + layer]);
        }
    }
}
