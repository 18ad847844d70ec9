// Variables of the device, by symbol: copies in all directions, with offsets, asynchronous, and by address.
#include "common.cuh"

struct settings {
    char letter;
    double factor;
    short limits[3];
};

__constant__ int primes[8];
__constant__ settings chosen = {'x', 0.5, {1, 2, 3}};
__device__ int total = 41;
__device__ float matrix[4][4];
static __device__ unsigned long long large = 0x123456789abcdefull;
__device__ int *indirect = &total;
__device__ const char greeting[] = "hello from device memory";
namespace inner
{
__device__ int total = 17;
}
template <typename T> __device__ T generic = T(9);

__global__ void use(int *out)
{
    int i = threadIdx.x;
    out[i] = primes[i] * chosen.limits[i % 3] + (int)(chosen.factor * 10) + chosen.letter;
    matrix[i / 4][i % 4] += i;
    if (i == 0) {
        (*indirect)++;
        inner::total += 100;
        large++;
        generic<int> += 1;
        generic<float> += 0.25f;
    }
}

int main()
{
    const int numbers[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    CHECK(cudaMemcpyToSymbol(primes, numbers, sizeof numbers));
    const int other[2] = {23, 29};
    CHECK(cudaMemcpyToSymbol(primes, other, sizeof other, 2 * sizeof(int), cudaMemcpyHostToDevice));
    settings s = {'a', 2.5, {10, 20, 30}};
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyToSymbolAsync(chosen, &s, sizeof s, 0, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));

    int *out, host[8];
    CHECK(cudaMalloc(&out, sizeof host));
    use<<<1, 8>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        printf("out[%d] %d\n", i, host[i]);

    int value = 0, inner_value = 0, g = 0;
    float gf = 0, cell = 0, row[4];
    unsigned long long big = 0;
    char text[sizeof greeting];
    CHECK(cudaMemcpyFromSymbol(&value, total, sizeof value));
    CHECK(cudaMemcpyFromSymbol(&inner_value, inner::total, sizeof value));
    CHECK(cudaMemcpyFromSymbol(&big, large, sizeof big));
    CHECK(cudaMemcpyFromSymbol(&g, generic<int>, sizeof g));
    CHECK(cudaMemcpyFromSymbol(&gf, generic<float>, sizeof gf));
    CHECK(cudaMemcpyFromSymbol(text, greeting, sizeof text));
    CHECK(cudaMemcpyFromSymbol(&cell, matrix, sizeof cell, 5 * sizeof(float)));
    CHECK(cudaMemcpyFromSymbolAsync(row, matrix, sizeof row, 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("total %d inner %d large %llx generic %d %g\n", value, inner_value, big, g, gf);
    printf("text %s\n", text);
    printf("cell %g row %g %g %g %g\n", cell, row[0], row[1], row[2], row[3]);

    void *address;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, matrix));
    CHECK(cudaGetSymbolSize(&size, matrix));
    printf("size %zu\n", size);
    CHECK(cudaGetSymbolSize(&size, chosen));
    printf("size %zu\n", size);
    CHECK(cudaMemset(address, 0, sizeof(float) * 16));
    CHECK(cudaMemcpyFromSymbol(&cell, matrix, sizeof cell, 7 * sizeof(float)));
    printf("cleared %g\n", cell);
    // From a symbol to another place on the device.
    CHECK(cudaMemcpyFromSymbol(out, primes, sizeof host, 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyToSymbol(primes, out + 1, sizeof(int), 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyFromSymbol(host, primes, sizeof host));
    printf("primes %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    CHECK(cudaFree(out));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
