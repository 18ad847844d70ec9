// Search for a proof of work: a number (nonce) for which the double SHA-256 of an 80-byte header is small. Each thread
// tries one nonce: the second 64-byte chunk of the header, which holds the nonce, from the state that the first chunk
// leaves and that is the same for all; then the hash of the hash.

#include "device.h"

__constant__ unsigned round_constants[64], first_state[8];

struct search {
    unsigned midstate[8]; // after the header's first 64 bytes
    unsigned tail[3];     // the three words between those and the nonce
    unsigned first_nonce;
    unsigned most; // a nonce is good if the hash's most significant word is no larger
};

static __device__ __forceinline__ unsigned rotate(unsigned a, int bits)
{
    return a >> bits | a << (32 - bits);
}

// One chunk: w holds its 16 words and is used up; the state is replaced by the next.
static __device__ __forceinline__ void compress(unsigned state[8], unsigned w[16])
{
    unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
             h = state[7];
#pragma unroll 1
    for (int round = 0; round < 64; round += 16) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            unsigned t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                          round_constants[round + i] + w[i];
            unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        // The words of the next 16 rounds. After the last round this is work for nothing, but without a branch.
#pragma unroll
        for (int i = 0; i < 16; i++) {
            unsigned early = w[(i + 1) % 16], late = w[(i + 14) % 16];
            w[i] += (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) + w[(i + 9) % 16] +
                    (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10);
        }
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

// Words 4 to 15 of a chunk whose message ends after `words` words.
static __device__ __forceinline__ void pad(unsigned w[16], int words, unsigned message_bits)
{
#pragma unroll
    for (int i = 4; i < 15; i++)
        if (i >= words)
            w[i] = i == words ? 0x80000000 : 0;
    w[15] = message_bits;
}

// tops[i]: the most significant word of the hash of nonce i. *best: the smallest good nonce, counted from the first.
extern "C" __global__ void mine(search s, unsigned *tops, unsigned *best)
{
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state[8], w[16];
#pragma unroll
    for (int i = 0; i < 8; i++)
        state[i] = s.midstate[i];
    w[0] = s.tail[0];
    w[1] = s.tail[1];
    w[2] = s.tail[2];
    w[3] = s.first_nonce + me;
    pad(w, 4, 80 * 8);
    compress(state, w);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        w[i] = state[i];
        state[i] = first_state[i];
    }
    pad(w, 8, 32 * 8);
    compress(state, w);
    // The hash is read as a number whose least significant byte is the first.
    unsigned last = state[7];
    unsigned top = last >> 24 | (last >> 8 & 0xff00) | (last << 8 & 0xff0000) | last << 24;
    tops[me] = top;
    if (top <= s.most)
        atomicMin(best, me);
}
