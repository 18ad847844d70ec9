// 128-bit arithmetic: products, carries and modular powers.
#include "corpus.h"

typedef unsigned __int128 u128;

// 2^61 - 1, for which reduction is a shift and an add.
#define PRIME 0x1fffffffffffffffull

static __device__ u64 multiply_modulo(u64 a, u64 b)
{
    u128 product = (u128)a * b;
    u64 r = (u64)(product & PRIME) + (u64)(product >> 61);
    return r >= PRIME ? r - PRIME : r;
}

extern "C" __global__ void modular_power(const u64 *base, const u32 *exponent, u64 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u64 b = base[i] % PRIME, r = 1;
    for (u32 e = exponent[i]; e; e >>= 1) {
        if (e & 1)
            r = multiply_modulo(r, b);
        b = multiply_modulo(b, b);
    }
    out[i] = r;
}

extern "C" __global__ void wide_arithmetic(const u64 *a, const u64 *b, u64 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u128 x = (u128)a[i] << 64 | b[i], y = (u128)b[i] << 64 | a[i];
    u128 sum = x + y, difference = x - y, product = x * y, shifted = x >> (a[i] & 127);
    __int128 negative = -(__int128)x;
    u64 *o = out + 6 * i;
    o[0] = (u64)sum ^ (u64)(sum >> 64);
    o[1] = (u64)difference ^ (u64)(difference >> 64);
    o[2] = (u64)(product >> 64);
    o[3] = (u64)shifted;
    o[4] = (u64)(negative >> 70);
    o[5] = (x < y) | (u64)(negative < (__int128)y) << 8;
}
