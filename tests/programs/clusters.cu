// Clusters: shared memory of other blocks, the barrier of the cluster, and launches that ask for clusters.
#include "common.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 2, 1) hist(const int *in, int *out)
{
    extern __shared__ int s[];
    auto c = cg::this_cluster();
    unsigned r = c.block_rank();
    s[threadIdx.x] = in[threadIdx.x] * (r + 1);
    c.sync();
    int sum = 0;
    for (unsigned k = 0; k < c.num_blocks(); k++) {
        int *p = c.map_shared_rank(s, k);
        sum += p[(threadIdx.x + k) & 63];
    }
    atomicAdd(c.map_shared_rank(s, (r + 1) % 4) + 64, sum & 255);
    c.sync();
    unsigned id = blockIdx.x + gridDim.x * blockIdx.y;
    out[id * 65 + threadIdx.x] = sum;
    if (threadIdx.x == 0)
        out[id * 65 + 64] = s[64];
    if (c.map_shared_rank(s, r) != s)
        out[id * 65] = -1;
    c.sync();
}
__global__ void attr(int *out)
{
    auto c = cg::this_cluster();
    __shared__ int v;
    if (!threadIdx.x)
        v = blockIdx.x * 10;
    c.sync();
    out[blockIdx.x * 32 + threadIdx.x] = *c.map_shared_rank(&v, (c.block_rank() + 1) % c.num_blocks()) + c.num_blocks();
    c.sync();
}
int main()
{
    int *a, *b;
    CHECK(cudaMallocManaged(&a, 4096 * 4));
    CHECK(cudaMallocManaged(&b, 4096 * 4));
    for (int i = 0; i < 4096; i++)
        a[i] = i * 7 + 1;
    hist<<<dim3(4, 4), 64, 65 * 4>>>(a, b);
    CHECK_KERNEL();
    printf("hist");
    unsigned h = 0;
    for (int i = 0; i < 16 * 65; i++)
        h = h * 31 + b[i];
    printf(" %u %d %d\n", h, b[0], b[64]);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 8;
    cfg.blockDim = 32;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = 4;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&cfg, attr, b));
    CHECK_KERNEL();
    printf("attr: ");
    for (int i = 0; i < 8; i++)
        printf("%d ", b[i * 32]);
    printf("\n");
    int n = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&n, attr, &cfg));
    printf("largest cluster %d\n", n);
    at[0].val.clusterDim.x = 3;
    TELL(cudaLaunchKernelEx(&cfg, attr, b));
}
