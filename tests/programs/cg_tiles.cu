// Cooperative groups within a block: tiles of every size, reductions and scans over them, coalesced and labelled groups.
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <int N> __global__ void tile_sums(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);
    int value = block.thread_rank() + 1;
    int sum = cg::reduce(tile, value, cg::plus<int>());
    int least = cg::reduce(tile, value ^ 5, cg::less<int>());
    int before = cg::exclusive_scan(tile, value, cg::plus<int>());
    out[block.thread_rank()] = sum * 1000 + before + least * 1000000 + tile.meta_group_rank();
}

__global__ void tile_moves(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int me = block.thread_rank();
    int up = tile.shfl_up(me, 1), down = tile.shfl_down(me, 2), swap = tile.shfl_xor(me, 3), first = tile.shfl(me, 0);
    unsigned odd = tile.ballot(me & 1);
    int any = tile.any(me == 13), all = tile.all(me < 16);
    unsigned same = tile.match_any(me % 3);
    out[me] = up + 100 * down + 10000 * swap + first + (int)odd + any * 7 + all * 11 + (int)(same << 20);
}

__global__ void coalesced(int *out, int *counter)
{
    int me = threadIdx.x;
    out[me] = -1;
    if (me % 3 == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(counter, active.size());
        base = active.shfl(base, 0);
        out[me] = active.thread_rank() * 100 + active.size();
        (void)base;
    }
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group same = cg::labeled_partition(warp, me % 4);
    out[me + 64] = cg::reduce(same, me, cg::plus<int>());
    cg::coalesced_group two = cg::binary_partition(warp, me % 5 == 0);
    out[me + 128] = two.size() * 100 + two.thread_rank();
}

__global__ void runtime_tiles(int *out, int size)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group group = cg::tiled_partition(block, size);
    __shared__ int shared[64];
    shared[block.thread_rank()] = block.thread_rank();
    group.sync();
    int sum = 0, start = block.thread_rank() / size * size;
    for (int i = 0; i < (int)group.size(); i++)
        sum += shared[start + i];
    block.sync();
    dim3 index = block.thread_index();
    out[block.thread_rank()] = sum + group.thread_rank() + index.x * 0 + block.size() * 10000;
}

__global__ void block_reduce(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    int most = cg::reduce(cg::tiled_partition<32>(block), (int)(block.thread_rank() * 37 % 64), cg::greater<int>());
    unsigned bits = cg::reduce(cg::tiled_partition<32>(block), 1u << (block.thread_rank() % 7), cg::bit_or<unsigned>());
    int running = cg::inclusive_scan(cg::tiled_partition<16>(block), 1 << (block.thread_rank() % 3));
    out[block.thread_rank()] = most * 1000 + running + (int)(bits << 16);
}

static int *out;
static void show(const char *name, int n)
{
    int host[256];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%s %d %d %d fingerprint %08x\n", name, host[0], host[n / 2 + 1], host[n - 1], fingerprint(host, n * 4));
}

int main()
{
    int *counter, count = 0;
    CHECK(cudaMalloc(&out, 256 * sizeof(int)));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    tile_sums<1><<<1, 64>>>(out);
    show("tile 1", 64);
    tile_sums<2><<<1, 64>>>(out);
    show("tile 2", 64);
    tile_sums<4><<<1, 64>>>(out);
    show("tile 4", 64);
    tile_sums<16><<<1, 64>>>(out);
    show("tile 16", 64);
    tile_sums<32><<<1, 64>>>(out);
    show("tile 32", 64);
    tile_moves<<<1, 64>>>(out);
    show("moves", 64);
    coalesced<<<1, 64>>>(out, counter);
    show("coalesced", 192);
    CHECK(cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost));
    printf("counted %d\n", count);
    runtime_tiles<<<1, dim3(8, 8)>>>(out, 4);
    show("runtime tiles", 64);
    block_reduce<<<1, 64>>>(out);
    show("block reduce", 64);
    return 0;
}
