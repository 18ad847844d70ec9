// A program in modern C++: owners of device memory, exceptions that carry CUDA errors, Thrust's exceptions, futures.
#include "common.cuh"
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thrust/device_vector.h>
#include <thrust/system_error.h>
#include <vector>

struct cuda_error : std::runtime_error {
    cudaError_t code;
    cuda_error(cudaError_t c, const std::string &what) : std::runtime_error(what), code(c) {}
};
static void require(cudaError_t code, const char *what)
{
    if (code != cudaSuccess)
        throw cuda_error(code, std::string(what) + ": " + cudaGetErrorName(code));
}

struct device_free {
    void operator()(void *memory) const { cudaFree(memory); }
};
template <typename T> using device_array = std::unique_ptr<T[], device_free>;
template <typename T> static device_array<T> make_array(size_t n)
{
    T *memory = nullptr;
    require(cudaMalloc(&memory, n * sizeof(T)), "allocation");
    return device_array<T>(memory);
}

template <typename T> __global__ void iota(T *data, int n, T start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = start + T(i);
}

static long long total(int start, int n)
{
    device_array<long long> data = make_array<long long>(n);
    iota<<<(n + 63) / 64, 64>>>(data.get(), n, (long long)start);
    require(cudaGetLastError(), "launch");
    std::vector<long long> host(n);
    require(cudaMemcpy(host.data(), data.get(), n * sizeof(long long), cudaMemcpyDeviceToHost), "copy");
    long long sum = 0;
    for (long long x : host)
        sum += x;
    return sum;
}

int main()
{
    try {
        make_array<int>((size_t)1 << 50);
    } catch (const cuda_error &e) {
        printf("caught %d: %s\n", (int)e.code, e.what());
    }
    cudaGetLastError();
    try {
        thrust::device_vector<int> v((size_t)1 << 48);
        printf("allocated\n");
    } catch (const std::bad_alloc &) {
        printf("caught bad_alloc\n");
    }
    cudaGetLastError();
    try {
        iota<<<1, 9999>>>((int *)nullptr, 0, 0);
        require(cudaGetLastError(), "launch");
    } catch (const std::exception &e) {
        printf("caught %s\n", e.what());
    }
    std::vector<std::future<long long>> sums;
    for (int i = 0; i < 6; i++)
        sums.push_back(std::async(std::launch::async, total, i * 1000, 500 + i));
    for (auto &sum : sums)
        printf("total %lld\n", sum.get());
    thrust::device_vector<int> v(100, 3);
    v[7] = 10;
    printf("vector %d\n", (int)v[7] + (int)v[8]);
    return 0;
}
