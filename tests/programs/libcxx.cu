// The C++ library of the device: atomics, barriers, semaphores, tuples, optionals, spans, bit operations, complex.
#include "common.cuh"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

__device__ cuda::atomic<int, cuda::thread_scope_device> everywhere(5);

__global__ void atomics(int *out)
{
    everywhere.fetch_add(threadIdx.x, cuda::std::memory_order_relaxed);
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> turns;
    if (threadIdx.x == 0)
        new (&turns) cuda::atomic<unsigned, cuda::thread_scope_block>(0);
    __syncthreads();
    unsigned seen = turns.load();
    while (!turns.compare_exchange_weak(seen, seen + 2))
        ;
    cuda::atomic_ref<int, cuda::thread_scope_device> most(out[1]);
    most.fetch_max((int)threadIdx.x * 7 % 64);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = turns.load(cuda::std::memory_order_acquire);
}

// A ring of steps: all threads arrive, and each phase sees what the phase before wrote.
__global__ void barriers(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> meet;
    __shared__ int cells[64];
    if (threadIdx.x == 0)
        init(&meet, blockDim.x);
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int step = 0; step < 5; step++) {
        int value = cells[(threadIdx.x + 1) % 64] + 1;
        meet.arrive_and_wait();
        cells[threadIdx.x] = value;
        auto token = meet.arrive();
        meet.wait(cuda::std::move(token));
    }
    out[threadIdx.x] = cells[threadIdx.x];
}

__device__ cuda::std::optional<int> half_of(int x)
{
    if (x % 2)
        return cuda::std::nullopt;
    return x / 2;
}

__global__ void types(int *out)
{
    cuda::std::array<int, 4> four = {1, 2, 3, (int)threadIdx.x};
    cuda::std::tuple<int, double, char> t(3, 2.5, 'c');
    int sum = 0;
    for (int x : four)
        sum += x;
    sum += cuda::std::get<0>(t) + (int)(cuda::std::get<1>(t) * 2) + cuda::std::get<2>(t);
    sum += half_of(threadIdx.x).value_or(-100);
    sum += cuda::std::popcount(threadIdx.x * 77u) + cuda::std::countl_zero(threadIdx.x + 1u);
    cuda::std::complex<float> z(threadIdx.x, 1.0f);
    z = z * z;
    sum += (int)z.real() + (int)z.imag() + (cuda::std::numeric_limits<int>::max() & 1);
    out[threadIdx.x] = sum;
}

int main()
{
    int *out, host[64];
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    atomics<<<1, 64>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int counted = 0;
    CHECK(cudaMemcpyFromSymbol(&counted, everywhere, sizeof counted));
    printf("atomics %d %d %d\n", host[0], host[1], counted);
    barriers<<<1, 64>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("barriers %d %d %d\n", host[0], host[30], host[63]);
    types<<<1, 64>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("types %d %d %d fingerprint %08x\n", host[0], host[1], host[63], fingerprint(host, sizeof host));
    return 0;
}
