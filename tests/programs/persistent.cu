// A persistent kernel: as many blocks as the device holds at once, a queue of work, and barriers of the whole grid.
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
namespace cg = cooperative_groups;

__device__ unsigned next_item;
__device__ unsigned long long grand_total;

__global__ void __launch_bounds__(64) worker(const int *items, int n, unsigned long long *results, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    __shared__ unsigned item;
    for (int round = 0; round < rounds; round++) {
        while (true) {
            if (threadIdx.x == 0)
                item = atomicAdd(&next_item, 1);
            block.sync();
            unsigned mine = item;
            block.sync();
            if (mine >= (unsigned)n)
                break;
            unsigned long long sum = 0;
            for (int i = threadIdx.x; i < items[mine]; i += blockDim.x)
                sum += (unsigned long long)i * (round + 1);
            auto warp = cg::tiled_partition<32>(block);
            sum = cg::reduce(warp, sum, cg::plus<unsigned long long>());
            if (warp.thread_rank() == 0)
                atomicAdd(&results[mine], sum);
        }
        grid.sync();
        if (grid.thread_rank() == 0)
            next_item = 0;
        grid.sync();
    }
    for (unsigned long long i = grid.thread_rank(); i < (unsigned long long)n; i += grid.size())
        atomicAdd(&grand_total, results[i]);
}

int main()
{
    const int n = 300;
    std::vector<int> items(n);
    numbers random(2);
    unsigned long long expected = 0;
    int rounds = 3;
    for (int &x : items) {
        x = random.below(400);
        expected += 6ull * x * (x - 1ull) / 2 * (x > 0);
    }
    int device = 0, multiprocessors = 0, fit = 0, size = n;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, worker, 64, 0));
    int *d_items;
    unsigned long long *results, total = 0;
    CHECK(cudaMalloc(&d_items, n * sizeof(int)));
    CHECK(cudaMalloc(&results, n * sizeof *results));
    CHECK(cudaMemset(results, 0, n * sizeof *results));
    CHECK(cudaMemcpy(d_items, items.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void *arguments[] = {&d_items, &size, &results, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)worker, dim3(multiprocessors * fit), dim3(64), arguments, 0, 0));
    CHECK_KERNEL();
    CHECK(cudaMemcpyFromSymbol(&total, grand_total, sizeof total));
    printf("total %llu expected %llu\n", total, expected);
    return 0;
}
