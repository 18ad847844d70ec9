// Thrust: sets, unique, partitions, compaction, gather and scatter, searches, and vectors of host and device.
#include "common.cuh"
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/unique.h>
#include <vector>

struct odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

static void show(const char *name, const thrust::device_vector<int> &v, int n)
{
    thrust::host_vector<int> h(v.begin(), v.begin() + n);
    printf("%s %d:", name, n);
    for (int i = 0; i < n && i < 6; i++)
        printf(" %d", h[i]);
    printf(" fingerprint %08x\n", n ? fingerprint(h.data(), n * sizeof(int)) : 0);
}

int main()
{
    thrust::host_vector<int> ha, hb;
    for (int i = 0; i < 600; i++)
        ha.push_back(i * 2);
    for (int i = 0; i < 400; i++)
        hb.push_back(i * 3);
    thrust::device_vector<int> a = ha, b = hb, out(2000);
    show("union", out, thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("intersection", out,
         thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("difference", out, thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("symmetric", out,
         thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());
    show("merge", out, thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin());

    thrust::device_vector<int> c(1000);
    ha.resize(1000);
    for (int i = 0; i < 1000; i++)
        ha[i] = i * i / 5000 + i % 2;
    c = ha;
    int left = thrust::unique(c.begin(), c.end()) - c.begin();
    show("unique", c, left);
    c = ha;
    show("copy if", out, thrust::copy_if(c.begin(), c.end(), out.begin(), odd()) - out.begin());
    int kept = thrust::remove_if(c.begin(), c.end(), odd()) - c.begin();
    show("remove if", c, kept);
    c = ha;
    int first = thrust::stable_partition(c.begin(), c.end(), odd()) - c.begin();
    show("partition", c, 1000);
    printf("split at %d\n", first);
    int trues = thrust::partition(c.begin(), c.end(), odd()) - c.begin();
    printf("partition again %d\n", trues);

    thrust::reverse(a.begin(), a.end());
    show("reverse", a, 600);
    thrust::device_vector<int> map(600), gathered(600);
    hb.resize(600);
    for (int i = 0; i < 600; i++)
        hb[i] = (i * 7) % 600;
    map = hb;
    thrust::gather(map.begin(), map.end(), a.begin(), gathered.begin());
    show("gather", gathered, 600);
    thrust::scatter(gathered.begin(), gathered.end(), map.begin(), out.begin());
    show("scatter", out, 600);
    thrust::adjacent_difference(a.begin(), a.end(), gathered.begin());
    show("differences", gathered, 600);
    thrust::reverse(a.begin(), a.end());
    thrust::device_vector<int> wanted(3), found(3);
    wanted[0] = 7;
    wanted[1] = 100;
    wanted[2] = 5000;
    thrust::lower_bound(a.begin(), a.end(), wanted.begin(), wanted.end(), found.begin());
    show("lower bounds", found, 3);
    printf("contains %d %d\n", (int)thrust::binary_search(a.begin(), a.end(), 100),
           (int)thrust::binary_search(a.begin(), a.end(), 101));

    // Vectors grow, shrink, swap and take values one by one.
    thrust::device_vector<int> v;
    for (int i = 0; i < 10; i++)
        v.push_back(i * i);
    v.insert(v.begin() + 2, 77);
    v.erase(v.begin());
    v.resize(12, -1);
    v[3] = 1000;
    show("vector", v, 12);
    std::vector<int> plain(v.size());
    thrust::copy(v.begin(), v.end(), plain.begin());
    printf("copied %d %d\n", plain[3], plain[11]);
    return 0;
}
