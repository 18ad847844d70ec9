// Cooperative groups: the block, tiles of a warp, and collective operations on them.
// compilers: nvcc
#include "corpus.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void coop_groups(const int *in, int *out)
{
    __shared__ int slot[128];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int t = (int)block.thread_rank();
    int x = in[blockIdx.x * blockDim.x + t];
    slot[t] = x;
    block.sync();
    x += slot[127 - t];
    int *o = out + 6 * (blockIdx.x * blockDim.x + t);
    o[0] = tile.shfl_xor(x, 3);
    o[1] = (int)tile.ballot(x > 0) + (int)tile.thread_rank() * 1000;
    o[2] = cg::reduce(tile, x, cg::plus<int>());
    o[3] = cg::reduce(warp, x, cg::greater<int>());
    o[4] = cg::exclusive_scan(tile, x & 15);
    o[5] = tile.any(x > 1900) + 2 * warp.all(x > -1990) + 4 * (int)tile.meta_group_rank();
}
