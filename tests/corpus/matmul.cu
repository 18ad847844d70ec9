// Matrix product: tiled through shared memory with a ragged edge, and the plain loop in double.
#include "corpus.h"

#define TILE 16

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int from = 0; from < k; from += TILE) {
        int x = from + threadIdx.x, y = from + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
        tb[threadIdx.y][threadIdx.x] = y < k && col < n ? b[y * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            sum = fmaf(ta[threadIdx.y][j], tb[j][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

extern "C" __global__ void matmul_double(const double *a, const double *b, double *c, int n)
{
    int row = threadIdx.y, col = threadIdx.x;
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += a[row * n + j] * b[j * n + col];
    c[row * n + col] = sum;
}
