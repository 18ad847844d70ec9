// Counting the solutions of the queens problem by backtracking on an explicit stack, one subtree a thread.
#include "corpus.h"

extern "C" __global__ void queens(u32 *out, int size)
{
    int first = threadIdx.x % size, second = threadIdx.x / size;
    u32 all = (1u << size) - 1;
    u32 columns[12], left[12], right[12], open[12];
    u32 a = 1u << first, b = 1u << second, solutions = 0;
    if (second >= size || (b & (a | a << 1 | a >> 1))) {
        out[threadIdx.x] = 0;
        return;
    }
    int row = 2;
    columns[2] = a | b;
    left[2] = a << 2 | b << 1;
    right[2] = a >> 2 | b >> 1;
    open[2] = all & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
        if (open[row] == 0) {
            row--;
            continue;
        }
        u32 bit = open[row] & (0u - open[row]);
        open[row] ^= bit;
        if (row == size - 1) {
            solutions++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    out[threadIdx.x] = solutions;
}
