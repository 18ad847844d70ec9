// Cooperative grids: all blocks meet at grid.sync(), as often as they like; too many blocks are refused.
#include "common.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// One launch sums the whole array: blocks, then the first block.
__global__ void sum_all(const int *in, int n, long long *partial, long long *result)
{
    cg::grid_group grid = cg::this_grid();
    __shared__ long long total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    long long mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        mine += in[i];
    atomicAdd((unsigned long long *)&total, (unsigned long long)mine);
    __syncthreads();
    if (threadIdx.x == 0)
        partial[blockIdx.x] = total;
    grid.sync();
    if (grid.thread_rank() == 0) {
        long long all = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            all += partial[b];
        *result = all;
    }
}

// Diffusion along a ring of integers; every step reads what other blocks wrote in the step before.
__global__ void diffuse(int *a, int *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int s = 0; s < steps; s++) {
        if (i < n)
            b[i] = (a[(i + n - 1) % n] + 2 * a[i] + a[(i + 1) % n]) / 4;
        grid.sync();
        int *swap = a;
        a = b;
        b = swap;
    }
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    printf("cooperative launch %d\n", device.cooperativeLaunch);
    const int n = 5000;
    static int host[n];
    for (int i = 0; i < n; i++)
        host[i] = i * 3 % 1001;
    int *in, size = n;
    long long *partial, *result, sum = 0;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, 64 * sizeof *partial));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    void *arguments[] = {&in, &size, &partial, &result};
    CHECK(cudaLaunchCooperativeKernel((void *)sum_all, dim3(8), dim3(128), arguments, 0, 0));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
    printf("sum %lld\n", sum);

    int ring = 1000, steps = 41, *a, *b, back[1000];
    CHECK(cudaMalloc(&a, ring * sizeof(int)));
    CHECK(cudaMalloc(&b, ring * sizeof(int)));
    CHECK(cudaMemset(a, 0, ring * sizeof(int)));
    int spike = 1 << 20;
    CHECK(cudaMemcpy(a + 10, &spike, sizeof spike, cudaMemcpyHostToDevice));
    void *ring_arguments[] = {&a, &b, &ring, &steps};
    CHECK(cudaLaunchCooperativeKernel(diffuse, dim3(4), dim3(256), ring_arguments));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(back, b, sizeof back, cudaMemcpyDeviceToHost));
    printf("ring %d %d %d fingerprint %08x\n", back[10], back[0], back[990], fingerprint(back, sizeof back));

    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, diffuse, 256, 0));
    dim3 many(fit * device.multiProcessorCount + 1);
    TELL(cudaLaunchCooperativeKernel((void *)diffuse, many, dim3(256), ring_arguments, 0, 0));
    TELL(cudaGetLastError());
    return 0;
}
