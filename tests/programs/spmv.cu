// A sparse matrix times a vector: one thread per row, and one warp per row; the rows differ much in length.
#include "common.cuh"
#include <vector>

__global__ void by_thread(const int *rows, const int *columns, const float *values, const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int e = rows[row]; e < rows[row + 1]; e++)
        sum += values[e] * __ldg(&x[columns[e]]);
    y[row] = sum;
}

__global__ void by_warp(const int *__restrict__ rows, const int *__restrict__ columns, const float *__restrict__ values,
                        const float *__restrict__ x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    float sum = 0;
    for (int e = rows[row] + lane; e < rows[row + 1]; e += 32)
        sum += values[e] * x[columns[e]];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}

int main()
{
    const int n = 1000;
    std::vector<int> rows(1), columns;
    std::vector<float> values, x(n), y(n), z(n), expected(n);
    numbers random(17);
    for (int i = 0; i < n; i++) {
        x[i] = (float)random.below(100);
        int length = i % 97 == 0 ? 300 : random.below(12);
        for (int e = 0; e < length; e++) {
            columns.push_back(random.below(n));
            values.push_back((float)random.below(20) - 10);
        }
        rows.push_back(columns.size());
    }
    // Whole numbers below 2^24: exact in any order.
    for (int i = 0; i < n; i++)
        for (int e = rows[i]; e < rows[i + 1]; e++)
            expected[i] += values[e] * x[columns[e]];
    int *d_rows, *d_columns;
    float *d_values, *d_x, *d_y;
    CHECK(cudaMalloc(&d_rows, rows.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_columns, columns.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_values, values.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMalloc(&d_y, n * sizeof(float)));
    CHECK(cudaMemcpy(d_rows, rows.data(), rows.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_columns, columns.data(), columns.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    by_thread<<<(n + 127) / 128, 128>>>(d_rows, d_columns, d_values, d_x, d_y, n);
    CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
    by_warp<<<(n * 32 + 127) / 128, 128>>>(d_rows, d_columns, d_values, d_x, d_y, n);
    CHECK(cudaMemcpy(z.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("entries %zu thread %d warp %d y[97] %g\n", values.size(), y == expected, z == expected, y[97]);
    return 0;
}
