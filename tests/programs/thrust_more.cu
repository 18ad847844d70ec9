// Thrust beyond sorts, scans and sets: reductions by key, transforms of zipped ranges, gather and scatter, unique, partition, merge,
// searches, inner products, adjacent differences, scans by key, extremes; each against the host's own answer.
#include "common.cuh"
#include <algorithm>
#include <numeric>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>

const int N = 10007;

struct square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};
struct combine {
    __host__ __device__ int operator()(const thrust::tuple<int, int> &t) const
    {
        return 3 * thrust::get<0>(t) - thrust::get<1>(t);
    }
};
struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

static std::vector<int> draw(int n, unsigned range, unsigned seed)
{
    numbers source(seed);
    std::vector<int> v(n);
    for (int &x : v)
        x = (int)(source.next() % range) - (int)(range / 2);
    return v;
}

static std::vector<int> host(const thrust::device_vector<int> &d)
{
    std::vector<int> h(d.size());
    thrust::copy(d.begin(), d.end(), h.begin());
    return h;
}

static void reductions(const std::vector<int> &a, const std::vector<int> &b)
{
    thrust::device_vector<int> da(a), db(b), keys(N), sums(N);
    long long squares = 0, products = 0;
    for (int i = 0; i < N; i++) {
        squares += (long long)a[i] * a[i];
        products += (long long)a[i] * b[i];
    }
    fact("sum", thrust::reduce(da.begin(), da.end()) == std::accumulate(a.begin(), a.end(), 0));
    fact("squares", thrust::transform_reduce(da.begin(), da.end(), square(), 0LL, thrust::plus<long long>()) == squares);
    fact("inner product", thrust::inner_product(da.begin(), da.end(), db.begin(), 0LL) == products);
    fact("count", thrust::count_if(da.begin(), da.end(), is_odd()) == std::count_if(a.begin(), a.end(), is_odd()));
    auto ends = thrust::minmax_element(da.begin(), da.end());
    fact("extremes", ends.first - da.begin() == std::min_element(a.begin(), a.end()) - a.begin() &&
                         *ends.second == *std::max_element(a.begin(), a.end()));
    thrust::sort_by_key(da.begin(), da.end(), db.begin());
    auto end = thrust::reduce_by_key(da.begin(), da.end(), db.begin(), keys.begin(), sums.begin());
    std::vector<int> order(N), wanted_keys, wanted_sums;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return a[x] < a[y]; });
    for (int i : order) {
        if (wanted_keys.empty() || wanted_keys.back() != a[i]) {
            wanted_keys.push_back(a[i]);
            wanted_sums.push_back(0);
        }
        wanted_sums.back() += b[i];
    }
    keys.resize(end.first - keys.begin());
    sums.resize(end.second - sums.begin());
    fact("reduce by key", host(keys) == wanted_keys && host(sums) == wanted_sums);
}

static void moves(const std::vector<int> &a, const std::vector<int> &b)
{
    thrust::device_vector<int> da(a), db(b), out(N), map(N);
    auto zip = thrust::make_zip_iterator(thrust::make_tuple(da.begin(), db.begin()));
    thrust::transform(zip, zip + N, out.begin(), combine());
    std::vector<int> wanted(N);
    for (int i = 0; i < N; i++)
        wanted[i] = 3 * a[i] - b[i];
    fact("transform of pairs", host(out) == wanted);
    std::vector<int> places(N);
    for (int i = 0; i < N; i++)
        places[i] = (int)((long long)i * 4999 % N);
    map = places;
    thrust::gather(map.begin(), map.end(), da.begin(), out.begin());
    for (int i = 0; i < N; i++)
        wanted[i] = a[places[i]];
    fact("gather", host(out) == wanted);
    thrust::scatter(da.begin(), da.end(), map.begin(), out.begin());
    for (int i = 0; i < N; i++)
        wanted[places[i]] = a[i];
    fact("scatter", host(out) == wanted);
    thrust::adjacent_difference(da.begin(), da.end(), out.begin());
    std::adjacent_difference(a.begin(), a.end(), wanted.begin());
    fact("differences", host(out) == wanted);
    thrust::stable_partition(da.begin(), da.end(), is_odd());
    wanted = a;
    std::stable_partition(wanted.begin(), wanted.end(), is_odd());
    fact("partition", host(da) == wanted);
}

static void ordered(std::vector<int> a, std::vector<int> b)
{
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    thrust::device_vector<int> da(a), db(b), out(2 * N), at(N);
    thrust::merge(da.begin(), da.end(), db.begin(), db.end(), out.begin());
    std::vector<int> wanted(2 * N);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), wanted.begin());
    fact("merge", host(out) == wanted);
    thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), at.begin());
    std::vector<int> places(N);
    for (int i = 0; i < N; i++)
        places[i] = (int)(std::lower_bound(a.begin(), a.end(), b[i]) - a.begin());
    fact("searches", host(at) == places);
    auto end = thrust::set_symmetric_difference(da.begin(), da.end(), db.begin(), db.end(), out.begin());
    wanted.resize(std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), wanted.begin()) -
                  wanted.begin());
    out.resize(end - out.begin());
    fact("symmetric difference", host(out) == wanted);
    thrust::inclusive_scan_by_key(da.begin(), da.end(), db.begin(), at.begin());
    for (int i = 0; i < N; i++)
        places[i] = i && a[i] == a[i - 1] ? places[i - 1] + b[i] : b[i];
    fact("scan by key", host(at) == places);
    da.erase(thrust::unique(da.begin(), da.end()), da.end());
    a.erase(std::unique(a.begin(), a.end()), a.end());
    fact("unique", host(da) == a);
}

int main()
{
    std::vector<int> a = draw(N, 3000, 21), b = draw(N, 5000, 22);
    reductions(a, b);
    moves(a, b);
    ordered(a, b);
    return 0;
}
