// Copies to shared memory that the thread does not wait for: memcpy_async with groups, pipelines and barriers.
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void by_group(const int *in, int *out, int n)
{
    __shared__ int tile[128];
    cg::thread_block block = cg::this_thread_block();
    int sum = 0;
    for (int start = 0; start < n; start += 128) {
        cg::memcpy_async(block, tile, in + start, sizeof tile);
        cg::wait(block);
        sum += tile[(threadIdx.x + 1) % 128] * 3;
        block.sync();
    }
    out[threadIdx.x] = sum;
}

__global__ void by_pipeline(const int *in, int *out, int n)
{
    const int stages = 2;
    __shared__ int tiles[stages][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int batches = n / 128, sum = 0, fetched = 0;
    for (int batch = 0; batch < batches; batch++) {
        for (; fetched < batches && fetched < batch + stages; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tiles[fetched % stages], in + fetched * 128, sizeof tiles[0], pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tiles[batch % stages][127 - threadIdx.x] * (batch + 1);
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void by_barrier(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ int4 tile[128];
    if (threadIdx.x == 0)
        init(&ready, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], (const int4 *)in + threadIdx.x, cuda::aligned_size_t<16>(16), ready);
    ready.arrive_and_wait();
    int4 other = tile[(threadIdx.x * 5) % 128];
    out[threadIdx.x] = other.x + other.y * 2 + other.z * 3 + other.w * 4;
}

__global__ void by_thread(const int *in, int *out)
{
    __shared__ int tile[128];
    auto pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x * 4, sizeof(int), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
    pipeline.consumer_release();
}

static int *out;
static void show(const char *name)
{
    int host[128];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s %d %d fingerprint %08x\n", name, host[0], host[127], fingerprint(host, sizeof host));
}

int main()
{
    const int n = 128 * 8;
    int host[n], *in;
    for (int i = 0; i < n; i++)
        host[i] = i * i % 777;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    by_group<<<1, 128>>>(in, out, n);
    show("group");
    by_pipeline<<<1, 128>>>(in, out, n);
    show("pipeline");
    by_barrier<<<1, 128>>>(in, out);
    show("barrier");
    by_thread<<<1, 128>>>(in, out);
    show("thread");
    return 0;
}
