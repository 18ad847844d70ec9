// Host functions in a stream: they run in order, after what stands before them, with the data that they were given.
#include "common.cuh"
#include <mutex>
#include <string>
#include <vector>

struct diary {
    std::mutex lock;
    std::vector<std::string> lines;
    const int *watched;
};

struct entry {
    diary *book;
    int number;
};

__global__ void set(int *data, int value)
{
    data[threadIdx.x] = value;
}

static void write_down(void *data)
{
    entry *e = (entry *)data;
    std::lock_guard<std::mutex> hold(e->book->lock);
    e->book->lines.push_back("host function " + std::to_string(e->number) + " sees " +
                             std::to_string(e->book->watched[3]));
}

static void CUDART_CB call_back(cudaStream_t, cudaError_t status, void *data)
{
    entry *e = (entry *)data;
    std::lock_guard<std::mutex> hold(e->book->lock);
    e->book->lines.push_back("callback " + std::to_string(e->number) + " " + cudaGetErrorName(status));
}

int main()
{
    diary book;
    int *device, *host;
    CHECK(cudaMalloc(&device, 32 * sizeof(int)));
    CHECK(cudaMallocHost(&host, 32 * sizeof(int)));
    book.watched = host;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    std::vector<entry> entries(6);
    for (int i = 0; i < 6; i++) {
        entries[i] = {&book, i};
        set<<<1, 32, 0, stream>>>(device, 100 * i);
        CHECK(cudaMemcpyAsync(host, device, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
        if (i % 3 == 2)
            CHECK(cudaStreamAddCallback(stream, call_back, &entries[i], 0));
        else
            CHECK(cudaLaunchHostFunc(stream, write_down, &entries[i]));
    }
    CHECK(cudaStreamSynchronize(stream));
    for (const std::string &line : book.lines)
        printf("%s\n", line.c_str());
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
