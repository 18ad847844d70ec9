// Merge sort from the bottom up, each thread merging two runs; then the same array by a bitonic network in shared memory.
#include "common.cuh"
#include <algorithm>
#include <vector>

__global__ void merge_runs(const int *from, int *to, int n, int width)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
    if (start >= n)
        return;
    int middle = min(start + width, n), end = min(start + 2 * width, n), a = start, b = middle;
    for (int i = start; i < end; i++)
        to[i] = a < middle && (b >= end || from[a] <= from[b]) ? from[a++] : from[b++];
}

__global__ void bitonic(int *data)
{
    __shared__ int tile[512];
    int t = threadIdx.x;
    tile[t] = data[blockIdx.x * 512 + t];
    tile[t + 256] = data[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (step - 1)), high = low + step;
            bool up = (low & size) == 0;
            if ((tile[low] > tile[high]) == up) {
                int swap = tile[low];
                tile[low] = tile[high];
                tile[high] = swap;
            }
        }
    __syncthreads();
    data[blockIdx.x * 512 + t] = tile[t];
    data[blockIdx.x * 512 + t + 256] = tile[t + 256];
}

int main()
{
    const int n = 3000;
    std::vector<int> host(n), sorted, got(n);
    numbers random(55);
    for (int &x : host)
        x = random.below(100000);
    sorted = host;
    std::sort(sorted.begin(), sorted.end());
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    for (int width = 1; width < n; width *= 2) {
        int threads = (n + 2 * width - 1) / (2 * width);
        merge_runs<<<(threads + 63) / 64, 64>>>(a, b, n, width);
        std::swap(a, b);
    }
    CHECK_KERNEL();
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("merge sort right %d ends %d %d\n", got == sorted, got[0], got[n - 1]);
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    bitonic<<<n / 512, 256>>>(a);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int block = 0; block < n / 512; block++)
        std::sort(host.begin() + block * 512, host.begin() + (block + 1) * 512);
    printf("bitonic right %d\n", got == host);
    return 0;
}
