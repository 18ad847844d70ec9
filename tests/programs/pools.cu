// Stream-ordered memory: the default pool, a pool of our own, their attributes, and allocation inside a graph.
#include "common.cuh"
#include <cstdint>

__global__ void square(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = i * i;
}

static long long total(const int *device, int n, cudaStream_t stream)
{
    int *host = (int *)malloc(n * sizeof(int));
    CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += host[i];
    free(host);
    return sum;
}

int main()
{
    int supported = 0, *data;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    printf("pools supported %d\n", supported);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&data, 1000 * sizeof(int), stream));
    square<<<4, 256, 0, stream>>>(data, 1000);
    printf("sum %lld\n", total(data, 1000, stream));
    CHECK(cudaFreeAsync(data, stream));

    cudaMemPool_t standard, current, own;
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK(cudaDeviceGetMemPool(&current, 0));
    fact("default pool is the current one", standard == current);
    uint64_t threshold = 12345;
    CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    printf("release threshold %llu\n", (unsigned long long)threshold);
    threshold = 1 << 20;
    CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    printf("release threshold %llu\n", (unsigned long long)threshold);

    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 0;
    CHECK(cudaMemPoolCreate(&own, &props));
    int *first, *second;
    CHECK(cudaMallocFromPoolAsync((void **)&first, 4000, own, stream));
    CHECK(cudaDeviceSetMemPool(0, own));
    CHECK(cudaMallocAsync((void **)&second, 8000, stream));
    fact("allocations are apart", first != second);
    uint64_t used = 0, high = 0;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &high));
    fact("pool counts what is used", used >= 12000 && high >= used);
    square<<<4, 256, 0, stream>>>(first, 1000);
    square<<<8, 256, 0, stream>>>(second, 2000);
    printf("sums %lld %lld\n", total(first, 1000, stream), total(second, 2000, stream));
    CHECK(cudaFreeAsync(first, stream));
    CHECK(cudaFreeAsync(second, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("used %llu\n", (unsigned long long)used);
    CHECK(cudaMemPoolTrimTo(own, 0));
    CHECK(cudaDeviceSetMemPool(0, standard));
    CHECK(cudaMemPoolDestroy(own));

    // cudaFree takes what cudaMallocAsync gave, and cudaFreeAsync what cudaMalloc gave.
    CHECK(cudaMallocAsync(&data, 400, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaFree(data));
    CHECK(cudaMalloc(&data, 400));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));

    // Memory that lives inside a captured graph.
    int *result;
    CHECK(cudaMalloc(&result, 500 * sizeof(int)));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&data, 500 * sizeof(int), stream));
    square<<<2, 256, 0, stream>>>(data, 500);
    CHECK(cudaMemcpyAsync(result, data, 500 * sizeof(int), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(data, stream));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    printf("graph sum %lld\n", total(result, 500, stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(result));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
