// LU decomposition in place, without pivoting, by tiles of 16x16. A step takes one tile of the diagonal apart, solves
// for the tiles right of it and below it, and subtracts their products from the rest of the matrix. These are three
// launches, since each needs all of what the one before wrote.

#include "device.h"

enum { TILE = 16 };

// One block of 16 threads. Thread t has row t of the tile while a column of L is computed, and column t while a row of
// U is.
extern "C" __global__ void factor_diagonal(float *matrix, int side, int first)
{
    __shared__ float tile[TILE][TILE];
    int me = threadIdx.x;

    float *from = matrix + first * side + first;
    for (int row = 0; row < TILE; row++, from += side)
        tile[row][me] = from[me];
    __syncthreads();

    for (int k = 0; k < TILE - 1; k++) {
        if (me > k) {
            for (int j = 0; j < k; j++)
                tile[me][k] -= tile[me][j] * tile[j][k];
            tile[me][k] /= tile[k][k];
        }
        __syncthreads();
        if (me > k)
            for (int j = 0; j < k + 1; j++)
                tile[k + 1][me] -= tile[k + 1][j] * tile[j][me];
        __syncthreads();
    }

    float *to = matrix + (first + 1) * side + first; // the first row is as it was
    for (int row = 1; row < TILE; row++, to += side)
        to[me] = tile[row][me];
}

// Blocks of 32 threads: the first half has a tile right of the diagonal, the second half the tile as far below it. The
// halves share the loads of the tile on the diagonal.
extern "C" __global__ void solve_perimeter(float *matrix, int side, int first)
{
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    int away = (blockIdx.x + 1) * TILE;

    if (threadIdx.x < TILE) {
        int me = threadIdx.x;
        float *from = matrix + first * side + first;
        for (int row = 0; row < TILE / 2; row++, from += side)
            diagonal[row][me] = from[me];
        from = matrix + first * side + first + away;
        for (int row = 0; row < TILE; row++, from += side)
            right[row][me] = from[me];
    } else {
        int me = threadIdx.x - TILE;
        float *from = matrix + (first + TILE / 2) * side + first;
        for (int row = TILE / 2; row < TILE; row++, from += side)
            diagonal[row][me] = from[me];
        from = matrix + (first + away) * side + first;
        for (int row = 0; row < TILE; row++, from += side)
            below[row][me] = from[me];
    }
    __syncthreads();

    if (threadIdx.x < TILE) { // column `me` of the tile at the right: L is known, U is wanted
        int me = threadIdx.x;
        for (int row = 1; row < TILE; row++)
            for (int j = 0; j < row; j++)
                right[row][me] -= diagonal[row][j] * right[j][me];
    } else { // row `me` of the tile below: U is known, L is wanted
        int me = threadIdx.x - TILE;
        for (int column = 0; column < TILE; column++) {
            for (int j = 0; j < column; j++)
                below[me][column] -= below[me][j] * diagonal[j][column];
            below[me][column] /= diagonal[column][column];
        }
    }
    __syncthreads();

    if (threadIdx.x < TILE) {
        int me = threadIdx.x;
        float *to = matrix + (first + 1) * side + first + away; // the first row is as it was
        for (int row = 1; row < TILE; row++, to += side)
            to[me] = right[row][me];
    } else {
        int me = threadIdx.x - TILE;
        float *to = matrix + (first + away) * side + first;
        for (int row = 0; row < TILE; row++, to += side)
            to[me] = below[row][me];
    }
}

// Blocks of 16x16 threads, one per tile of the rest of the matrix, one thread per element.
extern "C" __global__ void update_interior(float *matrix, int side, int first)
{
    __shared__ float right[TILE][TILE], below[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = first + (blockIdx.y + 1) * TILE + y, column = first + (blockIdx.x + 1) * TILE + x;

    right[y][x] = matrix[(first + y) * side + column];
    below[y][x] = matrix[row * side + first + x];
    __syncthreads();

    float sum = 0;
    for (int j = 0; j < TILE; j++)
        sum += below[y][j] * right[j][x];
    matrix[row * side + column] -= sum;
}
