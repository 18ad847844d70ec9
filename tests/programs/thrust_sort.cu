// Thrust: sorts of keys, keys with values, by comparison and by radix, on the device and on pointers of our own.
#include "common.cuh"
#include <algorithm>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

struct record {
    int key, payload;
};
struct by_key {
    __host__ __device__ bool operator()(const record &a, const record &b) const { return a.key < b.key; }
};

template <typename T> static void keys(const char *name, int n, unsigned bound)
{
    numbers random(n);
    thrust::host_vector<T> host(n);
    for (int i = 0; i < n; i++)
        host[i] = (T)((int)random.below(bound) - (int)(bound / 2));
    thrust::device_vector<T> device = host;
    thrust::sort(device.begin(), device.end());
    thrust::host_vector<T> sorted = device;
    std::sort(host.begin(), host.end());
    printf("%s %d sorted %d ends %g %g\n", name, n, (int)(sorted == host), (double)sorted[0], (double)sorted[n - 1]);
}

int main()
{
    keys<int>("int", 5000, 1000000);
    keys<unsigned>("unsigned", 777, 50);
    keys<float>("float", 3000, 100000);
    keys<long long>("long long", 1500, 1 << 30);
    keys<unsigned char>("byte", 1000, 256);

    const int n = 2000;
    numbers random(99);
    thrust::host_vector<int> keys(n), values(n);
    for (int i = 0; i < n; i++) {
        keys[i] = random.below(300);
        values[i] = i;
    }
    thrust::device_vector<int> k = keys, v = values;
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
    thrust::host_vector<int> sorted_keys = k, sorted_values = v;
    bool stable = true;
    for (int i = 1; i < n; i++)
        stable = stable && (sorted_keys[i - 1] < sorted_keys[i] ||
                            (sorted_keys[i - 1] == sorted_keys[i] && sorted_values[i - 1] < sorted_values[i]));
    printf("by key stable %d fingerprint %08x\n", stable, fingerprint(sorted_values.data(), n * sizeof(int)));
    thrust::sort(k.begin(), k.end(), thrust::greater<int>());
    printf("greater first %d last %d\n", (int)k[0], (int)k[n - 1]);

    record *records, host_records[500];
    for (int i = 0; i < 500; i++)
        host_records[i] = {(int)random.below(10000), i};
    CHECK(cudaMalloc(&records, sizeof host_records));
    CHECK(cudaMemcpy(records, host_records, sizeof host_records, cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    thrust::stable_sort(thrust::cuda::par.on(stream), records, records + 500, by_key());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host_records, records, sizeof host_records, cudaMemcpyDeviceToHost));
    printf("records %d..%d fingerprint %08x\n", host_records[0].key, host_records[499].key,
           fingerprint(host_records, sizeof host_records));
    thrust::device_ptr<record> pointer(records);
    printf("is sorted %d\n", (int)thrust::is_sorted(pointer, pointer + 500, by_key()));
    thrust::sequence(k.begin(), k.end(), 5, 3);
    printf("sequence %d %d\n", (int)k[1], (int)k[n - 1]);
    return 0;
}
