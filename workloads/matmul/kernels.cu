// The product of two matrices by tiles. A block of 16x16 threads computes a tile of 16x16 elements, one per thread: it
// goes along a row of tiles of the left matrix and down a column of tiles of the right one, with the two tiles of the
// moment in shared memory. All matrices are stored row by row.

#include "device.h"

enum { TILE = 16 };

// The product has gridDim.y * TILE rows and `columns` columns; `inner` is the number of columns of the left matrix.
extern "C" __global__ void multiply(const float *left, const float *right, float *product, int inner, int columns)
{
    __shared__ float left_tile[TILE][TILE], right_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        left_tile[y][x] = left[row * inner + first + x];
        right_tile[y][x] = right[(first + y) * columns + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += left_tile[y][k] * right_tile[k][x];
        __syncthreads(); // before the next tiles replace these
    }
    product[row * columns + column] = sum;
}
