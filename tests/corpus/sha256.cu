// SHA-256 of a short message a thread: rotations, a constant table and long straight code.
#include "corpus.h"

__constant__ u32 round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ u32 rotate(u32 x, int by)
{
    return x >> by | x << (32 - by);
}

// The message is `words` words, at most 13, taken as big-endian.
extern "C" __global__ void sha256(const u32 *messages, u32 *digests, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 w[16];
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        w[k] = k < words ? messages[i * words + k] : k == words ? 0x80000000u : k == 15 ? (u32)words * 32 : 0;
    u32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    u32 e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
        if (k >= 16) {
            u32 x = w[(k + 1) & 15], y = w[(k + 14) & 15];
            w[k & 15] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(k + 9) & 15] +
                         (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        u32 t = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                round_constant[k] + w[k & 15];
        u32 s = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t;
        d = c;
        c = b;
        b = a;
        a = t + s;
    }
    u32 *o = digests + 8 * i;
    o[0] = a + 0x6a09e667;
    o[1] = b + 0xbb67ae85;
    o[2] = c + 0x3c6ef372;
    o[3] = d + 0xa54ff53a;
    o[4] = e + 0x510e527f;
    o[5] = f + 0x9b05688c;
    o[6] = g + 0x1f83d9ab;
    o[7] = h + 0x5be0cd19;
}
