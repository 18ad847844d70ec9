// Quicksort. While sequences are few, many blocks partition one sequence together: a launch counts the keys on either
// side of the pivot, the host turns the counts of blocks into places, a launch moves the keys to the other of two
// arrays, and one writes the pivots. When there are enough sequences, each gets a block of its own, which goes on with
// a stack in shared memory until the pieces are short, and sorts those by a bitonic network.
//
// Blocks of 64 threads. Loops over keys start at an aligned address, where the first threads may have nothing to do.

#include "device.h"

enum { THREADS = 64, ALIGNED = 16, MOST_SORTED = 256, STACK = 32 };

struct part {
    unsigned begin, end, pivot; // keys of this block, and the pivot of its sequence
    unsigned is_last;           // of the blocks of its sequence
};

struct sequence {
    unsigned begin, end;
    unsigned is_in_keys; // else in the other array
};

struct totals {
    unsigned less, greater; // how many keys of the block; after the host, where its left keys begin, its right ones end
    unsigned least, most;
};

// Turns two arrays of counts into exclusive prefix sums, in place: up a tree, then down again. The sums of all counts
// come behind the arrays' ends.
static __device__ __forceinline__ void scan_both(unsigned *less, unsigned *greater)
{
    int me = threadIdx.x, stride = 1;
    __syncthreads();
    for (int pairs = THREADS >> 1; pairs > 0; pairs >>= 1) {
        __syncthreads();
        if (me < pairs) {
            int left = stride * (2 * me + 1) - 1, right = stride * (2 * me + 2) - 1;
            less[right] += less[left];
            greater[right] += greater[left];
        }
        stride *= 2;
    }
    __syncthreads();
    if (me == 0) {
        less[THREADS] = less[THREADS - 1];
        greater[THREADS] = greater[THREADS - 1];
        less[THREADS - 1] = 0;
        greater[THREADS - 1] = 0;
    }
    __syncthreads();
    for (int pairs = 1; pairs < THREADS; pairs *= 2) {
        stride >>= 1;
        __syncthreads();
        if (me < pairs) {
            int left = stride * (2 * me + 1) - 1, right = stride * (2 * me + 2) - 1;
            unsigned below = less[left];
            less[left] = less[right];
            less[right] += below;
            below = greater[left];
            greater[left] = greater[right];
            greater[right] += below;
        }
    }
}

// left_ranks, right_ranks: of each thread, how many keys of its block go to that side up to and including its own.
extern "C" __global__ void count_sides(const unsigned *keys, const part *parts, unsigned *left_ranks,
                                       unsigned *right_ranks, totals *sums)
{
    __shared__ unsigned less[THREADS + 1], greater[THREADS + 1], least[THREADS], most[THREADS];
    unsigned me = threadIdx.x;
    unsigned begin = parts[blockIdx.x].begin, end = parts[blockIdx.x].end, pivot = parts[blockIdx.x].pivot;
    least[me] = most[me] = keys[min(begin + me, end - 1)];
    __syncthreads();

    unsigned is_less = 0, is_greater = 0, skew = begin % ALIGNED, base = begin - skew;
    if (base + me < end) {
        if (me >= skew) {
            unsigned key = keys[base + me];
            if (key < pivot)
                is_less++;
            else if (key > pivot)
                is_greater++;
            least[me] = min(least[me], key);
            most[me] = max(most[me], key);
        }
    }
    for (unsigned i = base + me + THREADS; i < end; i += THREADS) {
        unsigned key = keys[i];
        if (key < pivot)
            is_less++;
        else if (key > pivot)
            is_greater++;
        least[me] = min(least[me], key);
        most[me] = max(most[me], key);
    }
    less[me] = is_less;
    greater[me] = is_greater;
    __syncthreads();
    scan_both(less, greater);
    if (me == 0) {
        for (int i = 0; i < THREADS; i++) {
            least[0] = min(least[0], least[i]);
            most[0] = max(most[0], most[i]);
        }
    }
    __syncthreads();
    left_ranks[blockIdx.x * THREADS + me] = less[me + 1];
    right_ranks[blockIdx.x * THREADS + me] = greater[me + 1];
    if (me == 0) {
        sums[blockIdx.x].less = less[THREADS];
        sums[blockIdx.x].greater = greater[THREADS];
        sums[blockIdx.x].least = least[0];
        sums[blockIdx.x].most = most[0];
    }
}

extern "C" __global__ void move_sides(const unsigned *from, unsigned *to, const part *parts, const unsigned *left_ranks,
                                      const unsigned *right_ranks, const totals *places)
{
    unsigned me = threadIdx.x, at = blockIdx.x * THREADS + me;
    unsigned left = places[blockIdx.x].less + left_ranks[at] - 1, right = places[blockIdx.x].greater - right_ranks[at];
    unsigned begin = parts[blockIdx.x].begin, end = parts[blockIdx.x].end, pivot = parts[blockIdx.x].pivot;
    __syncthreads();

    unsigned skew = begin % ALIGNED, base = begin - skew;
    if (base + me < end) {
        if (me >= skew) {
            unsigned key = from[base + me];
            if (key < pivot)
                to[left--] = key;
            else if (key > pivot)
                to[right++] = key;
        }
    }
    __syncthreads();
    for (unsigned i = base + me + THREADS; i < end; i += THREADS) {
        unsigned key = from[i];
        if (key < pivot)
            to[left--] = key;
        else if (key > pivot)
            to[right++] = key;
    }
}

// What equals the pivot stands between the sides. Its place is final, so it goes to `keys` at once.
extern "C" __global__ void write_pivots(unsigned *keys, const part *parts, const unsigned *left_ranks,
                                        const unsigned *right_ranks, const totals *places)
{
    if (parts[blockIdx.x].is_last) {
        unsigned last = blockIdx.x * THREADS + THREADS - 1, pivot = parts[blockIdx.x].pivot;
        unsigned end = places[blockIdx.x].greater - right_ranks[last];
        for (unsigned i = places[blockIdx.x].less + left_ranks[last] + threadIdx.x; i < end; i += THREADS)
            keys[i] = pivot;
    }
}

static __device__ __forceinline__ void swap(unsigned &a, unsigned &b)
{
    unsigned kept = a;
    a = b;
    b = kept;
}

// A bitonic network over a power of two of keys. The places before the first key get the least value, those behind the
// last one the greatest.
static __device__ __forceinline__ void sort_in_shared(unsigned *buffer, const unsigned *from, unsigned *to,
                                                      unsigned begin, unsigned end)
{
    unsigned skew = begin % ALIGNED, base = begin - skew, used = end - base, size = 2u << (31 - __clz(used));
    for (unsigned i = threadIdx.x; i < used; i += THREADS)
        if (i >= skew)
            buffer[i] = from[base + i];
    for (unsigned i = threadIdx.x; i < skew; i += THREADS)
        buffer[i] = 0;
    for (unsigned i = threadIdx.x + used; i < size; i += THREADS)
        buffer[i] = 0xffffffff;
    __syncthreads();

    for (unsigned run = 2; run <= size; run *= 2)
        for (unsigned apart = run / 2; apart > 0; apart /= 2) {
            for (unsigned i = threadIdx.x; i < size; i += THREADS) {
                unsigned other = i ^ apart;
                if (other > i) {
                    if ((i & run) == 0) {
                        if (buffer[i] > buffer[other])
                            swap(buffer[i], buffer[other]);
                    } else {
                        if (buffer[i] < buffer[other])
                            swap(buffer[i], buffer[other]);
                    }
                }
            }
            __syncthreads();
        }
    __syncthreads();

    for (unsigned i = threadIdx.x; i < used; i += THREADS)
        if (i >= skew)
            to[base + i] = buffer[i];
    __syncthreads();
}

// How many keys of a piece this thread finds on either side of the pivot.
static __device__ __forceinline__ uint2 count_piece(const unsigned *from, unsigned begin, unsigned end, unsigned pivot)
{
    unsigned me = threadIdx.x, skew = begin % ALIGNED, base = begin - skew, is_less = 0, is_greater = 0;
    if (base + me < end) {
        if (me >= skew) {
            unsigned key = from[base + me];
            if (key < pivot)
                is_less++;
            else if (key > pivot)
                is_greater++;
        }
    }
    for (unsigned i = base + me + THREADS; i < end; i += THREADS) {
        unsigned key = from[i];
        if (key < pivot)
            is_less++;
        else if (key > pivot)
            is_greater++;
    }
    return make_uint2(is_less, is_greater);
}

// Moves what count_piece() counted: down from `left`, and up from `right`.
static __device__ __forceinline__ void move_piece(const unsigned *from, unsigned *to, unsigned begin, unsigned end,
                                                  unsigned pivot, unsigned left, unsigned right)
{
    unsigned me = threadIdx.x, skew = begin % ALIGNED, base = begin - skew;
    if (base + me < end) {
        if (me >= skew) {
            unsigned key = from[base + me];
            if (key < pivot)
                to[left--] = key;
            else if (key > pivot)
                to[right++] = key;
        }
    }
    for (unsigned i = base + me + THREADS; i < end; i += THREADS) {
        unsigned key = from[i];
        if (key < pivot)
            to[left--] = key;
        else if (key > pivot)
            to[right++] = key;
    }
}

// A stack of pieces in shared memory, which is thread 0's. With the shorter side on top, 32 entries are enough for any
// sequence.
struct pieces {
    unsigned begin[STACK], end[STACK];
    bool is_in_keys[STACK];
    int top;
};

static __device__ __forceinline__ void replace_by_sides(pieces &stack, unsigned begin, unsigned end, unsigned less,
                                                        unsigned greater)
{
    int top = stack.top;
    stack.is_in_keys[top + 1] = !stack.is_in_keys[top];
    stack.is_in_keys[top] = !stack.is_in_keys[top];
    if (less < greater) {
        stack.begin[top + 1] = stack.begin[top];
        stack.begin[top] = end - greater;
        stack.end[top + 1] = begin + less;
    } else {
        stack.end[top + 1] = stack.end[top];
        stack.end[top] = begin + less;
        stack.begin[top + 1] = end - greater;
    }
    stack.top++;
}

extern "C" __global__ void sort_sequences(unsigned *keys, unsigned *spare, const sequence *sequences)
{
    __shared__ unsigned buffer[MOST_SORTED]; // the keys of a short piece, or the counts of a partition
    __shared__ pieces stack;
    __shared__ unsigned begin, end, pivot;
    __shared__ unsigned *from, *to;
    unsigned *less = buffer, *greater = buffer + THREADS + 1, me = threadIdx.x;

    if (me == 0) {
        stack.begin[0] = sequences[blockIdx.x].begin;
        stack.end[0] = sequences[blockIdx.x].end;
        stack.is_in_keys[0] = sequences[blockIdx.x].is_in_keys;
        stack.top = 0;
    }
    __syncthreads();
    if (stack.end[0] == stack.begin[0])
        return;

    while (stack.top >= 0) {
        __syncthreads();
        if (me == 0) {
            begin = stack.begin[stack.top];
            end = stack.end[stack.top];
            if (!stack.is_in_keys[stack.top]) {
                from = spare;
                to = keys;
            } else {
                from = keys;
                to = spare;
            }
        }
        __syncthreads();

        if (end - begin < MOST_SORTED - ALIGNED) {
            if (end - begin >= 1)
                sort_in_shared(buffer, from, keys, begin, end);
            __syncthreads();
            if (me == 0)
                stack.top--;
            __syncthreads();
            continue;
        }

        if (me == 0) {
            unsigned a = from[begin], b = from[end - 1], c = from[(begin + end) / 2];
            unsigned least = min(min(a, b), c), most = max(max(a, b), c);
            pivot = min(max(least / 2 + most / 2, least), most);
        }
        __syncthreads();
        uint2 count = count_piece(from, begin, end, pivot);
        less[me] = count.x;
        greater[me] = count.y;
        __syncthreads();
        scan_both(less, greater);
        __syncthreads();
        if (me == 0)
            replace_by_sides(stack, begin, end, less[THREADS], greater[THREADS]);
        __syncthreads();
        move_piece(from, to, begin, end, pivot, begin + less[me + 1] - 1, end - greater[me + 1]);
        __syncthreads();
        for (unsigned i = begin + less[THREADS] + me; i < end - greater[THREADS]; i += THREADS)
            keys[i] = pivot;
        __syncthreads();
    }
}
