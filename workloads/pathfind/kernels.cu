// The cheapest path down through a grid of costs, row by row, several rows per launch. A path goes to one of the three
// cells below. A block of 256 threads has 256 neighbouring columns in shared memory. Each row makes the outermost
// column on either side stale, so after `steps` rows the middle is right, and only it is written: blocks overlap by
// 2 * steps columns.

#include "device.h"

enum { THREADS = 256 };

// `before`: the cheapest path to each column down to the row above row `first` of the grid.
extern "C" __global__ void descend(const int *grid, const int *before, int *after, int columns, int first, int steps)
{
    __shared__ int now[THREADS], next[THREADS];
    int me = threadIdx.x, inner = THREADS - 2 * steps, left = inner * blockIdx.x - steps, column = left + me;

    // What of the block is in the grid. A column at the grid's edge is its own neighbour out there.
    int first_in = left < 0 ? -left : 0;
    int last_in = left + THREADS > columns ? columns - 1 - left : THREADS - 1;
    int west = me - 1 < first_in ? first_in : me - 1, east = me + 1 > last_in ? last_in : me + 1;
    bool is_in = me >= first_in && me <= last_in;

    if (column >= 0 && column < columns)
        now[me] = before[column];
    __syncthreads();

    bool is_right = false;
    for (int step = 0; step < steps; step++) {
        is_right = false;
        if (me >= step + 1 && me <= THREADS - step - 2 && is_in) {
            is_right = true;
            int cheapest = min(min(now[west], now[me]), now[east]);
            next[me] = cheapest + grid[columns * (first + step) + column];
        }
        __syncthreads();
        if (step == steps - 1)
            break;
        if (is_right)
            now[me] = next[me];
        __syncthreads();
    }
    if (is_right)
        after[column] = next[me];
}
