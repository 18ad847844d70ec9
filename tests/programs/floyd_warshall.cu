// All shortest paths of a graph: one launch per intermediate node, and once more captured in a graph of launches.
#include "common.cuh"
#include <algorithm>
#include <vector>

__global__ void relax(int *distance, int n, int via)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        int around = distance[y * n + via] + distance[via * n + x];
        if (around < distance[y * n + x])
            distance[y * n + x] = around;
    }
}

int main()
{
    const int n = 72, far = 1 << 20;
    std::vector<int> host(n * n, far), expected, got(n * n);
    numbers random(12);
    for (int i = 0; i < n; i++) {
        host[i * n + i] = 0;
        for (int e = 0; e < 3; e++)
            host[i * n + random.below(n)] = 1 + random.below(30);
        host[i * n + i] = 0;
    }
    expected = host;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                expected[i * n + j] = std::min(expected[i * n + j], expected[i * n + k] + expected[k * n + j]);
    int *device;
    size_t bytes = host.size() * sizeof(int);
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    for (int via = 0; via < n; via++)
        relax<<<grid, block>>>(device, n, via);
    CHECK(cudaMemcpy(got.data(), device, bytes, cudaMemcpyDeviceToHost));
    printf("launches right %d\n", got == expected);

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(device, host.data(), bytes, cudaMemcpyHostToDevice, stream));
    for (int via = 0; via < n; via++)
        relax<<<grid, block, 0, stream>>>(device, n, via);
    CHECK(cudaMemcpyAsync(got.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    std::fill(got.begin(), got.end(), 0);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    long long sum = 0;
    for (int d : got)
        sum += d < far ? d : 0;
    printf("graph right %d sum %lld\n", got == expected, sum);
    return 0;
}
