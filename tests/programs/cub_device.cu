// CUB's algorithms for the whole device: reduce, scan, select, histogram, radix sort, run lengths, segments.
#include "common.cuh"
#include <cub/cub.cuh>

static void *scratch;
static size_t scratch_bytes;

// Every call of CUB runs twice: once to say how much memory it needs, once with it.
#define CUB(call, ...)                             \
    do {                                           \
        size_t bytes_ = 0;                         \
        CHECK(call(NULL, bytes_, __VA_ARGS__));    \
        if (bytes_ > scratch_bytes) {              \
            CHECK(cudaFree(scratch));              \
            CHECK(cudaMalloc(&scratch, bytes_));   \
            scratch_bytes = bytes_;                \
        }                                          \
        CHECK(call(scratch, bytes_, __VA_ARGS__)); \
        CHECK(cudaDeviceSynchronize());            \
    } while (0)

struct above {
    int limit;
    __host__ __device__ bool operator()(int x) const { return x > limit; }
};

template <typename T> static T first(const T *device)
{
    T value;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void show(const char *name, const int *device, int n)
{
    int *host = (int *)malloc(n * sizeof(int));
    CHECK(cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%s %d: %d %d %d fingerprint %08x\n", name, n, host[0], host[n / 2], host[n - 1], fingerprint(host, n * 4));
    free(host);
}

int main()
{
    const int n = 6000;
    static int host[n], host_keys[n];
    numbers random(11);
    for (int i = 0; i < n; i++) {
        host[i] = (int)random.below(1000) - 300;
        host_keys[i] = i / 13 % 7;
    }
    int *in, *keys, *out, *out2, *count;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&keys, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&out2, sizeof host));
    CHECK(cudaMalloc(&count, 64));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(keys, host_keys, sizeof host, cudaMemcpyHostToDevice));

    CUB(cub::DeviceReduce::Sum, in, out, n);
    printf("sum %d\n", first(out));
    CUB(cub::DeviceReduce::Min, in, out, n);
    printf("least %d\n", first(out));
    int *where = out2;
    CUB(cub::DeviceReduce::ArgMax, in, out, (cuda::std::int64_t *)where, (cuda::std::int64_t)n);
    printf("most %d at %d\n", first(out), first(where));
    CUB(cub::DeviceScan::ExclusiveSum, in, out, n);
    show("exclusive sum", out, n);
    CUB(cub::DeviceScan::InclusiveSum, in, out, n);
    show("inclusive sum", out, n);
    CUB(cub::DeviceSelect::If, in, out, count, n, above{500});
    show("select if", out, first(count));
    CUB(cub::DeviceSelect::Unique, keys, out, count, n);
    show("unique", out, first(count));
    CUB(cub::DevicePartition::If, in, out, count, n, above{0});
    printf("partition at %d\n", first(count));
    show("partition", out, first(count));
    CUB(cub::DeviceRunLengthEncode::Encode, keys, out, out2, count, n);
    show("run keys", out, first(count));
    show("run lengths", out2, first(count));
    CUB(cub::DeviceHistogram::HistogramEven, in, out, 11, -300, 700, n);
    show("histogram", out, 10);
    CUB(cub::DeviceRadixSort::SortKeys, in, out, n);
    show("sort", out, n);
    CUB(cub::DeviceRadixSort::SortPairsDescending, keys, out, in, out2, n);
    show("sorted keys", out, n);
    show("sorted values", out2, n);
    int offsets[5] = {0, 100, 100, 3000, n}, *segments;
    CHECK(cudaMalloc(&segments, sizeof offsets));
    CHECK(cudaMemcpy(segments, offsets, sizeof offsets, cudaMemcpyHostToDevice));
    CUB(cub::DeviceSegmentedReduce::Sum, in, out, 4, segments, segments + 1);
    show("segments", out, 4);
    CUB(cub::DeviceReduce::ReduceByKey, keys, out, in, out2, count, cuda::std::plus<int>(), n);
    show("reduced by key", out2, first(count));
    return 0;
}
