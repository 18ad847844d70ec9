// Jacobi's method on a plate with hot and cold edges, until the largest change is small; one reduction per step.
#include "common.cuh"
#include <cmath>
#include <cstring>
#include <vector>

__global__ void relax(const double *from, double *to, int n, unsigned long long *change)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    int i = y * n + x;
    double value = 0.25 * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
    to[i] = value;
    // Not negative, so the bits are ordered as the numbers are.
    atomicMax(change, (unsigned long long)__double_as_longlong(fabs(value - from[i])));
}

int main()
{
    const int n = 34;
    std::vector<double> plate(n * n, 0.0);
    for (int i = 0; i < n; i++) {
        plate[i] = 100;
        plate[i * n] = 50;
    }
    double *a, *b;
    unsigned long long *change, bits = 0;
    CHECK(cudaMalloc(&a, n * n * sizeof(double)));
    CHECK(cudaMalloc(&b, n * n * sizeof(double)));
    CHECK(cudaMalloc(&change, sizeof bits));
    CHECK(cudaMemcpy(a, plate.data(), n * n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, a, n * n * sizeof(double), cudaMemcpyDeviceToDevice));
    int steps = 0;
    double largest = 1e9;
    while (largest > 0.05 && steps < 1000) {
        CHECK(cudaMemset(change, 0, sizeof bits));
        relax<<<dim3(2, 4), dim3(16, 8)>>>(a, b, n, change);
        CHECK(cudaMemcpy(&bits, change, sizeof bits, cudaMemcpyDeviceToHost));
        memcpy(&largest, &bits, sizeof largest);
        std::swap(a, b);
        steps++;
    }
    CHECK(cudaMemcpy(plate.data(), a, n * n * sizeof(double), cudaMemcpyDeviceToHost));
    printf("steps %d centre %.6f corner %.6f\n", steps, plate[n / 2 * n + n / 2], plate[n + 1]);
    return 0;
}
