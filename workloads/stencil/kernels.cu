// A step of a stencil of seven points in three dimensions. A block has a tile of 64x4 columns of the grid in z: the
// current layer is in shared memory, and each thread keeps its points of the layer below in registers. A thread has two
// columns, 32 apart. What is outside of the tile is read from global memory.

#include "device.h"

enum { HALF = 32, WIDTH = 2 * HALF, HEIGHT = 4 };

// Blocks of 32x4 threads.
extern "C" __global__ void step(const float *before, float *after, int columns, int rows, int layers, float center,
                                float around)
{
    __shared__ float tile[HEIGHT][WIDTH];
    int tx = threadIdx.x, tx2 = tx + HALF, ty = threadIdx.y, layer = columns * rows;
    int x = blockIdx.x * WIDTH + tx, x2 = x + HALF, y = blockIdx.y * HEIGHT + ty;
    tile[ty][tx] = 0;
    tile[ty][tx2] = 0;
    __syncthreads();

    bool is_inside = x > 0 && y > 0 && x < columns - 1 && y < rows - 1;
    bool is_inside2 = y > 0 && x2 < columns - 1 && y < rows - 1;
    bool is_first = tx == 0, is_last = tx2 == WIDTH - 1, is_top = ty == 0, is_bottom = ty == HEIGHT - 1;
    int at = y * columns + x, at2 = at + HALF; // in the first layer
    float below = 0, below2 = 0, above = 0, above2 = 0;
    if (x < columns && y < rows) {
        below = before[at];
        tile[ty][tx] = before[at + layer];
    }
    if (x2 < columns && y < rows) {
        below2 = before[at2];
        tile[ty][tx2] = before[at2 + layer];
    }
    __syncthreads();

    for (int z = 1; z < layers - 1; z++) {
        at += layer;
        at2 += layer;
        if (x < columns && y < rows)
            above = before[at + layer];
        if (is_inside) {
            float west = is_first ? before[at - 1] : tile[ty][tx - 1];
            float north = is_top ? before[at - columns] : tile[ty - 1][tx];
            float south = is_bottom ? before[at + columns] : tile[ty + 1][tx];
            after[at] = (west + tile[ty][tx + 1] + south + north + above + below) * around - tile[ty][tx] * center;
        }
        if (x2 < columns && y < rows)
            above2 = before[at2 + layer];
        if (is_inside2) {
            float east = is_last ? before[at2 + 1] : tile[ty][tx2 + 1];
            float north = is_top ? before[at2 - columns] : tile[ty - 1][tx2];
            float south = is_bottom ? before[at2 + columns] : tile[ty + 1][tx2];
            after[at2] = (east + tile[ty][tx2 - 1] + south + north + above2 + below2) * around - tile[ty][tx2] * center;
        }
        __syncthreads();
        below = tile[ty][tx];
        tile[ty][tx] = above;
        below2 = tile[ty][tx2];
        tile[ty][tx2] = above2;
        __syncthreads();
    }
}
