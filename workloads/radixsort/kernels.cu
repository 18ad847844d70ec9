// Radix sort of keys, four bits per pass. A pass has four steps, which are launches: sort_tiles sorts tiles of 1024
// keys by the four bits, in shared memory; find_digits finds where each of the 16 digits begins in each half tile, and
// how often it occurs; scan_counts turns the counts of all half tiles into places; scatter takes the keys there.
//
// Blocks of 256 threads. What the threads of a warp do in lock-step in the original has barriers here.

#include "device.h"

enum { THREADS = 256, WARP = 32, WARPS = THREADS / WARP, DIGIT_BITS = 4, DIGITS = 16 };

// The sum of `value` over the threads before this one in its warp, of those at most `reach` - 1 away. A warp has a row
// of 32 zeros and 32 sums, so no thread has to ask whether it has a predecessor.
static __device__ __forceinline__ unsigned scan_warp(unsigned value, unsigned *rows, unsigned reach)
{
    unsigned me = threadIdx.x, at = 2 * me - me % WARP;
    rows[at] = 0;
    at += WARP;
    rows[at] = value;
    for (unsigned away = 1; away < reach; away *= 2) {
        __syncthreads();
        unsigned before = rows[at - away];
        __syncthreads();
        rows[at] += before;
    }
    return rows[at] - value;
}

// Exclusive prefix sums of four numbers per thread, over the block: within each warp, then over the warps' sums.
static __device__ __forceinline__ uint4 scan_block(uint4 values, unsigned *rows)
{
    unsigned me = threadIdx.x, warp = me / WARP;
    unsigned two = values.x + values.y, three = two + values.z, four = three + values.w;
    unsigned before = scan_warp(four, rows, WARP);
    __syncthreads();
    if (me % WARP == WARP - 1)
        rows[warp] = before + four;
    __syncthreads();
    unsigned sum = me < WARPS ? rows[me] : 0;
    __syncthreads();
    sum = scan_warp(sum, rows, WARPS);
    __syncthreads();
    if (me < WARPS)
        rows[me] = sum;
    __syncthreads();
    before += rows[warp];
    return make_uint4(before, before + values.x, before + two, before + three);
}

// Where four keys go if all that have the bit clear come first, and the order is kept otherwise.
static __device__ __forceinline__ uint4 rank_by_bit(uint4 is_clear, unsigned *rows, unsigned *clear_count)
{
    unsigned me = threadIdx.x, first = 4 * me;
    uint4 clear_before = scan_block(is_clear, rows);
    if (me == THREADS - 1)
        *clear_count = clear_before.w + is_clear.w;
    __syncthreads();
    uint4 rank;
    rank.x = is_clear.x ? clear_before.x : *clear_count + first - clear_before.x;
    rank.y = is_clear.y ? clear_before.y : *clear_count + first + 1 - clear_before.y;
    rank.z = is_clear.z ? clear_before.z : *clear_count + first + 2 - clear_before.z;
    rank.w = is_clear.w ? clear_before.w : *clear_count + first + 3 - clear_before.w;
    return rank;
}

// Key number `rank` of a tile belongs to thread rank / 4. In shared memory, the first keys of all threads come first,
// then all second ones: so threads of a warp read from different banks.
static __device__ __forceinline__ unsigned place_of(unsigned rank)
{
    return rank % 4 * THREADS + rank / 4;
}

// Four keys per thread. One bit at a time.
extern "C" __global__ void sort_tiles(const uint4 *keys, uint4 *sorted, unsigned first_bit)
{
    __shared__ unsigned tile[4 * THREADS]; // keys, or the rows of scan_warp()
    __shared__ unsigned clear_count;
    unsigned me = threadIdx.x, at = blockIdx.x * THREADS + me;
    uint4 key = keys[at];
    __syncthreads();
    for (unsigned bit = first_bit; bit < first_bit + DIGIT_BITS; bit++) {
        uint4 is_clear = make_uint4(!(key.x >> bit & 1), !(key.y >> bit & 1), !(key.z >> bit & 1), !(key.w >> bit & 1));
        uint4 rank = rank_by_bit(is_clear, tile, &clear_count);
        tile[place_of(rank.x)] = key.x;
        tile[place_of(rank.y)] = key.y;
        tile[place_of(rank.z)] = key.z;
        tile[place_of(rank.w)] = key.w;
        __syncthreads();
        key = make_uint4(tile[me], tile[me + THREADS], tile[me + 2 * THREADS], tile[me + 3 * THREADS]);
        __syncthreads();
    }
    sorted[at] = key;
}

// Two keys per thread. Counts of a digit stand together, so that one scan of all counts gives places.
extern "C" __global__ void find_digits(const uint2 *keys, unsigned *counts, unsigned *begins, unsigned first_bit,
                                       unsigned blocks)
{
    __shared__ unsigned found[DIGITS], digit[2 * THREADS];
    unsigned me = threadIdx.x, later = me + THREADS;
    uint2 pair = keys[blockIdx.x * THREADS + me];
    digit[2 * me] = pair.x >> first_bit & (DIGITS - 1);
    digit[2 * me + 1] = pair.y >> first_bit & (DIGITS - 1);
    if (me < DIGITS)
        found[me] = 0;
    __syncthreads();

    if (me > 0 && digit[me] != digit[me - 1])
        found[digit[me]] = me;
    if (digit[later] != digit[later - 1])
        found[digit[later]] = later;
    __syncthreads();
    if (me < DIGITS)
        begins[blockIdx.x * DIGITS + me] = found[me];
    __syncthreads();

    if (me > 0 && digit[me] != digit[me - 1])
        found[digit[me - 1]] = me - found[digit[me - 1]];
    if (digit[later] != digit[later - 1])
        found[digit[later - 1]] = later - found[digit[later - 1]];
    if (me == THREADS - 1)
        found[digit[2 * THREADS - 1]] = 2 * THREADS - found[digit[2 * THREADS - 1]];
    __syncthreads();
    if (me < DIGITS)
        counts[me * blocks + blockIdx.x] = found[me];
}

// Exclusive prefix sums of four numbers per thread, in place; the sum of the whole block goes to `sums`.
extern "C" __global__ void scan_counts(uint4 *counts, unsigned *sums, unsigned quads)
{
    __shared__ unsigned rows[2 * THREADS];
    unsigned me = threadIdx.x, at = blockIdx.x * THREADS + me;
    uint4 count = make_uint4(0, 0, 0, 0);
    if (at < quads)
        count = counts[at];
    uint4 before = scan_block(count, rows);
    if (at < quads)
        counts[at] = before;
    if (me == THREADS - 1)
        sums[blockIdx.x] = before.w + count.w;
}

extern "C" __global__ void add_sums(uint4 *counts, const unsigned *sums, unsigned quads)
{
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (at < quads) {
        uint4 count = counts[at];
        unsigned before = sums[blockIdx.x];
        counts[at] = make_uint4(count.x + before, count.y + before, count.z + before, count.w + before);
    }
}

// Two keys per thread.
extern "C" __global__ void scatter(const uint2 *keys, unsigned *to, const unsigned *places, const unsigned *begins,
                                   unsigned first_bit, unsigned key_count, unsigned blocks)
{
    __shared__ unsigned place[DIGITS], begin[DIGITS], key[2 * THREADS];
    unsigned me = threadIdx.x, later = me + THREADS;
    uint2 pair = keys[blockIdx.x * THREADS + me];
    key[2 * me] = pair.x;
    key[2 * me + 1] = pair.y;
    if (me < DIGITS) {
        place[me] = places[me * blocks + blockIdx.x];
        begin[me] = begins[blockIdx.x * DIGITS + me];
    }
    __syncthreads();

    unsigned digit = key[me] >> first_bit & (DIGITS - 1), at = place[digit] + me - begin[digit];
    if (at < key_count)
        to[at] = key[me];
    digit = key[later] >> first_bit & (DIGITS - 1);
    at = place[digit] + later - begin[digit];
    if (at < key_count)
        to[at] = key[later];
}
