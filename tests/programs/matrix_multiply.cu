// Matrix product with tiles in shared memory, beside the plain one; integers and reals, sizes that no tile divides.
#include "common.cuh"
#include <vector>

const int TILE = 16;

template <typename T> __global__ void plain(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    T sum = 0;
    for (int k = 0; k < inner; k++)
        sum += a[y * inner + k] * b[k * columns + x];
    c[y * columns + x] = sum;
}

template <typename T> __global__ void tiled(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    __shared__ T left[TILE][TILE], right[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    T sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        int k = start + threadIdx.x, l = start + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = y < rows && k < inner ? a[y * inner + k] : T(0);
        right[threadIdx.y][threadIdx.x] = l < inner && x < columns ? b[l * columns + x] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (x < columns && y < rows)
        c[y * columns + x] = sum;
}

template <typename T> static void multiply(const char *name)
{
    const int rows = 70, inner = 50, columns = 90;
    std::vector<T> a(rows * inner), b(inner * columns), c(rows * columns), d(rows * columns), e(rows * columns);
    numbers random(1);
    for (T &x : a)
        x = (T)((int)random.below(20) - 10);
    for (T &x : b)
        x = (T)((int)random.below(20) - 10);
    T *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * sizeof(T)));
    CHECK(cudaMalloc(&db, b.size() * sizeof(T)));
    CHECK(cudaMalloc(&dc, c.size() * sizeof(T)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    dim3 block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    plain<<<grid, block>>>(da, db, dc, rows, inner, columns);
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost));
    tiled<<<grid, block>>>(da, db, dc, rows, inner, columns);
    CHECK(cudaMemcpy(d.data(), dc, d.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
            for (int k = 0; k < inner; k++)
                e[y * columns + x] += a[y * inner + k] * b[k * columns + x];
    double sum = 0;
    for (T x : c)
        sum += (double)x;
    printf("%s plain %d tiled %d sum %.0f\n", name, c == e, d == e, sum);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

int main()
{
    multiply<int>("int");
    multiply<float>("float");
    multiply<double>("double");
    return 0;
}
