// Laplace's equation in a box: one Jacobi iteration over a grid of points. A block of 32x4 threads has a column of
// points and marches through it plane by plane (z). Three planes of 34x6 points are in shared memory: those of the
// block with a rim one point wide, which some of the threads fetch besides their own point.

#include "device.h"

enum { WIDTH = 32, HEIGHT = 4, PITCH = WIDTH + 2, PLANE = PITCH * (HEIGHT + 2) };

extern "C" __global__ void jacobi(const float *before, float *after, int columns, int rows, int planes)
{
    __shared__ float tile[3 * PLANE];
    int thread = threadIdx.y * WIDTH + threadIdx.x, stride = columns * rows;

    int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y, point = y * columns + x;
    bool is_inside = x < columns && y < rows;
    int mine = (threadIdx.y + 1) * PITCH + threadIdx.x + 1 + PLANE;

    // The rim: first both rows with their corners, then both columns.
    int rim_x = 0, rim_y = 0;
    bool has_rim = thread < 2 * PITCH + 2 * HEIGHT;
    if (thread < 2 * PITCH) {
        rim_y = thread < PITCH ? 0 : HEIGHT + 1;
        rim_x = thread < PITCH ? thread : thread - PITCH;
    } else {
        rim_y = (thread - 2 * PITCH) / 2 + 1;
        rim_x = (thread - 2 * PITCH) % 2 * (WIDTH + 1);
    }
    int rim = rim_y * PITCH + rim_x + PLANE;
    int far_x = blockIdx.x * WIDTH + rim_x - 1, far_y = blockIdx.y * HEIGHT + rim_y - 1;
    int far_point = far_y * columns + far_x;
    has_rim = has_rim && far_x >= 0 && far_x < columns && far_y >= 0 && far_y < rows;

    if (is_inside)
        tile[mine + PLANE] = before[point];
    if (has_rim)
        tile[rim + PLANE] = before[far_point];

    for (int z = 0; z < planes; z++) {
        if (is_inside) {
            tile[mine - PLANE] = tile[mine];
            tile[mine] = tile[mine + PLANE];
            if (z < planes - 1)
                tile[mine + PLANE] = before[point + stride];
        }
        if (has_rim) {
            tile[rim - PLANE] = tile[rim];
            tile[rim] = tile[rim + PLANE];
            if (z < planes - 1)
                tile[rim + PLANE] = before[far_point + stride];
        }
        __syncthreads();

        if (is_inside) {
            float value;
            if (x == 0 || x == columns - 1 || y == 0 || y == rows - 1 || z == 0 || z == planes - 1)
                value = tile[mine]; // the faces of the box are given
            else
                value = (tile[mine - 1] + tile[mine + 1] + tile[mine - PITCH] + tile[mine + PITCH] +
                         tile[mine - PLANE] + tile[mine + PLANE]) * (1 / 6.0f);
            after[point] = value;
        }
        point += stride;
        far_point += stride;
        __syncthreads();
    }
}
