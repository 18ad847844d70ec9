// Hybrid sort of floats: a bucket sort into 1024 buckets of about equal size, then a merge sort within each bucket that
// merges vectors of four. After Sintorn and Assarsson, "Fast Parallel GPU-Sorting Using a Hybrid Algorithm", 2008.

#include "device.h"

enum { BUCKETS = 1024, LOG_BUCKETS = 10, BINS = 1024, HISTOGRAM_WARPS = 3, WARP = 32 };

// Of each bucket: its first vector of four, and the end of the last one; its first element in the sorted list, and the
// end of the last one; how many zeros fill its last vector up.
__constant__ int first_four[BUCKETS + 1];
__constant__ int first_sorted[BUCKETS + 1];
__constant__ int padding[BUCKETS];

// ---- bucket sort ----

// Adds 1 to a counter, and returns what it was before. Of the threads of a warp that meet at a counter, one gets
// through per round. The atomic addition of 0 is a read.
static __device__ unsigned count_one(unsigned *counter)
{
    unsigned before;
    do
        before = atomicAdd(counter, 0u);
    while (atomicCAS(counter, before, before + 1) != before);
    return before;
}

// Blocks of 96: three warps, each with counters of its own.
extern "C" __global__ void histogram(unsigned *total, const float *list, float least, float most, int size)
{
    __shared__ unsigned counter[HISTOGRAM_WARPS * BINS];
    for (int i = threadIdx.x; i < HISTOGRAM_WARPS * BINS; i += blockDim.x)
        counter[i] = 0;
    __syncthreads();

    unsigned *mine = counter + threadIdx.x / WARP * BINS;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
        unsigned bin = (unsigned)((list[i] - least) / (most - least) * BINS);
        count_one(mine + min(bin, (unsigned)BINS - 1));
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        unsigned sum = 0;
        for (int warp = 0; warp < HISTOGRAM_WARPS; warp++)
            sum += counter[warp * BINS + bin];
        atomicAdd(total + bin, sum);
    }
}

// Blocks of 32. Each element's bucket by bisection of the pivots, and its number among the block's elements of that
// bucket.
extern "C" __global__ void count_buckets(const float *list, unsigned *place, unsigned *counts, int size,
                                         cudaTextureObject_t pivots)
{
    __shared__ unsigned counter[BUCKETS];
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
        counter[i] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
        float element = list[i];
        int bucket = BUCKETS / 2 - 1;
        float pivot = tex1Dfetch<float>(pivots, bucket);
        for (int step = BUCKETS / 4; step >= 1; step /= 2) {
            bucket = element < pivot ? bucket - step : bucket + step;
            pivot = tex1Dfetch<float>(pivots, bucket);
        }
        bucket = element < pivot ? bucket : bucket + 1;
        place[i] = (count_one(counter + bucket) << LOG_BUCKETS) + bucket;
    }
    __syncthreads();

    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
        counts[blockIdx.x * BUCKETS + i] = counter[i];
}

// Blocks of 128, one thread per bucket: how many elements of the bucket the blocks before each block have, and how many
// all have.
extern "C" __global__ void sum_counts(unsigned *counts, unsigned *total, int blocks)
{
    int bucket = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int i = bucket; i < blocks * BUCKETS; i += BUCKETS) {
        unsigned count = counts[i];
        counts[i] = sum;
        sum += count;
    }
    total[bucket] = sum;
}

// Blocks of 32, on the same elements as in count_buckets.
extern "C" __global__ void fill_buckets(const float *list, const unsigned *place, float *filled, int size,
                                        const unsigned *counts, const unsigned *first)
{
    __shared__ unsigned start[BUCKETS];
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
        start[i] = first[i] + counts[blockIdx.x * BUCKETS + i];
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
        float element = list[i];
        unsigned at = place[i];
        filled[start[at & (BUCKETS - 1)] + (at >> LOG_BUCKETS)] = element;
    }
}

// ---- merge sort ----

static __device__ float lesser(float a, float b)
{
    return a > b ? b : a;
}

static __device__ float greater(float a, float b)
{
    return b > a ? b : a;
}

// A sorting network of five comparisons.
static __device__ float4 sort_four(float4 v)
{
    float4 pairs = make_float4(lesser(v.x, v.y), greater(v.x, v.y), lesser(v.z, v.w), greater(v.z, v.w));
    float low = lesser(pairs.x, pairs.z), inner = lesser(pairs.y, pairs.w);
    float other = greater(pairs.x, pairs.z), high = greater(pairs.y, pairs.w);
    return make_float4(low, lesser(inner, other), greater(inner, other), high);
}

// Of two sorted vectors, the four lowest and the four highest elements, not sorted.
static __device__ float4 lowest(float4 a, float4 b)
{
    return make_float4(lesser(a.x, b.w), lesser(a.y, b.z), lesser(a.z, b.y), lesser(a.w, b.x));
}

static __device__ float4 highest(float4 a, float4 b)
{
    return make_float4(greater(a.w, b.x), greater(a.z, b.y), greater(a.y, b.z), greater(a.x, b.w));
}

// Blocks of 256, one thread per vector.
extern "C" __global__ void sort_fours(float4 *sorted, int fours, cudaTextureObject_t list)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < fours)
        sorted[i] = sort_four(tex1Dfetch<float4>(list, i));
}

// Blocks of 208. Each thread merges two sorted lists of its bucket, of span / 2 vectors each, into one.
extern "C" __global__ void merge_lists(float4 *merged, int span, int threads_a_bucket, cudaTextureObject_t list)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, bucket = thread / threads_a_bucket;
    if (bucket >= BUCKETS)
        return;
    int a_first = first_four[bucket] + (thread - bucket * threads_a_bucket) * span, b_first = a_first + span / 2;
    float4 *out = merged + a_first;
    if (a_first >= first_four[bucket + 1])
        return;
    if (b_first >= first_four[bucket + 1]) { // there is no other list to merge with
        for (int i = 0; i < first_four[bucket + 1] - a_first; i++)
            out[i] = tex1Dfetch<float4>(list, a_first + i);
        return;
    }

    int a = 0, b = 0, done = 0;
    float4 low = tex1Dfetch<float4>(list, a_first), high = tex1Dfetch<float4>(list, b_first);
    while (true) {
        float4 next_a = tex1Dfetch<float4>(list, a_first + a + 1), next_b = tex1Dfetch<float4>(list, b_first + b + 1);
        float4 four = lowest(low, high);
        high = sort_four(highest(low, high));
        out[done++] = sort_four(four);

        // The list whose next vector begins with the lower element gives it.
        bool has_a = a + 1 < span / 2, has_b = b + 1 < span / 2 && b_first + b + 1 < first_four[bucket + 1];
        if (has_a) {
            if (has_b) {
                if (next_a.x < next_b.x) {
                    a++;
                    low = next_a;
                } else {
                    b++;
                    low = next_b;
                }
            } else {
                a++;
                low = next_a;
            }
        } else {
            if (has_b) {
                b++;
                low = next_b;
            } else {
                break;
            }
        }
    }
    out[done] = high;
}

// Blocks of 256 in a row per bucket: leaves out the zeros, which were sorted to the bucket's front.
extern "C" __global__ void pack(const float *list, float *packed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, bucket = blockIdx.y;
    if (first_sorted[bucket] + i >= first_sorted[bucket + 1])
        return;
    packed[first_sorted[bucket] + i] = list[4 * first_four[bucket] + padding[bucket] + i];
}
