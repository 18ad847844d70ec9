// Global alignment of two sequences: the matrix of best scores, in tiles of 16x16 cells. Tiles on one anti-diagonal of
// the matrix do not need each other and are one launch; inside a tile, the cells on an anti-diagonal are one step.
// The matrix has a row and a column more than the sequences have letters, which the host fills.

#include "device.h"

enum { TILE = 16 };

static __device__ __forceinline__ int best_of(int diagonal, int west, int north)
{
    int best;
    if (diagonal <= west)
        best = west;
    else
        best = diagonal;
    if (best <= north)
        return north;
    else
        return best;
}

// The steps of a tile, first those that get longer, then those that get shorter. Thread t has column t in the former;
// in the latter it has row 15 - t.
static __device__ __forceinline__ void fill_tile(int score[TILE + 1][TILE + 1], const int similarity[TILE][TILE],
                                                 int penalty)
{
    int me = threadIdx.x;
    for (int step = 0; step < TILE; step++) {
        if (me <= step) {
            int x = me + 1, y = step - me + 1;
            score[y][x] = best_of(score[y - 1][x - 1] + similarity[y - 1][x - 1], score[y][x - 1] - penalty,
                                  score[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int step = TILE - 2; step >= 0; step--) {
        if (me <= step) {
            int x = me + TILE - step, y = TILE - me;
            score[y][x] = best_of(score[y - 1][x - 1] + similarity[y - 1][x - 1], score[y][x - 1] - penalty,
                                  score[y - 1][x] - penalty);
        }
        __syncthreads();
    }
}

// Blocks of 16 threads. The anti-diagonal has `tiles` tiles and starts at the left edge of the matrix: the upper left
// triangle of the tiles.
extern "C" __global__ void upper_left(const int *similarities, int *scores, int columns, int penalty, int tiles)
{
    __shared__ int score[TILE + 1][TILE + 1], similarity[TILE][TILE];
    int me = threadIdx.x, tile_x = blockIdx.x, tile_y = tiles - 1 - blockIdx.x;
    int corner = columns * TILE * tile_y + TILE * tile_x;

    if (me == 0)
        score[me][0] = scores[corner];
    for (int y = 0; y < TILE; y++)
        similarity[y][me] = similarities[corner + columns * (y + 1) + me + 1];
    __syncthreads();
    score[me + 1][0] = scores[corner + columns * (me + 1)];
    __syncthreads();
    score[0][me + 1] = scores[corner + me + 1];
    __syncthreads();
    fill_tile(score, similarity, penalty);
    for (int y = 0; y < TILE; y++)
        scores[corner + columns * (y + 1) + me + 1] = score[y + 1][me + 1];
}

// Blocks of 16 threads. The anti-diagonal has `tiles` tiles and ends at the right edge of the matrix, which is `width`
// tiles wide: the lower right triangle.
extern "C" __global__ void lower_right(const int *similarities, int *scores, int columns, int penalty, int tiles,
                                       int width)
{
    __shared__ int score[TILE + 1][TILE + 1], similarity[TILE][TILE];
    int me = threadIdx.x, tile_x = blockIdx.x + width - tiles, tile_y = width - 1 - blockIdx.x;
    int corner = columns * TILE * tile_y + TILE * tile_x;

    for (int y = 0; y < TILE; y++)
        similarity[y][me] = similarities[corner + columns * (y + 1) + me + 1];
    __syncthreads();
    if (me == 0)
        score[me][0] = scores[corner];
    score[me + 1][0] = scores[corner + columns * (me + 1)];
    __syncthreads();
    score[0][me + 1] = scores[corner + me + 1];
    __syncthreads();
    fill_tile(score, similarity, penalty);
    for (int y = 0; y < TILE; y++)
        scores[corner + columns * (y + 1) + me + 1] = score[y + 1][me + 1];
}
