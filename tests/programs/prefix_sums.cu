// Prefix sums of a long array in three kernels (Blelloch's tree within a block), and in one with a chain of blocks.
#include "common.cuh"
#include <vector>

const int BLOCK = 256;

__global__ void scan_blocks(const int *in, int *out, int *totals, int n)
{
    __shared__ int tree[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    tree[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        int index = (t + 1) * step * 2 - 1;
        if (index < BLOCK)
            tree[index] += tree[index - step];
        __syncthreads();
    }
    if (t == 0) {
        totals[blockIdx.x] = tree[BLOCK - 1];
        tree[BLOCK - 1] = 0;
    }
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        int index = (t + 1) * step * 2 - 1;
        if (index < BLOCK) {
            int left = tree[index - step];
            tree[index - step] = tree[index];
            tree[index] += left;
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = tree[t];
}

__global__ void add_totals(int *out, const int *before, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] += before[blockIdx.x];
}

__device__ unsigned next_block;
__device__ volatile int chain[128];
__device__ volatile int ready[128];

__global__ void scan_chained(const int *in, int *out, int n)
{
    __shared__ unsigned block;
    __shared__ int warps[BLOCK / 32], before;
    int t = threadIdx.x;
    if (t == 0)
        block = atomicAdd(&next_block, 1);
    __syncthreads();
    int i = block * BLOCK + t, value = i < n ? in[i] : 0, sum = value;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, step);
        if (t % 32 >= step)
            sum += other;
    }
    if (t % 32 == 31)
        warps[t / 32] = sum;
    __syncthreads();
    int left = 0;
    for (int w = 0; w < t / 32; w++)
        left += warps[w];
    if (t == BLOCK - 1) {
        int previous = 0;
        if (block > 0) {
            while (!ready[block - 1])
                ;
            __threadfence();
            previous = chain[block - 1];
        }
        chain[block] = previous + left + sum;
        __threadfence();
        ready[block] = 1;
        before = previous;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + left + sum - value;
}

int main()
{
    const int n = 10000, blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<int> host(n), expected(n), got(n);
    numbers random(15);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        host[i] = random.below(100);
        expected[i] = sum;
        sum += host[i];
    }
    int *in, *out, *totals, *before, *unused;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMalloc(&totals, BLOCK * sizeof(int)));
    CHECK(cudaMalloc(&before, BLOCK * sizeof(int)));
    CHECK(cudaMalloc(&unused, sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    scan_blocks<<<blocks, BLOCK>>>(in, out, totals, n);
    scan_blocks<<<1, BLOCK>>>(totals, before, unused, blocks);
    add_totals<<<blocks, BLOCK>>>(out, before, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("three kernels right %d last %d\n", got == expected, got[n - 1]);
    CHECK(cudaMemset(out, 0, n * sizeof(int)));
    scan_chained<<<blocks, BLOCK>>>(in, out, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("one kernel right %d last %d\n", got == expected, got[n - 1]);
    return 0;
}
