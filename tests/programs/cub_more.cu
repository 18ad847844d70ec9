// CUB's device-wide algorithms beyond cub_device: radix and merge sorts of several types, segmented sort and reduce, reduce by key,
// run lengths, unique by key, select by flags and by a condition, partition, several histograms, scans by key, argmin.
#include "common.cuh"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

template <class T> struct device_array {
    T *data;
    size_t count;
    explicit device_array(size_t n) : count(n)
    {
        CHECK(cudaMalloc(&data, (n ? n : 1) * sizeof(T)));
        CHECK(cudaMemset(data, 0, (n ? n : 1) * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &from) : device_array(from.size())
    {
        CHECK(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> host(size_t n) const
    {
        std::vector<T> to(n);
        CHECK(cudaMemcpy(to.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
    std::vector<T> host() const { return host(count); }
    T first() const { return host(1)[0]; }
    ~device_array() { cudaFree(data); }
};

// Calls an algorithm twice, as CUB wants: for the size of its storage, then in earnest.
template <class F> static void in_two_steps(F algorithm)
{
    void *storage = nullptr;
    size_t bytes = 0;
    CHECK(algorithm(storage, bytes));
    CHECK(cudaMalloc(&storage, bytes ? bytes : 1));
    CHECK(algorithm(storage, bytes));
    CHECK_KERNEL();
    CHECK(cudaFree(storage));
}

template <class T> static std::vector<T> draw(size_t n, unsigned range, unsigned seed)
{
    numbers source(seed);
    std::vector<T> v(n);
    for (T &x : v)
        x = (T)((long long)(source.next() % range) - (std::is_signed<T>::value ? (long long)(range / 2) : 0));
    return v;
}

struct is_small {
    int limit;
    __host__ __device__ bool operator()(int x) const { return x < limit; }
};
struct descending {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return b < a; }
};
struct pair_less {
    __host__ __device__ bool operator()(const int2 &a, const int2 &b) const
    {
        return a.x != b.x ? a.x < b.x : a.y < b.y;
    }
};

template <class T> static void sorts(const char *name, size_t n, unsigned range)
{
    std::vector<T> keys = draw<T>(n, range, 3), expected = keys;
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    device_array<T> in(keys), out(n);
    device_array<int> carried(values), moved(n);
    in_two_steps([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in.data, out.data, (int)n); });
    std::sort(expected.begin(), expected.end());
    bool keys_right = out.host() == expected;
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceRadixSort::SortPairsDescending(s, b, in.data, out.data, carried.data, moved.data, (int)n);
    });
    std::vector<int> order(values);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[b] < keys[a]; });
    bool pairs_right = moved.host() == order;
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceMergeSort::StableSortKeys(s, b, in.data, (int)n, descending());
    });
    std::reverse(expected.begin(), expected.end());
    printf("%s of %zu: radix %d pairs %d merge %d\n", name, n, keys_right, pairs_right, in.host() == expected);
}

static void merge_sort_of_structures()
{
    std::vector<int> a = draw<int>(3000, 40, 5), b = draw<int>(3000, 100000, 6);
    std::vector<int2> pairs(3000);
    for (int i = 0; i < 3000; i++)
        pairs[i] = make_int2(a[i], b[i]);
    device_array<int2> d(pairs);
    in_two_steps([&](void *s, size_t &bytes) {
        return cub::DeviceMergeSort::SortKeys(s, bytes, d.data, 3000, pair_less());
    });
    std::sort(pairs.begin(), pairs.end(), pair_less());
    std::vector<int2> got = d.host();
    bool same = true;
    for (int i = 0; i < 3000; i++)
        same &= got[i].x == pairs[i].x && got[i].y == pairs[i].y;
    fact("merge sort of structures", same);
}

static void segments()
{
    std::vector<int> offsets{0}, values = draw<int>(5000, 1000, 7);
    numbers source(8);
    while (offsets.back() < 5000)
        offsets.push_back(std::min(5000, offsets.back() + (int)(source.next() % 300)));
    int count = (int)offsets.size() - 1;
    device_array<int> in(values), out(5000), at(offsets), sums(count);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceSegmentedSort::SortKeys(s, b, in.data, out.data, 5000, count, at.data, at.data + 1);
    });
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceSegmentedReduce::Max(s, b, in.data, sums.data, count, at.data, at.data + 1);
    });
    std::vector<int> sorted(values), most;
    for (int i = 0; i < count; i++) {
        std::sort(sorted.begin() + offsets[i], sorted.begin() + offsets[i + 1]);
        most.push_back(offsets[i] == offsets[i + 1] ? INT_MIN : sorted[offsets[i + 1] - 1]);
    }
    fact("segmented sort", out.host() == sorted);
    fact("segmented reduce", sums.host() == most);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceSegmentedRadixSort::SortKeys(s, b, in.data, out.data, 5000, count, at.data, at.data + 1);
    });
    fact("segmented radix sort", out.host() == sorted);
}

static void by_key()
{
    std::vector<int> keys = draw<int>(4000, 6, 9), values = draw<int>(4000, 100, 10);
    device_array<int> k(keys), v(values), unique(4000), sums(4000), found(1), scanned(4000), lengths(4000);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(s, b, k.data, unique.data, v.data, sums.data, found.data,
                                              cuda::std::plus<int>(), 4000);
    });
    std::vector<int> expected_keys, expected_sums, expected_scan(4000), expected_lengths;
    for (int i = 0; i < 4000; i++) {
        bool starts = i == 0 || keys[i] != keys[i - 1];
        if (starts) {
            expected_keys.push_back(keys[i]);
            expected_sums.push_back(0);
            expected_lengths.push_back(0);
        }
        expected_sums.back() += values[i];
        expected_lengths.back()++;
        expected_scan[i] = starts ? values[i] : expected_scan[i - 1] + values[i];
    }
    int n = (int)expected_keys.size();
    printf("runs %d %d\n", found.first(), n);
    fact("reduce by key", unique.host(n) == expected_keys && sums.host(n) == expected_sums);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceScan::InclusiveSumByKey(s, b, k.data, v.data, scanned.data, 4000);
    });
    fact("scan by key", scanned.host() == expected_scan);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(s, b, k.data, unique.data, lengths.data, found.data, 4000);
    });
    fact("run lengths", unique.host(n) == expected_keys && lengths.host(n) == expected_lengths && found.first() == n);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceSelect::UniqueByKey(s, b, k.data, v.data, unique.data, sums.data, found.data, 4000);
    });
    fact("unique by key", unique.host(n) == expected_keys && found.first() == n);
}

static void selections()
{
    std::vector<int> values = draw<int>(6001, 2000, 11);
    std::vector<char> flags(6001);
    for (int i = 0; i < 6001; i++)
        flags[i] = values[i] % 3 == 0;
    device_array<int> in(values), out(6001), found(1);
    device_array<char> flag(flags);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceSelect::Flagged(s, b, in.data, flag.data, out.data, found.data, 6001);
    });
    std::vector<int> expected;
    for (int i = 0; i < 6001; i++)
        if (flags[i])
            expected.push_back(values[i]);
    fact("select by flags", out.host(expected.size()) == expected && found.first() == (int)expected.size());
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceSelect::If(s, b, in.data, out.data, found.data, 6001, is_small{-500});
    });
    expected.clear();
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), is_small{-500});
    fact("select by a condition", out.host(expected.size()) == expected);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DevicePartition::If(s, b, in.data, out.data, found.data, 6001, is_small{100});
    });
    int small = (int)std::count_if(values.begin(), values.end(), is_small{100});
    std::vector<int> got = out.host();
    fact("partition", found.first() == small && std::all_of(got.begin(), got.begin() + small, is_small{100}) &&
                          std::none_of(got.begin() + small, got.end(), is_small{100}));
}

static void histograms_and_extremes()
{
    std::vector<unsigned char> bytes(8192);
    numbers source(12);
    for (unsigned char &b : bytes)
        b = (unsigned char)(source.next() >> 7);
    device_array<unsigned char> in(bytes);
    device_array<int> bins(16), least(1), two(2 * 8);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(s, b, in.data, bins.data, 17, 0, 256, 8192);
    });
    std::vector<int> expected(16);
    for (unsigned char b : bytes)
        expected[b / 16]++;
    fact("histogram", bins.host() == expected);
    int *parts[2] = {two.data, two.data + 8}, levels[2] = {9, 9}, low[2] = {0, 0}, high[2] = {256, 256};
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 2>(s, b, in.data, parts, levels, low, high, 2048);
    });
    std::vector<int> several(16);
    for (int i = 0; i < 2048; i++)
        for (int c = 0; c < 2; c++)
            several[8 * c + bytes[4 * i + c] / 32]++;
    fact("histograms of channels", two.host() == several);
    std::vector<float> reals(3000);
    for (float &x : reals)
        x = (float)(source.next() % 100000) / 8;
    device_array<float> r(reals), smallest(1);
    device_array<cuda::std::int64_t> place(1);
    in_two_steps([&](void *s, size_t &b) {
        return cub::DeviceReduce::ArgMin(s, b, r.data, smallest.data, place.data, (cuda::std::int64_t)3000);
    });
    auto at = std::min_element(reals.begin(), reals.end());
    fact("place of the least", place.first() == at - reals.begin() && smallest.first() == *at);
}

int main()
{
    sorts<unsigned char>("bytes", 3000, 256);
    sorts<short>("shorts", 3001, 60000);
    sorts<int>("ints", 20000, 4000000000u);
    sorts<unsigned long long>("wide", 2500, 4000000000u);
    sorts<float>("floats", 2777, 100000);
    sorts<double>("doubles", 1500, 100000);
    merge_sort_of_structures();
    segments();
    by_key();
    selections();
    histograms_and_extremes();
    return 0;
}
