// Sparse matrix times vector: a thread a row, and a warp a row.
#include "corpus.h"

extern "C" __global__ void spmv_scalar(const int *rows, const int *columns, const float *values,
                                       const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = rows[row]; k < rows[row + 1]; k++)
        sum = fmaf(values[k], x[columns[k]], sum);
    y[row] = sum;
}

extern "C" __global__ void spmv_warp(const int *rows, const int *columns, const double *values,
                                     const double *x, double *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    for (; row < n; row += gridDim.x * blockDim.x / 32) {
        double sum = 0;
        for (int k = rows[row] + lane; k < rows[row + 1]; k += 32)
            sum = fma(values[k], x[columns[k]], sum);
        for (int by = 16; by > 0; by /= 2)
            sum += __shfl_xor_sync(FULL_WARP, sum, by);
        if (lane == 0)
            y[row] = sum;
    }
}
