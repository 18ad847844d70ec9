// One level of a breadth-first search over a graph in compressed rows: a very divergent loop.
#include "corpus.h"

extern "C" __global__ void bfs_step(const int *rows, const int *edges, const int *level, int *next,
                                    u32 *found, int depth, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    // Bottom-up, so that each vertex is written by its own thread alone.
    if (level[v] >= 0) {
        next[v] = level[v];
        return;
    }
    int mine = -1;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        if (level[edges[e]] == depth) {
            mine = depth + 1;
            break;
        }
    }
    next[v] = mine;
    if (mine >= 0)
        atomicAdd(found, 1u);
}
