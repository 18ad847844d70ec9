/* References: integer arithmetic and bits. */
#include "reference_kernels.h"

#include <stdlib.h>

static int32_t sign_extend(uint32_t x, int bits)
{
    uint32_t sign = 1u << (bits - 1);
    x &= 2 * (sign - 1) + 1;
    return (int32_t)(x ^ sign) - (int32_t)sign;
}

static void arith32(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        int32_t x = ((int32_t *)buffer[0])[i], y = ((int32_t *)buffer[1])[i];
        uint32_t ux = (uint32_t)x, uy = (uint32_t)y, *o = (uint32_t *)buffer[2] + 18 * i;
        int64_t wx = x, wy = y;
        int32_t divisor = (int32_t)(uy % 65536) - 32768;
        if (divisor == 0 || divisor == -1)
            divisor = 3;
        o[0] = (uint32_t)(wx + wy);
        o[1] = (uint32_t)(wx - wy);
        o[2] = (uint32_t)((uint64_t)ux * uy);
        o[3] = (uint32_t)(wx / divisor);
        o[4] = (uint32_t)(wx % divisor);
        o[5] = ux / (uy | 1);
        o[6] = ux % (uy | 1);
        o[7] = (uint32_t)((uint64_t)(wx * wy) >> 32);
        o[8] = (uint32_t)((uint64_t)ux * uy >> 32);
        o[9] = ux << (uy % 32);
        o[10] = ux >> (uy % 32);
        o[11] = (uint32_t)(x >> (uy % 32));
        o[12] = (uint32_t)(x < y ? x : y) ^ (ux > uy ? ux : uy);
        o[13] = (uint32_t)llabs(wx >> 1);
        o[14] = (uint32_t)llabs((wx >> 2) - (wy >> 2)) + 77 + (ux > uy ? ux - uy : uy - ux) + 5;
        o[15] = (uint32_t)((wx >> 9) * (wy >> 9)) + (uint32_t)((uint64_t)(ux & 0xffffff) * (uy & 0xffffff));
        o[16] = ux / 7 + uy % 10 + (uint32_t)(x / 1000) - (uint32_t)(y % 13) + (uint32_t)(x / 16);
        o[17] = (x < y) + 2u * (ux < uy) + 4u * (x == y) + 8u * (x < 0 ? 1 : 0) + (x ? ux : ~uy);
    }
}

/* The upper half of a product from four halves, since not every host has 128 bits. */
static uint64_t upper_product(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (uint32_t)middle;
    return ah * bh + (middle >> 32) + (other >> 32);
}

static void arith64(const struct test_case *c, void *const *buffer)
{
    for (uint32_t i = 0; i < arg_u32(c, 3); i++) {
        int64_t x = ((int64_t *)buffer[0])[i], y = ((int64_t *)buffer[1])[i];
        uint64_t ux = (uint64_t)x, uy = (uint64_t)y, *o = (uint64_t *)buffer[2] + 16 * i;
        int64_t divisor = y >> 20;
        if (divisor == 0 || divisor == -1)
            divisor = 10;
        o[0] = ux + uy;
        o[1] = ux - uy;
        o[2] = ux * uy;
        o[3] = (uint64_t)(x / divisor);
        o[4] = (uint64_t)(x % divisor);
        o[5] = ux / (uy | 1);
        o[6] = ux % (uy >> 40 | 1);
        o[7] = upper_product(ux, uy) - (x < 0 ? uy : 0) - (y < 0 ? ux : 0);
        o[8] = upper_product(ux, uy);
        o[9] = ux << (uy % 64);
        o[10] = ux >> (uy % 64);
        o[11] = (uint64_t)(x >> (uy % 64));
        o[12] = (uint64_t)((int64_t)(int32_t)ux * (int32_t)uy) + (ux >> 32) * (uy >> 32);
        o[13] = (uint64_t)llabs(x >> 1) + (uint64_t)(x < y ? x : y);
        o[14] = (ux << 13 | ux >> 51) ^ ~uy;
        o[15] = (uint64_t)(x < y) | (uint64_t)(ux < uy) << 1 | (uint64_t)(x == y) << 2 |
                (uint64_t)(uy > ux) << 40;
    }
}

static int count_ones(uint64_t x)
{
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static uint32_t leading_zeros(uint64_t x, int bits)
{
    uint32_t n = 0;
    while (n < (uint32_t)bits && !(x >> (bits - 1 - (int)n) & 1))
        n++;
    return n;
}

static uint32_t first_one(uint64_t x)
{
    for (uint32_t k = 0; k < 64; k++)
        if (x >> k & 1)
            return k + 1;
    return 0;
}

static uint64_t reversed(uint64_t x, int bits)
{
    uint64_t r = 0;
    for (int k = 0; k < bits; k++)
        r |= (x >> k & 1) << (bits - 1 - k);
    return r;
}

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int k = 0; k < 4; k++)
        r |= (uint32_t)(both >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k;
    return r;
}

static uint32_t interleaved(uint32_t x, uint32_t y)
{
    uint32_t r = 0;
    for (int k = 0; k < 16; k++)
        r |= (x >> k & 1) << 2 * k | (y >> k & 1) << (2 * k + 1);
    return r;
}

static void bits(const struct test_case *c, void *const *buffer)
{
    for (uint32_t i = 0; i < arg_u32(c, 3); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i], y = ((uint32_t *)buffer[1])[i];
        uint32_t *o = (uint32_t *)buffer[2] + 16 * i;
        uint64_t w = (uint64_t)x << 32 | y, yx = (uint64_t)y << 32 | x;
        o[0] = (uint32_t)count_ones(x);
        o[1] = (uint32_t)count_ones(w);
        o[2] = leading_zeros(x >> (y % 32), 32);
        o[3] = leading_zeros(w >> (y % 64), 64);
        o[4] = first_one(x & y);
        o[5] = first_one(w << (x % 64));
        o[6] = (uint32_t)reversed(x, 32);
        o[7] = (uint32_t)(reversed(w, 64) >> 17);
        o[8] = permuted(x, y, 0x2705);
        o[9] = permuted(x, y, y & 0x7777);
        o[10] = (uint32_t)(yx << (y % 32) >> 32);
        o[11] = y % 64 >= 32 ? y : (uint32_t)(yx >> (y % 32));
        o[12] = (x / 32 % 2048) | (y % 64) << 20;
        o[13] = (x & y) ^ (x | ~y) ^ (y << 3);
        o[14] = interleaved(x, y);
        uint32_t top = 31 - leading_zeros(y | 1, 32);
        o[15] = (x ^ x >> 1) + (uint32_t)sign_extend(x >> 16, 5) + (uint32_t)count_ones(y) % 2 + (1u << top);
    }
}

static void narrow(const struct test_case *c, void *const *buffer)
{
    uint16_t *words = buffer[3];
    for (int i = 0; i < arg_s32(c, 5); i++) {
        int p = ((int8_t *)buffer[0])[i], q = ((uint8_t *)buffer[1])[i], r = ((int16_t *)buffer[2])[i];
        int s = words[i];
        int sum = sign_extend((uint32_t)(p + q), 8), difference = (q - p) & 0xff;
        int product = sign_extend((uint32_t)(p * r), 16), quotient = s / (q | 1);
        int low = (q ^ s) & 31, middle = sign_extend((uint32_t)(sign_extend((uint32_t)r, 11) + p), 11);
        bool either = p < 0 || r > s, both = sum > 0 && q % 2;
        words[i] = (uint16_t)(sum + difference + product + quotient + (r >> (q % 8)) + low + middle + s);
        int rest = sign_extend((uint32_t)difference, 8) % 5;
        ((uint8_t *)buffer[4])[i] =
            (uint8_t)(either + 2 * both + 4 * (either != both) + 8 * (product < 0)) | (uint8_t)(rest * 16);
    }
}

static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t modulus)
{
    uint64_t r = 0;
    for (; b; b >>= 1) {
        if (b & 1)
            r = (r + a) % modulus;
        a = a * 2 % modulus;
    }
    return r;
}

static void modular_power(const struct test_case *c, void *const *buffer)
{
    uint64_t prime = (UINT64_C(1) << 61) - 1;
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint64_t b = ((uint64_t *)buffer[0])[i] % prime, r = 1;
        for (uint32_t e = ((uint32_t *)buffer[1])[i]; e; e >>= 1) {
            if (e & 1)
                r = multiply_modulo(r, b, prime);
            b = multiply_modulo(b, b, prime);
        }
        ((uint64_t *)buffer[2])[i] = r;
    }
}

/* 128-bit numbers as (high, low). */
static void wide_arithmetic(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint64_t a = ((uint64_t *)buffer[0])[i], b = ((uint64_t *)buffer[1])[i];
        uint64_t *o = (uint64_t *)buffer[2] + 6 * i;
        uint64_t sum = a + b, carry = sum < a;
        o[0] = sum ^ (sum + carry);
        o[1] = (b - a) ^ (a - b - (b < a));
        o[2] = upper_product(a, b) + a * a + b * b;
        int shift = (int)(a % 128);
        o[3] = shift == 0 ? b : shift < 64 ? b >> shift | a << (64 - shift) : a >> (shift - 64);
        uint64_t negative_high = ~a + (b == 0);
        o[4] = (uint64_t)((int64_t)negative_high >> 6);
        bool below = (int64_t)negative_high != (int64_t)b ? (int64_t)negative_high < (int64_t)b : (0 - b) < a;
        o[5] = (uint64_t)(a != b ? a < b : b < a) | (uint64_t)below << 8;
    }
}

static void carry_chain(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        const uint32_t *x = (uint32_t *)buffer[0] + 4 * i, *y = (uint32_t *)buffer[1] + 4 * i;
        uint32_t *o = (uint32_t *)buffer[2] + 10 * i;
        uint64_t sum = 0;
        for (int k = 0; k < 4; k++) {
            sum = (sum >> 32) + x[k] + y[k];
            o[k] = (uint32_t)sum;
        }
        o[4] = (uint32_t)(sum >> 32);
        uint64_t difference = ((uint64_t)x[1] << 32 | x[0]) - ((uint64_t)y[1] << 32 | y[0]);
        o[5] = (uint32_t)difference;
        o[6] = (uint32_t)(difference >> 32);
        o[7] = 7;
        uint64_t product = (uint64_t)x[2] * y[2] + ((uint64_t)y[3] << 32 | x[3]);
        o[8] = (uint32_t)product;
        o[9] = (uint32_t)(product >> 32);
    }
}

/* PTX's bfe: bits past the top read as zero, or as the sign; that sign is the field's last bit, or bit 31. */
static uint32_t field(uint32_t x, uint32_t from, uint32_t length, bool is_signed)
{
    uint32_t last = from + length - 1 < 31 ? from + length - 1 : 31;
    uint32_t sign = is_signed && length ? x >> last & 1 : 0, r = 0;
    for (uint32_t k = 0; k < 32; k++)
        r |= (k < length && from + k <= 31 ? x >> (from + k) & 1 : sign) << k;
    return r;
}

static void asm_fields(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i], y = ((uint32_t *)buffer[1])[i];
        uint32_t *o = (uint32_t *)buffer[2] + 8 * i;
        o[0] = field(x, y % 32, y / 256 % 32, false);
        o[1] = field(x, y % 32, y / 256 % 32, true);
        uint32_t from = y / 8 % 32, mask = (uint32_t)(((UINT64_C(1) << x % 16) - 1) << from);
        o[2] = (y & ~mask) | (uint32_t)((uint64_t)x << from & mask);
        o[3] = 31 - leading_zeros(x >> (y % 32), 32);
        o[4] = (x * 3 & x) | (~(x * 3) & y);
        bool less = x<y, positive = (int32_t)x> 0 && less;
        o[5] = ((positive ? 10u : 20u) + less) ^ (positive ? 0 : 64);
        o[6] = 1;
        for (uint32_t t = x >> 2; t; t >>= 2)
            o[6]++;
        o[7] = (int32_t)y >= 0 ? x >> 16 | x << 16 : y;
    }
}

static void asm_jump_table(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i], way = x % 4;
        x /= 4;
        ((uint32_t *)buffer[1])[i] = way == 1 ? ~(x * 3) : way == 2 ? ~x : x + 1000;
    }
}

static int dot4(uint32_t a, uint32_t b, bool is_signed)
{
    int sum = 0;
    for (int k = 0; k < 32; k += 8)
        sum += is_signed ? (int8_t)(a >> k) * (int8_t)(b >> k) : (uint8_t)(a >> k) * (uint8_t)(b >> k);
    return sum;
}

static void dot_bytes(const struct test_case *c, void *const *buffer)
{
    const uint32_t *a = buffer[0], *b = buffer[1];
    for (int i = 0; i < arg_s32(c, 4); i++) {
        ((int32_t *)buffer[2])[i] = dot4(a[i], b[i], true) + i;
        ((int32_t *)buffer[3])[i] = dot4(a[i], b[i], false) + i * 1000;
    }
}

static void convolve_bytes(const struct test_case *c, void *const *buffer)
{
    const int8_t *in = buffer[0], *taps = buffer[1];
    for (int i = 0; i < arg_s32(c, 3); i++) {
        int sum = 0;
        for (int k = 0; k < 12; k++)
            sum += in[i + k] * taps[k];
        sum >>= 4;
        ((int32_t *)buffer[2])[i] = sum < -128 ? -128 : sum > 127 ? 127 : sum;
    }
}

static void philox(uint32_t counter[4], uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p = UINT64_C(0xd2511f53) * counter[0], q = UINT64_C(0xcd9e8d57) * counter[2];
        counter[0] = (uint32_t)(q >> 32) ^ counter[1] ^ k0;
        counter[2] = (uint32_t)(p >> 32) ^ counter[3] ^ k1;
        counter[1] = (uint32_t)q;
        counter[3] = (uint32_t)p;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
}

static void philox_words(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < grid_threads(c); i++) {
        uint32_t counter[4] = {(uint32_t)i};
        philox(counter, arg_u32(c, 1), ~arg_u32(c, 1));
        memcpy((uint32_t *)buffer[0] + 4 * i, counter, sizeof counter);
    }
}

static void random_walk(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < grid_threads(c); i++) {
        int x = 0, y = 0, home = 0;
        for (int k = 0; k < arg_s32(c, 2) && x * x + y * y <= 30; k++) {
            uint32_t r[4] = {(uint32_t)i, (uint32_t)k};
            philox(r, arg_u32(c, 1), 1);
            int step = r[1] & 1 ? 1 : -1;
            if (r[0] & 1)
                x += step;
            else
                y = r[2] & 3 ? y + step : y / 2;
            home += x == 0 && y == 0;
        }
        int32_t *o = (int32_t *)buffer[0] + 3 * i;
        o[0] = x;
        o[1] = y;
        o[2] = home;
    }
}

static uint32_t rotated(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* The first 32 bits of the fraction of the k-th prime's cube root, by comparing cubes of r / 2^32 in long
 * multiplication: the standard's definition of its round constants. */
static uint32_t round_constant(int k)
{
    uint64_t prime = 1;
    for (int found = -1; found < k;) {
        bool composite = false;
        prime++;
        for (uint64_t d = 2; d * d <= prime; d++)
            composite |= prime % d == 0;
        found += !composite;
    }
    uint64_t root = 0;
    for (int bit = 35; bit >= 0; bit--) {
        uint64_t r = root | UINT64_C(1) << bit;
        uint64_t high = upper_product(r, r), low = r * r; /* r^2, at most 72 bits */
        uint64_t cube = high * r + upper_product(low, r); /* r^3 / 2^64 */
        if (cube < prime << 32)
            root = r;
    }
    return (uint32_t)root;
}

static void sha256_block(const uint32_t message[16], const uint32_t constant[64], uint32_t digest[8])
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t w[64], s[8];
    memcpy(w, message, 64);
    memcpy(s, start, sizeof s);
    for (int k = 16; k < 64; k++)
        w[k] = (rotated(w[k - 2], 17) ^ rotated(w[k - 2], 19) ^ w[k - 2] >> 10) + w[k - 7] +
               (rotated(w[k - 15], 7) ^ rotated(w[k - 15], 18) ^ w[k - 15] >> 3) + w[k - 16];
    for (int k = 0; k < 64; k++) {
        uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                       ((s[4] & s[5]) | (~s[4] & s[6])) + constant[k] + w[k];
        uint32_t two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                       ((s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int k = 0; k < 8; k++)
        digest[k] = s[k] + start[k];
}

static void sha256(const struct test_case *c, void *const *buffer)
{
    uint32_t constant[64];
    int words = arg_s32(c, 2);
    for (int k = 0; k < 64; k++)
        constant[k] = round_constant(k);
    for (int i = 0; i < grid_threads(c); i++) {
        uint32_t message[16] = {0};
        memcpy(message, (uint32_t *)buffer[0] + i * words, (size_t)words * 4);
        message[words] = UINT32_C(1) << 31;
        message[15] = (uint32_t)words * 32;
        sha256_block(message, constant, (uint32_t *)buffer[1] + 8 * i);
    }
}

static void collatz(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        uint32_t k = 0;
        for (uint64_t x = (uint64_t)i + 1; x != 1; k++)
            x = x % 2 ? 3 * x + 1 : x / 2;
        ((uint32_t *)buffer[0])[i] = k;
        uint64_t *longest = buffer[1], mine = (uint64_t)k << 32 | (uint32_t)i;
        *longest = mine > *longest ? mine : *longest;
    }
}

const struct reference reference_integer[] = {
    {"arith32", arith32},
    {"arith64", arith64},
    {"bits", bits},
    {"narrow", narrow},
    {"modular_power", modular_power},
    {"wide_arithmetic", wide_arithmetic},
    {"carry_chain", carry_chain},
    {"asm_fields", asm_fields},
    {"asm_jump_table", asm_jump_table},
    {"dot_bytes", dot_bytes},
    {"convolve_bytes", convolve_bytes},
    {"philox_words", philox_words},
    {"random_walk", random_walk},
    {"sha256", sha256},
    {"collatz", collatz},
    {NULL, NULL},
};
