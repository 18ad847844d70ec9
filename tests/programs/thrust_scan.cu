// Thrust: transforms, reductions, scans, by key, and fancy iterators.
#include "common.cuh"
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

struct squared {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};
struct divisible {
    int by;
    __host__ __device__ bool operator()(int x) const { return x % by == 0; }
};
struct weigh {
    __host__ __device__ int operator()(const thrust::tuple<int, int> &t) const
    {
        return thrust::get<0>(t) * 10 + thrust::get<1>(t);
    }
};

int main()
{
    const int n = 4000;
    thrust::device_vector<int> x(n), y(n), z(n);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), x.begin(),
                      [] __host__ __device__(int i) { return i * 7 % 101; });
    thrust::fill(y.begin(), y.end(), 3);
    thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), thrust::plus<int>());
    printf("reduce %d %d\n", thrust::reduce(x.begin(), x.end()), thrust::reduce(z.begin(), z.end(), 1000));
    printf("most %d\n", thrust::reduce(x.begin(), x.end(), 0, thrust::maximum<int>()));
    printf("squares %lld\n", thrust::transform_reduce(x.begin(), x.end(), squared(), 0ll, thrust::plus<long long>()));
    printf("inner product %d\n", thrust::inner_product(x.begin(), x.end(), z.begin(), 0));
    printf("count %d %d\n", (int)thrust::count(x.begin(), x.end(), 5),
           (int)thrust::count_if(x.begin(), x.end(), divisible{3}));
    printf("extrema %d %d\n", (int)(thrust::min_element(x.begin(), x.end()) - x.begin()),
           (int)(thrust::max_element(x.begin(), x.end()) - x.begin()));

    thrust::inclusive_scan(x.begin(), x.end(), z.begin());
    printf("inclusive %d %d\n", (int)z[1], (int)z[n - 1]);
    thrust::exclusive_scan(x.begin(), x.end(), z.begin(), 100);
    printf("exclusive %d %d %d\n", (int)z[0], (int)z[1], (int)z[n - 1]);
    thrust::inclusive_scan(x.begin(), x.end(), z.begin(), thrust::maximum<int>());
    printf("running most %d %d\n", (int)z[3], (int)z[n - 1]);

    // Runs of equal keys.
    thrust::device_vector<int> keys(n), out_keys(n), out_values(n);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), keys.begin(),
                      [] __host__ __device__(int i) { return i / 37; });
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), x.begin(), out_keys.begin(), out_values.begin());
    int runs = ends.first - out_keys.begin();
    printf("runs %d first %d last %d\n", runs, (int)out_values[0], (int)out_values[runs - 1]);
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), thrust::constant_iterator<int>(1), z.begin());
    printf("scan by key %d %d\n", (int)z[36], (int)z[n - 1]);

    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    thrust::transform(zipped, zipped + n, z.begin(), weigh());
    printf("zipped %d %d\n", (int)z[0], (int)z[n - 1]);
    auto scaled = thrust::make_transform_iterator(x.begin(), squared());
    printf("transform iterator %lld\n", thrust::reduce(scaled, scaled + 100, 0ll));
    return 0;
}
