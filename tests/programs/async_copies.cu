// Asynchronous copies of the CUDA C++ library: memcpy_async of groups and threads, barriers, pipelines.
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void k1(const int *in, int *out)
{
    __shared__ alignas(16) int s[256];
    auto b = cg::this_thread_block();
    cg::memcpy_async(b, s, in + blockIdx.x * 256, sizeof(int) * 256);
    cg::wait(b);
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x] * 2;
}
__global__ void k2(const int *in, int *out)
{
    __shared__ alignas(16) int s[2][256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto b = cg::this_thread_block();
    if (b.thread_rank() == 0)
        init(&bar, b.size());
    b.sync();
    for (int i = 0; i < 4; i++) {
        cuda::memcpy_async(b, s[i & 1], in + (blockIdx.x * 4 + i) * 256, cuda::aligned_size_t<16>(1024), bar);
        bar.arrive_and_wait();
        out[(blockIdx.x * 4 + i) * 256 + threadIdx.x] = s[i & 1][threadIdx.x ^ 1] + i;
        b.sync();
    }
}
__global__ void k3(const int *in, int *out)
{
    __shared__ int s[2 * 256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto b = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(b, &st);
    for (int f = 0, c = 0; c < 4; c++) {
        for (; f < 4 && f < c + 2; f++) {
            pipe.producer_acquire();
            cuda::memcpy_async(b, s + (f % 2) * 256, in + f * 256, sizeof(int) * 256, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[c * 256 + threadIdx.x] = s[(c % 2) * 256 + 255 - threadIdx.x];
        pipe.consumer_release();
    }
}
__global__ void k4(const int *in, int *out)
{
    __shared__ int s[2 * 256];
    auto pipe = cuda::make_pipeline();
    auto t = cg::this_thread();
    int f = 0;
    for (int c = 0; c < 4; c++) {
        for (; f < 4 && f < c + 2; f++) {
            pipe.producer_acquire();
            cuda::memcpy_async(s + (f % 2) * 256 + threadIdx.x, in + f * 256 + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        out[c * 256 + threadIdx.x] = s[(c % 2) * 256 + 255 - threadIdx.x];
        __syncthreads();
        pipe.consumer_release();
    }
}
int main()
{
    int *a, *b;
    CHECK(cudaMallocManaged(&a, 4096 * 4));
    CHECK(cudaMallocManaged(&b, 4096 * 4));
    for (int i = 0; i < 4096; i++)
        a[i] = i * 7 + 1;
    int bad = 0;
    k1<<<4, 256>>>(a, b);
    CHECK_KERNEL();
    for (int i = 0; i < 1024; i++)
        bad += b[i] != a[(i & ~255) + 255 - (i & 255)] * 2;
    fact("k1", !bad);
    bad = 0;
    k2<<<2, 256>>>(a, b);
    CHECK_KERNEL();
    for (int i = 0; i < 2048; i++)
        bad += b[i] != a[i ^ 1] + ((i >> 8) & 3);
    fact("k2", !bad);
    bad = 0;
    k3<<<1, 256>>>(a, b);
    CHECK_KERNEL();
    for (int i = 0; i < 1024; i++)
        bad += b[i] != a[(i & ~255) + 255 - (i & 255)];
    fact("k3", !bad);
    bad = 0;
    k4<<<1, 256>>>(a, b);
    CHECK_KERNEL();
    for (int i = 0; i < 1024; i++)
        bad += b[i] != a[(i & ~255) + 255 - (i & 255)];
    fact("k4", !bad);
}
