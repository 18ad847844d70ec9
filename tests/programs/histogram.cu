// Histograms of bytes: atomics on global memory, on shared memory, and one private copy per warp.
#include "common.cuh"
#include <vector>

__global__ void by_global(const unsigned char *in, int n, unsigned *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
}

__global__ void by_shared(const unsigned char *in, int n, unsigned *bins)
{
    __shared__ unsigned mine[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (mine[b])
            atomicAdd(&bins[b], mine[b]);
}

__global__ void by_warp(const unsigned *in, int words, unsigned *bins)
{
    __shared__ unsigned copies[4][256];
    int warp = threadIdx.x / 32;
    for (int b = threadIdx.x; b < 4 * 256; b += blockDim.x)
        ((unsigned *)copies)[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned word = in[i];
        for (int byte = 0; byte < 4; byte++, word >>= 8)
            atomicAdd(&copies[warp][word & 255], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], copies[0][b] + copies[1][b] + copies[2][b] + copies[3][b]);
}

int main()
{
    const int n = 40000;
    std::vector<unsigned char> text(n);
    std::vector<unsigned> expected(256), bins(256);
    numbers random(6);
    for (unsigned char &c : text) {
        c = random.below(256) * random.below(256) / 256;
        expected[c]++;
    }
    unsigned char *in;
    unsigned *out;
    CHECK(cudaMalloc(&in, n));
    CHECK(cudaMalloc(&out, 256 * sizeof *out));
    CHECK(cudaMemcpy(in, text.data(), n, cudaMemcpyHostToDevice));
    for (int kind = 0; kind < 3; kind++) {
        CHECK(cudaMemset(out, 0, 256 * sizeof *out));
        if (kind == 0)
            by_global<<<16, 128>>>(in, n, out);
        else if (kind == 1)
            by_shared<<<16, 128>>>(in, n, out);
        else
            by_warp<<<16, 128>>>((const unsigned *)in, n / 4, out);
        CHECK_KERNEL();
        CHECK(cudaMemcpy(bins.data(), out, 256 * sizeof *out, cudaMemcpyDeviceToHost));
        printf("kind %d right %d bins %u %u %u\n", kind, bins == expected, bins[0], bins[17], bins[200]);
    }
    return 0;
}
