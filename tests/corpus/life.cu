// Conway's game of life on a torus of bytes, several generations in shared memory.
#include "corpus.h"

extern "C" __global__ void life(const u8 *in, u8 *out, int generations)
{
    __shared__ u8 world[2][16][32];
    int x = threadIdx.x, y = threadIdx.y, now = 0;
    world[0][y][x] = in[y * 32 + x] & 1;
    __syncthreads();
    for (int g = 0; g < generations; g++) {
        int neighbours = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (dx || dy)
                    neighbours += world[now][(y + dy) & 15][(x + dx) & 31];
        bool alive = world[now][y][x];
        world[!now][y][x] = neighbours == 3 || (alive && neighbours == 2);
        now = !now;
        __syncthreads();
    }
    out[y * 32 + x] = world[now][y][x] ? '#' : '.';
}
