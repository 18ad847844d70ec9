// The ladder of reductions: from divergent branches to shuffles, all with one answer.
#include "common.cuh"
#include <vector>

__global__ void divergent(const int *in, int *out, int n)
{
    extern __shared__ int data[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    data[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < (int)blockDim.x; step *= 2) {
        if (t % (2 * step) == 0)
            data[t] += data[t + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, data[0]);
}

__global__ void strided(const int *in, int *out, int n)
{
    extern __shared__ int data[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    data[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < (int)blockDim.x; step *= 2) {
        int index = 2 * step * t;
        if (index < (int)blockDim.x)
            data[index] += data[index + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, data[0]);
}

__global__ void sequential(const int *in, int *out, int n)
{
    extern __shared__ int data[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    data[t] = (i < n ? in[i] : 0) + (i + (int)blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            data[t] += data[t + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, data[0]);
}

template <int BLOCK> __global__ void unrolled(const int *in, int *out, int n)
{
    __shared__ int data[BLOCK];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += BLOCK * gridDim.x)
        sum += in[i];
    data[t] = sum;
    __syncthreads();
    if (BLOCK >= 256 && t < 128)
        data[t] += data[t + 128];
    __syncthreads();
    if (BLOCK >= 128 && t < 64)
        data[t] += data[t + 64];
    __syncthreads();
    if (t < 32) {
        sum = data[t] + data[t + 32];
        for (int step = 16; step; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
        if (t == 0)
            atomicAdd(out, sum);
    }
}

__global__ void by_warps(const int4 *in, int *out, int quads)
{
    __shared__ int sums[32];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < quads; i += blockDim.x * gridDim.x) {
        int4 four = in[i];
        sum += four.x + four.y + four.z + four.w;
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < (int)blockDim.x / 32 ? sums[t] : 0;
        for (int step = 16; step; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        if (t == 0)
            atomicAdd(out, sum);
    }
}

int main()
{
    const int n = 20000, block = 256;
    std::vector<int> host(n);
    numbers random(8);
    int expected = 0;
    for (int &x : host)
        expected += x = random.below(2000) - 1000;
    int *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, 5 * sizeof(int)));
    CHECK(cudaMemset(out, 0, 5 * sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int blocks = (n + block - 1) / block;
    divergent<<<blocks, block, block * sizeof(int)>>>(in, out, n);
    strided<<<blocks, block, block * sizeof(int)>>>(in, out + 1, n);
    sequential<<<(blocks + 1) / 2, block, block * sizeof(int)>>>(in, out + 2, n);
    unrolled<block><<<10, block>>>(in, out + 3, n);
    by_warps<<<8, block>>>((const int4 *)in, out + 4, n / 4);
    CHECK_KERNEL();
    int results[5];
    CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    printf("expected %d\n", expected);
    for (int r : results)
        printf("%d\n", r);
    return 0;
}
