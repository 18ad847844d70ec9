// Reversal of MD5 hashes: for each target, a word with one or two unknown characters in front of it. A thread takes one
// target after the other and tries all characters of the target's alphabet until the hash is right or none is left.
//
// Only the first word of the message changes from candidate to candidate, and steps 49 to 63 of MD5 do not use it. So
// these steps are undone once, from the target. A candidate mostly needs steps 0 to 45 only: the first number that
// differs from what the target fixes there rejects the candidate.

#include "device.h"

enum { ALPHABETS = 3, MOST_LETTERS = 26, NOT_FOUND = -1 };

struct target {
    unsigned a, b, c, d;     // the hash
    unsigned m0, m1, m2, m3; // the message, with zeros in place of unknown characters
    unsigned bits;           // of the message
    int unknown;             // characters: 1 or 2
    int alphabet;
};

extern "C" {
__constant__ unsigned char md5_alphabet[ALPHABETS][MOST_LETTERS];
__constant__ int md5_letters[ALPHABETS];
}

// What does not change from candidate to candidate: the message behind its first word, and what steps 45 to 48 must
// leave.
struct wanted {
    unsigned m1, m2, m3, bits;
    unsigned d45, c46, b47, a48;
};

#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))

__device__ __forceinline__ unsigned rotate(unsigned x, int by)
{
    return x << by | x >> (32 - by);
}

#define STEP(f, a, b, c, d, m, k, s) a = b + rotate(a + f(b, c, d) + (m) + (k), s);
#define BACK(a, b, c, d, m, k, s)    a = rotate(a - b, 32 - (s)) - I(b, c, d) - (m) - (k);

// Undoes the last steps, beginning with the additions at the end of MD5.
__device__ __forceinline__ wanted undo(const target &t)
{
    wanted w = {t.m1, t.m2, t.m3, t.bits, 0, 0, 0, 0};
    unsigned a = t.a - 0x67452301, b = t.b - 0xefcdab89, c = t.c - 0x98badcfe, d = t.d - 0x10325476;
    BACK(b, c, d, a, 0, 0xeb86d391, 21)
    BACK(c, d, a, b, w.m2, 0x2ad7d2bb, 15)
    BACK(d, a, b, c, 0, 0xbd3af235, 10)
    BACK(a, b, c, d, 0, 0xf7537e82, 6)
    BACK(b, c, d, a, 0, 0x4e0811a1, 21)
    BACK(c, d, a, b, 0, 0xa3014314, 15)
    BACK(d, a, b, c, 0, 0xfe2ce6e0, 10)
    BACK(a, b, c, d, 0, 0x6fa87e4f, 6)
    BACK(b, c, d, a, w.m1, 0x85845dd1, 21)
    BACK(c, d, a, b, 0, 0xffeff47d, 15)
    BACK(d, a, b, c, w.m3, 0x8f0ccc92, 10)
    BACK(a, b, c, d, 0, 0x655b59c3, 6)
    BACK(b, c, d, a, 0, 0xfc93a039, 21)
    BACK(c, d, a, b, w.bits, 0xab9423a7, 15)
    BACK(d, a, b, c, 0, 0x432aff97, 10)
    w.d45 = d;
    w.c46 = c;
    w.b47 = b;
    w.a48 = a;
    return w;
}

__device__ __forceinline__ bool is_right(const wanted &w, unsigned m0)
{
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    STEP(F, a, b, c, d, m0, 0xd76aa478, 7)
    STEP(F, d, a, b, c, w.m1, 0xe8c7b756, 12)
    STEP(F, c, d, a, b, w.m2, 0x242070db, 17)
    STEP(F, b, c, d, a, w.m3, 0xc1bdceee, 22)
    STEP(F, a, b, c, d, 0, 0xf57c0faf, 7)
    STEP(F, d, a, b, c, 0, 0x4787c62a, 12)
    STEP(F, c, d, a, b, 0, 0xa8304613, 17)
    STEP(F, b, c, d, a, 0, 0xfd469501, 22)
    STEP(F, a, b, c, d, 0, 0x698098d8, 7)
    STEP(F, d, a, b, c, 0, 0x8b44f7af, 12)
    STEP(F, c, d, a, b, 0, 0xffff5bb1, 17)
    STEP(F, b, c, d, a, 0, 0x895cd7be, 22)
    STEP(F, a, b, c, d, 0, 0x6b901122, 7)
    STEP(F, d, a, b, c, 0, 0xfd987193, 12)
    STEP(F, c, d, a, b, w.bits, 0xa679438e, 17)
    STEP(F, b, c, d, a, 0, 0x49b40821, 22)
    STEP(G, a, b, c, d, w.m1, 0xf61e2562, 5)
    STEP(G, d, a, b, c, 0, 0xc040b340, 9)
    STEP(G, c, d, a, b, 0, 0x265e5a51, 14)
    STEP(G, b, c, d, a, m0, 0xe9b6c7aa, 20)
    STEP(G, a, b, c, d, 0, 0xd62f105d, 5)
    STEP(G, d, a, b, c, 0, 0x02441453, 9)
    STEP(G, c, d, a, b, 0, 0xd8a1e681, 14)
    STEP(G, b, c, d, a, 0, 0xe7d3fbc8, 20)
    STEP(G, a, b, c, d, 0, 0x21e1cde6, 5)
    STEP(G, d, a, b, c, w.bits, 0xc33707d6, 9)
    STEP(G, c, d, a, b, w.m3, 0xf4d50d87, 14)
    STEP(G, b, c, d, a, 0, 0x455a14ed, 20)
    STEP(G, a, b, c, d, 0, 0xa9e3e905, 5)
    STEP(G, d, a, b, c, w.m2, 0xfcefa3f8, 9)
    STEP(G, c, d, a, b, 0, 0x676f02d9, 14)
    STEP(G, b, c, d, a, 0, 0x8d2a4c8a, 20)
    STEP(H, a, b, c, d, 0, 0xfffa3942, 4)
    STEP(H, d, a, b, c, 0, 0x8771f681, 11)
    STEP(H, c, d, a, b, 0, 0x6d9d6122, 16)
    STEP(H, b, c, d, a, w.bits, 0xfde5380c, 23)
    STEP(H, a, b, c, d, w.m1, 0xa4beea44, 4)
    STEP(H, d, a, b, c, 0, 0x4bdecfa9, 11)
    STEP(H, c, d, a, b, 0, 0xf6bb4b60, 16)
    STEP(H, b, c, d, a, 0, 0xbebfbc70, 23)
    STEP(H, a, b, c, d, 0, 0x289b7ec6, 4)
    STEP(H, d, a, b, c, m0, 0xeaa127fa, 11)
    STEP(H, c, d, a, b, w.m3, 0xd4ef3085, 16)
    STEP(H, b, c, d, a, 0, 0x04881d05, 23)
    STEP(H, a, b, c, d, 0, 0xd9d4d039, 4)
    STEP(H, d, a, b, c, 0, 0xe6db99e5, 11)
    if (d != w.d45)
        return false;
    STEP(H, c, d, a, b, 0, 0x1fa27cf8, 16)
    if (c != w.c46)
        return false;
    STEP(H, b, c, d, a, w.m2, 0xc4ac5665, 23)
    if (b != w.b47)
        return false;
    STEP(I, a, b, c, d, m0, 0xf4292244, 6)
    return a == w.a48;
}

// Blocks of 64. `found` gets the number of the candidate that is right, `tried` how many were tried.
extern "C" __global__ void meiyamd5(const target *targets, int count, int *found, int *tried)
{
    int threads = gridDim.x * blockDim.x;
    HEDDLE_PREDICT(candidate);
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        target t = targets[i];
        wanted w = undo(t);
        int letters = md5_letters[t.alphabet], candidates = t.unknown == 1 ? letters : letters * letters;
        int low = 0, high = 0, right = NOT_FOUND, at = 0;
#pragma unroll 1
        while (at < candidates) {
            HEDDLE_LABEL(candidate);
            unsigned m0 = t.m0 | md5_alphabet[t.alphabet][low];
            if (t.unknown == 2)
                m0 |= md5_alphabet[t.alphabet][high] << 8;
            at++;
            if (is_right(w, m0)) {
                right = at - 1;
                break;
            }
            if (++low == letters) {
                low = 0;
                high++;
            }
        }
        found[i] = right;
        tried[i] = at;
    }
}
