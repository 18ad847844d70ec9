// CUB's collectives of a block and of a warp: reduce, scan, radix sort, exchange, load and store, histogram.
#include "common.cuh"
#include <cub/cub.cuh>

const int THREADS = 128, ITEMS = 4;

__global__ void block_reduce(const int *in, int *out)
{
    typedef cub::BlockReduce<int, THREADS> reduce;
    typedef cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING> raking;
    __shared__ union {
        typename reduce::TempStorage first;
        typename raking::TempStorage second;
    } storage;
    int value = in[blockIdx.x * THREADS + threadIdx.x];
    int sum = reduce(storage.first).Sum(value);
    __syncthreads();
    int most = raking(storage.second).Reduce(value, cuda::maximum<int>());
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = most;
    }
}

__global__ void block_scan_sort(const int *in, int *out)
{
    typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE> load;
    typedef cub::BlockScan<int, THREADS> scan;
    typedef cub::BlockRadixSort<int, THREADS, ITEMS> sort;
    typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE> store;
    __shared__ union {
        typename load::TempStorage loading;
        typename scan::TempStorage scanning;
        typename sort::TempStorage sorting;
        typename store::TempStorage storing;
    } storage;
    int items[ITEMS], total;
    load(storage.loading).Load(in + blockIdx.x * THREADS * ITEMS, items);
    __syncthreads();
    sort(storage.sorting).Sort(items);
    __syncthreads();
    scan(storage.scanning).ExclusiveSum(items, items, total);
    __syncthreads();
    items[0] += total;
    store(storage.storing).Store(out + blockIdx.x * THREADS * ITEMS, items);
}

__global__ void warp_level(const int *in, int *out)
{
    typedef cub::WarpReduce<int> reduce;
    typedef cub::WarpScan<int> scan;
    __shared__ typename reduce::TempStorage reducing[THREADS / 32];
    __shared__ typename scan::TempStorage scanning[THREADS / 32];
    int warp = threadIdx.x / 32, value = in[threadIdx.x], before;
    int sum = reduce(reducing[warp]).Sum(value);
    scan(scanning[warp]).ExclusiveSum(value, before);
    __syncwarp();
    int head = reduce(reducing[warp]).HeadSegmentedSum(value, threadIdx.x % 5 == 0);
    out[threadIdx.x] = before + (threadIdx.x % 32 == 0 ? sum * 1000 : 0) + (threadIdx.x % 5 == 0 ? head * 3 : 0);
}

__global__ void block_histogram(const unsigned char *in, unsigned *out)
{
    typedef cub::BlockHistogram<unsigned char, THREADS, ITEMS, 64> histogram;
    __shared__ typename histogram::TempStorage storage;
    __shared__ unsigned bins[64];
    unsigned char items[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        items[i] = in[threadIdx.x * ITEMS + i] % 64;
    histogram(storage).Histogram(items, bins);
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = bins[threadIdx.x];
}

static int *out;
static void show(const char *name, int n)
{
    static int host[4096];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%s: %d %d %d fingerprint %08x\n", name, host[0], host[n / 2], host[n - 1], fingerprint(host, n * 4));
}

int main()
{
    const int n = 8 * THREADS * ITEMS;
    static int host[n];
    numbers random(3);
    for (int &x : host)
        x = random.below(10000);
    int *in;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    block_reduce<<<8, THREADS>>>(in, out);
    show("block reduce", 16);
    block_scan_sort<<<8, THREADS>>>(in, out);
    show("block sort and scan", n);
    warp_level<<<1, THREADS>>>(in, out);
    show("warp", THREADS);
    block_histogram<<<1, THREADS>>>((const unsigned char *)in, (unsigned *)out);
    show("block histogram", 64);
    return 0;
}
