// Streams: flags, priorities, order by events, queries, and copies that overlap kernels of other streams.
#include "common.cuh"

__global__ void step(int *data, int n, int multiply, int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * multiply + add;
}

int main()
{
    const int streams = 4, n = 4096;
    cudaStream_t stream[streams];
    int least = 99, greatest = 99;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    fact("priorities are ordered", greatest <= least);
    CHECK(cudaStreamCreate(&stream[0]));
    CHECK(cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithPriority(&stream[2], cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamCreateWithPriority(&stream[3], cudaStreamDefault, least));
    unsigned long long ids[streams];
    for (int s = 0; s < streams; s++) {
        unsigned flags = 9;
        int priority = 99, device = 99;
        CHECK(cudaStreamGetFlags(stream[s], &flags));
        CHECK(cudaStreamGetPriority(stream[s], &priority));
        CHECK(cudaStreamGetId(stream[s], &ids[s]));
        CHECK(cudaStreamGetDevice(stream[s], &device));
        printf("stream %d flags %u priority %s device %d\n", s, flags,
               priority == least      ? "least"
               : priority == greatest ? "greatest"
                                      : "other",
               device);
    }
    fact("streams have ids of their own", ids[0] != ids[1] && ids[1] != ids[2] && ids[2] != ids[3]);

    int *host, *device[streams];
    CHECK(cudaMallocHost(&host, streams * n * sizeof(int)));
    for (int i = 0; i < streams * n; i++)
        host[i] = i;
    for (int s = 0; s < streams; s++) {
        CHECK(cudaMalloc(&device[s], n * sizeof(int)));
        CHECK(cudaMemcpyAsync(device[s], host + s * n, n * sizeof(int), cudaMemcpyHostToDevice, stream[s]));
        step<<<n / 256, 256, 0, stream[s]>>>(device[s], n, s + 1, s);
        CHECK(cudaMemcpyAsync(host + s * n, device[s], n * sizeof(int), cudaMemcpyDeviceToHost, stream[s]));
    }
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamSynchronize(stream[s]));
    printf("fingerprint %08x\n", fingerprint(host, streams * n * sizeof(int)));

    // The second stream waits for the first: (x + 5) * 7, never x * 7 + 5.
    cudaEvent_t ready;
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaMemsetAsync(device[0], 0, n * sizeof(int), stream[0]));
    step<<<n / 256, 256, 0, stream[0]>>>(device[0], n, 1, 5);
    CHECK(cudaEventRecord(ready, stream[0]));
    CHECK(cudaStreamWaitEvent(stream[1], ready, 0));
    step<<<n / 256, 256, 0, stream[1]>>>(device[0], n, 7, 0);
    CHECK(cudaStreamSynchronize(stream[1]));
    TELL(cudaStreamQuery(stream[1]));
    TELL(cudaEventQuery(ready));
    int value = 0;
    CHECK(cudaMemcpy(&value, device[0] + 100, sizeof value, cudaMemcpyDeviceToHost));
    printf("ordered %d\n", value);

    step<<<n / 256, 256, 0, cudaStreamLegacy>>>(device[0], n, 1, 1);
    step<<<n / 256, 256, 0, cudaStreamPerThread>>>(device[1], n, 0, 3);
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaMemcpy(&value, device[0], sizeof value, cudaMemcpyDeviceToHost));
    printf("legacy %d\n", value);
    CHECK(cudaMemcpy(&value, device[1], sizeof value, cudaMemcpyDeviceToHost));
    printf("per thread %d\n", value);
    for (int s = 0; s < streams; s++) {
        CHECK(cudaStreamDestroy(stream[s]));
        CHECK(cudaFree(device[s]));
    }
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaFreeHost(host));
    return 0;
}
