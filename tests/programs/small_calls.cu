// Calls that programs make in passing: profiler, cache and carve-out hints, device flags, batches of tiny operations.
#include "common.cuh"
#include <cuda_profiler_api.h>
#include <vector>

__global__ void bump(int *data)
{
    atomicAdd(data, 1);
}
__global__ void place(uint3 *out)
{
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] =
        make_uint3(blockIdx.x * 100 + threadIdx.x, blockIdx.y * 100 + threadIdx.y, blockIdx.z * 100 + threadIdx.z);
}
__global__ void clocks(long long *out)
{
    long long a = clock64();
    unsigned long long t = 0, u = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    for (int i = 0; i < 100; i++)
        __threadfence();
    __nanosleep(10);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(u));
    out[0] = clock64() - a;
    out[1] = u >= t;
}

int main()
{
    CHECK(cudaInitDevice(0, 0, 0));
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(0));
    CHECK(cudaProfilerStart());
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    cudaFuncCache config;
    CHECK(cudaDeviceGetCacheConfig(&config));
    int *counter, value = 0;
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    for (int i = 0; i < 2000; i++)
        bump<<<1, 1>>>(counter);
    CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    printf("launches %d\n", value);
    CHECK(cudaProfilerStop());

    std::vector<void *> pieces;
    for (int i = 0; i < 500; i++) {
        void *piece;
        CHECK(cudaMalloc(&piece, 1 + i * 37 % 5000));
        CHECK(cudaMemset(piece, i, 1 + i * 37 % 5000));
        pieces.push_back(piece);
        if (i % 3 == 2) {
            CHECK(cudaFree(pieces[i / 2]));
            CHECK(cudaMalloc(&pieces[i / 2], 64));
        }
    }
    bool aligned = true;
    for (void *piece : pieces) {
        aligned = aligned && (size_t)piece % 256 == 0;
        CHECK(cudaFree(piece));
    }
    fact("allocations are aligned to 256 bytes", aligned);

    dim3 grid(3, 2, 2), block(4, 3, 5);
    const int n = 12 * 60;
    static uint3 host[n];
    uint3 *out;
    CHECK(cudaMalloc(&out, sizeof host));
    place<<<grid, block>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("last place %u %u %u fingerprint %08x\n", host[n - 1].x, host[n - 1].y, host[n - 1].z,
           fingerprint(host, sizeof host));
    long long *times, told[2];
    CHECK(cudaMalloc(&times, sizeof told));
    clocks<<<1, 1>>>(times);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(told, times, sizeof told, cudaMemcpyDeviceToHost));
    fact("the clock runs forward", told[0] > 0 && told[1]);
    CHECK(cudaCtxResetPersistingL2Cache());
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("capture mode %d\n", (int)mode);
    CHECK(cudaDeviceReset());
    CHECK(cudaDeviceReset());
    int *fresh;
    CHECK(cudaMalloc(&fresh, 4));
    CHECK(cudaMemset(fresh, 0, 4));
    bump<<<4, 32>>>(fresh);
    CHECK(cudaMemcpy(&value, fresh, 4, cudaMemcpyDeviceToHost));
    printf("after reset %d\n", value);
    return 0;
}
