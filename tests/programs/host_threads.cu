// Several host threads, each with a stream, memory and an error state of its own; they share the device's variables.
#include "common.cuh"
#include <atomic>
#include <thread>
#include <vector>

__device__ int shared_counter;

__global__ void work(int *data, int n, int salt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int x = i + salt;
        for (int k = 0; k < 20; k++)
            x = x * 31 + k;
        data[i] = x;
        if (i == 0)
            atomicAdd(&shared_counter, 1);
    }
}

static unsigned results[8];
static cudaError_t errors[8];
static std::atomic<int> finished;

static void body(int number)
{
    const int n = 2000;
    std::vector<int> host(n);
    int *device;
    CHECK(cudaSetDevice(0));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    unsigned all = 0;
    for (int round = 0; round < 10; round++) {
        work<<<(n + 127) / 128, 128, 0, stream>>>(device, n, number * 1000 + round);
        CHECK(cudaMemcpyAsync(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        all = all * 17 + fingerprint(host.data(), n * sizeof(int));
    }
    results[number] = all;
    // An error in this thread alone.
    if (number % 2)
        work<<<1, 5000, 0, stream>>>(device, n, 0);
    errors[number] = cudaGetLastError();
    CHECK(cudaFree(device));
    CHECK(cudaStreamDestroy(stream));
    finished++;
}

int main()
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back(body, t);
    for (std::thread &t : threads)
        t.join();
    for (int t = 0; t < 8; t++)
        printf("thread %d %08x %s\n", t, results[t], cudaGetErrorName(errors[t]));
    printf("finished %d, main thread: %s\n", finished.load(), cudaGetErrorName(cudaGetLastError()));
    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, shared_counter, sizeof count));
    printf("launches %d\n", count);
    // The default stream of a thread: the same program compiled for one stream per thread says the same.
    std::thread last([] {
        int *device, value = 0;
        CHECK(cudaMalloc(&device, 4 * sizeof(int)));
        work<<<1, 4>>>(device, 4, 1);
        CHECK(cudaStreamSynchronize(0));
        CHECK(cudaMemcpy(&value, device + 3, sizeof value, cudaMemcpyDeviceToHost));
        printf("default stream %d\n", value);
        CHECK(cudaFree(device));
    });
    last.join();
    return 0;
}
