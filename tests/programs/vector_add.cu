// The first program everyone writes: allocate, copy, launch, copy back; and the same with a stride loop.
#include "common.cuh"

__global__ void add(const int *a, const int *b, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void add_strided(const int *a, const int *b, int *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

__global__ void nothing() {}

int main()
{
    const int n = 10000;
    static int a[n], b[n], c[n];
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i + 1;
    }
    int *da, *db, *dc;
    CHECK(cudaMalloc(&da, sizeof a));
    CHECK(cudaMalloc((void **)&db, sizeof b));
    CHECK(cudaMalloc(&dc, sizeof c));
    CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += c[i];
    printf("sum %lld\n", sum);

    CHECK(cudaMemset(dc, 0xff, sizeof c));
    CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    printf("after memset %d %d\n", c[0], c[n - 1]);
    add_strided<<<dim3(3, 1, 1), dim3(64, 1, 1), 0, 0>>>(da, db, dc, n);
    nothing<<<1, 1>>>();
    CHECK_KERNEL();
    CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    sum = 0;
    for (int i = 0; i < n; i++)
        sum += c[i] == 3 * i + 1;
    printf("right %lld of %d\n", sum, n);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    CHECK(cudaFree(NULL));
    return 0;
}
