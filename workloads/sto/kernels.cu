// SHA-1 hashes of all windows of a buffer, one thread per window; windows begin a few bytes apart. The 16 words that a
// thread hashes at a time are in shared memory, spread so that the threads of a warp use different banks.

#include "device.h"

enum { WORDS_OF_BLOCK = 4 * 1024 - 32, WORDS_OF_WARP = 512, WARP = 32 };

static __device__ __forceinline__ unsigned rotate(unsigned x, int by)
{
    return x << by | x >> (32 - by);
}

static __device__ __forceinline__ unsigned choose(unsigned x, unsigned y, unsigned z)
{
    return z ^ (x & (y ^ z));
}

static __device__ __forceinline__ unsigned parity(unsigned x, unsigned y, unsigned z)
{
    return x ^ y ^ z;
}

static __device__ __forceinline__ unsigned majority(unsigned x, unsigned y, unsigned z)
{
    return (x & y) | (z & (x | y));
}

// Where word i of this thread is among those of its warp.
static __device__ __forceinline__ int at(int i)
{
    return WARP * i + (threadIdx.x & (WARP - 1));
}

static __device__ __forceinline__ unsigned big_endian(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | (unsigned)bytes[3];
}

static __device__ __forceinline__ void put_big_endian(unsigned char *bytes, unsigned x)
{
    bytes[0] = (unsigned char)(x >> 24);
    bytes[1] = (unsigned char)(x >> 16);
    bytes[2] = (unsigned char)(x >> 8);
    bytes[3] = (unsigned char)x;
}

// Word t of the schedule takes the place of word t - 16.
static __device__ __forceinline__ unsigned next_word(unsigned *words, int t)
{
    unsigned mixed = words[at((t - 3) & 15)] ^ words[at((t - 8) & 15)] ^ words[at((t - 14) & 15)] ^ words[at(t & 15)];
    return words[at(t & 15)] = rotate(mixed, 1);
}

// Rounds are straight code, as in the original. The names of the five numbers move on, not their values.
#define ROUND(a, b, c, d, e, mix, k, word)         \
    e += rotate(a, 5) + mix(b, c, d) + k + (word); \
    b = rotate(b, 30);
#define GIVEN(t) words[at(t)]
#define NEXT(t)  next_word(words, t)
#define FIVE_ROUNDS(t, mix, k, word)          \
    ROUND(a, b, c, d, e, mix, k, word(t))     \
    ROUND(e, a, b, c, d, mix, k, word(t + 1)) \
    ROUND(d, e, a, b, c, mix, k, word(t + 2)) \
    ROUND(c, d, e, a, b, mix, k, word(t + 3)) \
    ROUND(b, c, d, e, a, mix, k, word(t + 4))
#define TWENTY_ROUNDS(t, mix, k)        \
    FIVE_ROUNDS(t, mix, k, NEXT)        \
    FIVE_ROUNDS((t) + 5, mix, k, NEXT)  \
    FIVE_ROUNDS((t) + 10, mix, k, NEXT) \
    FIVE_ROUNDS((t) + 15, mix, k, NEXT)

static __device__ __forceinline__ void hash_words(unsigned *words, unsigned *state)
{
    unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    FIVE_ROUNDS(0, choose, 0x5a827999, GIVEN)
    FIVE_ROUNDS(5, choose, 0x5a827999, GIVEN)
    FIVE_ROUNDS(10, choose, 0x5a827999, GIVEN)
    ROUND(a, b, c, d, e, choose, 0x5a827999, GIVEN(15))
    ROUND(e, a, b, c, d, choose, 0x5a827999, NEXT(16))
    ROUND(d, e, a, b, c, choose, 0x5a827999, NEXT(17))
    ROUND(c, d, e, a, b, choose, 0x5a827999, NEXT(18))
    ROUND(b, c, d, e, a, choose, 0x5a827999, NEXT(19))
    TWENTY_ROUNDS(20, parity, 0x6ed9eba1)
    TWENTY_ROUNDS(40, majority, 0x8f1bbcdc)
    TWENTY_ROUNDS(60, parity, 0xca62c1d6)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

// Blocks of 128. A hash is cut to its first four bytes. Windows are a multiple of four bytes long, and what is left
// after the last 64 bytes is 52 bytes at most. The last window is `missing` bytes shorter.
extern "C" __global__ void hash_windows(const unsigned char *input, int window_bytes, int offset, int windows,
                                        int missing, unsigned char *hashes)
{
    __shared__ unsigned words_of_block[WORDS_OF_BLOCK];
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= windows)
        return;
    if (me == windows - 1)
        window_bytes -= missing;

    unsigned *words = words_of_block + (threadIdx.x / WARP) * WORDS_OF_WARP;
    unsigned char *bytes = (unsigned char *)words;
    const unsigned *window = (const unsigned *)(input + me * offset);
    unsigned state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    int passes = window_bytes / 64 + 1;
    for (int pass = 0; pass < passes; pass++) {
        if (pass == passes - 1) {
            int empty = (64 - 12 - (window_bytes - (passes - 1) * 64)) / (int)sizeof(unsigned);
            for (int i = 0; i < empty; i++)
                words[at(13 - i)] = 0;
            for (int i = 0; i < 13 - empty; i++)
                words[at(i)] = window[16 * pass + i];
            words[at(13 - empty)] = 0x80;
            put_big_endian(bytes + at(14) * 4, (unsigned)window_bytes >> 29);
            put_big_endian(bytes + at(15) * 4, (unsigned)window_bytes << 3);
        } else {
#pragma unroll
            for (int i = 0; i < 16; i++)
                words[at(i)] = window[16 * pass + i];
        }
#pragma unroll
        for (int i = 0; i < 16; i++)
            words[at(i)] = big_endian(bytes + at(i) * 4);
        hash_words(words, state);
    }
    put_big_endian(hashes + me * 4, state[0]);
}
