// Merge sort of keys with values. A block sorts 1024 pairs in shared memory. Then sorted runs are merged two by two:
// every 128th key of both runs is a sample, its rank in the other run is found by binary search, and the ranks cut the
// two runs into intervals of at most 128 keys each, which a block merges in shared memory. All merges are stable.

#include "device.h"

enum { TILE = 1024, SAMPLE = 128 };

// How many of the sorted keys are less than `key` (or not greater, if `or_equal`). `step` is a power of two that is not
// less than `count`.
template <bool or_equal>
static __device__ __forceinline__ unsigned rank_of(unsigned key, const unsigned *sorted, unsigned count, unsigned step)
{
    if (count == 0)
        return 0;
    unsigned rank = 0;
    for (; step > 0; step >>= 1) {
        unsigned next = min(rank + step, count);
        if (or_equal ? sorted[next - 1] <= key : sorted[next - 1] < key)
            rank = next;
    }
    return rank;
}

static __device__ __forceinline__ unsigned samples_in(unsigned keys)
{
    return (keys + SAMPLE - 1) / SAMPLE;
}

static __device__ __forceinline__ unsigned power_of_two_for(unsigned count)
{
    return 1u << (32 - __clz((int)(count - 1)));
}

// Blocks of 512 threads, two pairs each. `length` is how many pairs are sorted together, TILE at most.
extern "C" __global__ void sort_tiles(unsigned *keys_out, unsigned *values_out, const unsigned *keys_in,
                                      const unsigned *values_in, unsigned length)
{
    __shared__ unsigned keys[TILE], values[TILE];
    unsigned me = threadIdx.x, here = blockIdx.x * TILE + me;
    unsigned *my_keys = keys + me, *my_values = values + me;
    keys_in += here;
    values_in += here;
    my_keys[0] = keys_in[0];
    my_values[0] = values_in[0];
    my_keys[TILE / 2] = keys_in[TILE / 2];
    my_values[TILE / 2] = values_in[TILE / 2];

    for (unsigned run = 1; run < length; run <<= 1) {
        unsigned place = me & (run - 1);
        unsigned first = 2 * (me - place);
        __syncthreads();
        unsigned key_a = keys[first + place], value_a = values[first + place];
        unsigned key_b = keys[first + run + place], value_b = values[first + run + place];
        unsigned to_a = first + place + rank_of<false>(key_a, &keys[first + run], run, run);
        unsigned to_b = first + place + rank_of<true>(key_b, &keys[first], run, run);
        __syncthreads();
        keys[to_a] = key_a;
        values[to_a] = value_a;
        keys[to_b] = key_b;
        values[to_b] = value_b;
    }

    __syncthreads();
    keys_out += here;
    values_out += here;
    keys_out[0] = my_keys[0];
    values_out[0] = my_values[0];
    keys_out[TILE / 2] = my_keys[TILE / 2];
    values_out[TILE / 2] = my_values[TILE / 2];
}

// Blocks of 256 threads; a thread has one sample of the first run and the sample of the same number of the second. What
// is stored for a sample is its place in both runs.
extern "C" __global__ void rank_samples(unsigned *places_a, unsigned *places_b, const unsigned *keys, unsigned run,
                                        unsigned count, unsigned thread_count)
{
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= thread_count)
        return;
    unsigned sample = me & (run / SAMPLE - 1), pair = (me - sample) * (2 * SAMPLE);
    keys += pair;
    places_a += pair / SAMPLE;
    places_b += pair / SAMPLE;
    unsigned keys_b = min(run, count - pair - run), samples_a = samples_in(run), samples_b = samples_in(keys_b);
    if (sample < samples_a) {
        places_a[sample] = sample * SAMPLE;
        places_b[sample] = rank_of<false>(keys[sample * SAMPLE], keys + run, keys_b, power_of_two_for(keys_b));
    }
    if (sample < samples_b) {
        places_b[run / SAMPLE + sample] = sample * SAMPLE;
        places_a[run / SAMPLE + sample] = rank_of<true>(keys[run + sample * SAMPLE], keys, run, power_of_two_for(run));
    }
}

// Merges the places of the samples of both runs in one of the runs, which makes them the limits of intervals in order.
// Blocks of 256 threads, one launch for each run.
extern "C" __global__ void merge_places(unsigned *limits, const unsigned *places, unsigned run, unsigned count,
                                        unsigned thread_count)
{
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= thread_count)
        return;
    unsigned sample = me & (run / SAMPLE - 1), pair = (me - sample) * (2 * SAMPLE);
    places += (me - sample) * 2;
    limits += (me - sample) * 2;
    unsigned keys_b = min(run, count - pair - run), samples_a = samples_in(run), samples_b = samples_in(keys_b);
    if (sample < samples_a) {
        unsigned to = rank_of<false>(places[sample], places + samples_a, samples_b, power_of_two_for(samples_b));
        limits[to + sample] = places[sample];
    }
    if (sample < samples_b) {
        unsigned to = rank_of<true>(places[samples_a + sample], places, samples_a, power_of_two_for(samples_a));
        limits[to + sample] = places[samples_a + sample];
    }
}

// A block of 128 threads merges one interval of each run; a thread has a pair of each, while there are as many.
extern "C" __global__ void merge_intervals(unsigned *keys_out, unsigned *values_out, const unsigned *keys_in,
                                           const unsigned *values_in, const unsigned *limits_a,
                                           const unsigned *limits_b, unsigned run, unsigned count)
{
    __shared__ unsigned keys[2 * SAMPLE], values[2 * SAMPLE];
    __shared__ unsigned first_a, first_b, count_a, count_b;
    unsigned me = threadIdx.x, interval = blockIdx.x & (2 * run / SAMPLE - 1);
    unsigned pair = (blockIdx.x - interval) * SAMPLE;
    keys_in += pair;
    values_in += pair;
    keys_out += pair;
    values_out += pair;
    if (me == 0) {
        unsigned keys_b = min(run, count - pair - run), samples = samples_in(run) + samples_in(keys_b);
        bool is_last = interval + 1 >= samples;
        first_a = limits_a[blockIdx.x];
        first_b = limits_b[blockIdx.x];
        count_a = (is_last ? run : limits_a[blockIdx.x + 1]) - first_a;
        count_b = (is_last ? keys_b : limits_b[blockIdx.x + 1]) - first_b;
    }
    __syncthreads();

    if (me < count_a) {
        keys[me] = keys_in[first_a + me];
        values[me] = values_in[first_a + me];
    }
    if (me < count_b) {
        keys[SAMPLE + me] = keys_in[run + first_b + me];
        values[SAMPLE + me] = values_in[run + first_b + me];
    }
    __syncthreads();

    unsigned key_a, value_a, to_a, key_b, value_b, to_b;
    if (me < count_a) {
        key_a = keys[me];
        value_a = values[me];
        to_a = rank_of<false>(key_a, keys + SAMPLE, count_b, SAMPLE) + me;
    }
    if (me < count_b) {
        key_b = keys[SAMPLE + me];
        value_b = values[SAMPLE + me];
        to_b = rank_of<true>(key_b, keys, count_a, SAMPLE) + me;
    }
    __syncthreads();
    if (me < count_a) {
        keys[to_a] = key_a;
        values[to_a] = value_a;
    }
    if (me < count_b) {
        keys[to_b] = key_b;
        values[to_b] = value_b;
    }
    __syncthreads();

    unsigned to = first_a + first_b;
    if (me < count_a) {
        keys_out[to + me] = keys[me];
        values_out[to + me] = values[me];
    }
    if (me < count_b) {
        keys_out[to + count_a + me] = keys[count_a + me];
        values_out[to + count_a + me] = values[count_a + me];
    }
}
