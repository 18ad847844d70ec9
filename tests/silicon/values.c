/* Operand values: the edges of each type, numbers around them, and seeded random ones. */
#include "values.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* The first VALUES_PAIR_EDGES of each list are the ones that meet each other in pairs. */
static const uint32_t f32_edges[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345,
    0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800001, 0x33800000, 0xb3800000, 0x33800001,
    0x4b800000, 0x3effffff, 0xc0400000, 0x20000000, 0x5f800000, 0x3f7fffff, 0x34000000, /* here the pairs end */
    0x80000001, 0x007fffff, 0x80800000, 0x00800001, 0x3fc00000, 0x3f000000, 0xbf000000, 0x40200000, 0xc0200000,
    0x40490fdb, 0x41200000, 0x42c80000, 0x33000000, 0x33ffffff, 0x4b000001, 0xcb7fffff, 0x4f000000, 0xcf000000,
    0x4effffff, 0x5f000000, 0xdf000000, 0x7e800000, 0x7f000000, 0x00400000, 0x00200000, 0x1f800000, 0x60000000,
    0xa0000000, 0x7fffffff, 0xffffffff, 0x7fbfffff, 0xff812345, 0x7fd55555, 0x3eaaaaab, 0x3dcccccd, 0x47c35000,
    0x3f8ccccd, 0x2edbe6ff, 0x40000000, 0x7effffff,
};

static const uint64_t f64_edges[] = {
    0x0000000000000000,
    0x8000000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0xfff8123456789abc,
    0x0000000000000001,
    0x800fffffffffffff,
    0x0010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x3ff0000000000001,
    0x3ca0000000000000,
    0xbca0000000000000,
    0x3ca0000000000001,
    0x4340000000000000,
    0x3fdfffffffffffff,
    0xc008000000000000,
    0x1ff0000000000000,
    0x5ff0000000000000,
    0x3fefffffffffffff,
    0x3cb0000000000000,
    /* here the pairs end */
    0x8000000000000001,
    0x000fffffffffffff,
    0x8010000000000000,
    0x0010000000000001,
    0x3ff8000000000000,
    0x3fe0000000000000,
    0xbfe0000000000000,
    0x4004000000000000,
    0xc004000000000000,
    0x400921fb54442d18,
    0x4024000000000000,
    0x4059000000000000,
    0x3c90000000000000,
    0x3caffffffffffffe,
    0x4330000000000001,
    0xc33fffffffffffff,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x7fd0000000000000,
    0x7fe0000000000000,
    0x0008000000000000,
    0x0000000080000000,
    0x2000000000000000,
    0x6000000000000000,
    0xa000000000000000,
    0x7fffffffffffffff,
    0xffffffffffffffff,
    0x7ff7ffffffffffff,
    0xfff0123456789abc,
    0x7ffd555555555555,
    0x3fd5555555555555,
    0x3fb999999999999a,
    0x40f86a0000000000,
    0x3ff199999999999a,
    0x37e0000000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x36a0000000000000,
    0x3690000000000000,
    0x3690000000000001,
    0x380fffffe0000000,
    0x3810000000000000,
    0x380fffffffffffff,
};

static const uint16_t f16_edges[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe55, 0x0001, 0x83ff, 0x0400,
    0x7bff, 0xfbff, 0x3c01, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x37ff, 0x3801, 0x57f8, 0x5bfc,
    0x7800, 0x8001, 0x03ff, 0x8400, 0x0401, 0x7fff, 0xffff, 0x7dff, 0xfc01, 0x4248, 0x6400, 0x6800,
    0x77ff, 0x5800, 0x57f0, 0xd800, 0xd808, 0xd810, 0x5bf8, 0x5c00, 0x3555, 0x2e66,
};

/* Packed numbers are pairs of edges: each edge is once the lower half and once the upper. */
static uint64_t pack_pair(const uint64_t *edges, int count, int i, unsigned bits)
{
    return edges[i] | edges[(i * 7 + 3) % count] << bits;
}

static const uint16_t bf16_edges[] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffd5, 0x0001, 0x807f, 0x0080,
    0x7f7f, 0xff7f, 0x3f81, 0x3f00, 0xbf00, 0x3fc0, 0x4020, 0xc020, 0x3eff, 0x4300, 0x437f, 0x4f00,
    0xcf00, 0x8001, 0x007f, 0x8080, 0x0081, 0x7fff, 0xffff, 0x7fbf, 0xff81, 0x4049, 0x4f80, 0x5f00,
    0xdf00, 0x5f80, 0x4700, 0xc700, 0x4780, 0x4380, 0xc300, 0xc301, 0x3eab, 0x3dcd,
};

static const uint64_t int_edges[] = {
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    100,
    1000,
    0x1234,
    0xffff,
    0x10000,
    0x7fffff,
    0x800000,
    0x00ffffff,
    0x01000000,
    0x1fffffffull,
    0x12345678,
    0x89abcdef,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000ull,
    0x123456789abcdefull,
    0xfedcba9876543210ull,
};

static const uint32_t count_edges[] = {
    0,   1,   2,   7,          8,          15,         16, 17, 24, 31, 32, 33, 47, 48, 63, 64, 65,  127,   128,
    255, 256, 257, 0x80000000, 0xffffffe0, 0xffffffff, 3,  4,  5,  23, 25, 30, 34, 62, 66, 96, 254, 0x120, 0x100000,
};

static const uint32_t selector_edges[] = {
    0x0000, 0x3210, 0x7654, 0x0123, 0x4567, 0xba98, 0xfedc,     0x8888,     0xffff,     0x1032, 0x5410, 0x7632, 0x6420,
    0x7531, 0x0001, 0x0002, 0x0003, 0x0004, 0x3fc1, 0xffff3210, 0x80000001, 0x00010002, 0x9c4e, 0x0f0f, 0xf7f7,
};

static uint64_t mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int put_unique(uint64_t *out, int count, uint64_t value)
{
    for (int i = 0; i < count; i++)
        if (out[i] == value)
            return count;
    if (count < VALUES_MAX)
        out[count++] = value;
    return count;
}

static int int_list(unsigned bits, uint64_t *out)
{
    const uint64_t top = 1ull << (bits - 1);
    const uint64_t first[] = {0,
                              1,
                              mask(bits),
                              top,
                              top - 1,
                              top + 1,
                              2,
                              ~1ull,
                              top - 2,
                              0x5555555555555555u,
                              0xaaaaaaaaaaaaaaaau,
                              0x0f0f0f0f0f0f0f0fu,
                              3,
                              7,
                              ~6ull,
                              top >> 1};
    int n = 0;
    for (int i = 0; i < COUNT(first); i++)
        n = put_unique(out, n, first[i] & mask(bits));
    for (int i = 0; i < COUNT(int_edges); i++) {
        if (int_edges[i] <= mask(bits))
            n = put_unique(out, n, int_edges[i]);
    }
    for (int i = 0; i < COUNT(int_edges); i++)
        n = put_unique(out, n, (0 - int_edges[i]) & mask(bits));
    return n;
}

static int angle_list(uint64_t *out)
{
    static const float angles[] = {0.0f,       -0.0f,       0.5f,       -0.5f,       1.0f,       -1.0f,
                                   1.5707964f, -1.5707964f, 3.1415925f, -3.1415925f, 0.7853982f, -0.7853982f,
                                   2.3561945f, 3.0f,        -3.0f,      0.1f,        1e-3f,      1e-10f,
                                   1e-38f,     1e-40f,      -1e-45f,    INFINITY,    -INFINITY,  NAN};
    int n = 0;
    for (int i = 0; i < COUNT(angles); i++)
        out[n++] = float_bits(angles[i]);
    return n;
}

int values_edges(enum type type, enum value_use use, uint64_t out[VALUES_MAX])
{
    int n = 0;
    switch (use) {
    case USE_COUNT:
        for (; n < COUNT(count_edges); n++)
            out[n] = count_edges[n];
        return n;
    case USE_LANE:
        for (; n < 32; n++)
            out[n] = (uint64_t)((n * 5) % 32); /* spread, so that the first few already differ */
        return n;
    case USE_OFFSET:
        for (; n < 66; n++)
            out[n] = (uint32_t)(n % 2 ? -(n + 1) / 2 : n / 2);
        return n;
    case USE_SELECTOR:
        for (; n < COUNT(selector_edges); n++)
            out[n] = selector_edges[n];
        return n;
    case USE_ANGLE:
        return angle_list(out);
    case USE_BOOL:
        out[0] = 0;
        out[1] = 1;
        return 2;
    case USE_NUMBER:
        break;
    }
    switch (type) {
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_F32X2: {
        uint64_t edges[VALUES_MAX];
        const enum type half = type == TYPE_F16X2 ? TYPE_F16 : type == TYPE_BF16X2 ? TYPE_BF16 : TYPE_F32;
        const int count = values_edges(half, use, edges);
        for (; n < count; n++)
            out[n] = pack_pair(edges, count, n, type_table[half].bits);
        return n;
    }
    case TYPE_F32:
    case TYPE_TF32:
        for (; n < COUNT(f32_edges); n++)
            out[n] = f32_edges[n];
        return n;
    case TYPE_F64:
        for (; n < COUNT(f64_edges); n++)
            out[n] = f64_edges[n];
        return n;
    case TYPE_F16:
        for (; n < COUNT(f16_edges); n++)
            out[n] = f16_edges[n];
        return n;
    case TYPE_BF16:
        for (; n < COUNT(bf16_edges); n++)
            out[n] = bf16_edges[n];
        return n;
    default:
        return int_list(type == TYPE_B128 ? 64 : type_table[type].bits, out);
    }
}

/* The numbers at which some conversion changes its mind; each is tried with its neighbours and both signs. */
static const double limits[] = {
    0.25,         0.5,          0.75,           1.0,          1.5,          2.5,
    3.5,          126.5,        127.0,          127.5,        128.0,        128.5,
    254.5,        255.0,        255.5,          256.0,        32766.5,      32767.0,
    32767.5,      32768.0,      32768.5,        65503.0,      65504.0,      65519.0,
    65520.0,      65535.0,      65535.5,        65536.0,      8388607.5,    8388608.0,
    16777215.0,   16777216.0,   0x1p31,         0x1p32,       0x1p52,       0x1p53,
    0x1p63,       0x1p64,       0x1p-14,        0x1p-24,      0x1p-25,      0x1p-126,
    0x1p-133,     0x1p-134,     0x1.fffffep127, 0x1.fep127,   0x1.ffp127,   0x1.fffffep-127,
    2147483646.5, 2147483647.0, 2147483647.5,   4294967294.5, 4294967295.0, 4294967295.5,
};

static int conversions_of_float(enum type type, uint64_t *out, int n)
{
    for (int i = 0; i < COUNT(limits); i++)
        for (int sign = 0; sign < 2; sign++)
            for (int step = -1; step <= 1; step++) {
                double x = sign ? -limits[i] : limits[i];
                uint64_t bits = type == TYPE_F64 ? double_bits(x) : float_bits((float)x);
                n = put_unique(out, n, bits + (uint64_t)(int64_t)step);
            }
    return n;
}

static int conversions_of_int(unsigned bits, uint64_t *out, int n)
{
    for (unsigned k = 1; k < bits; k++)
        for (int step = -1; step <= 1; step++) {
            uint64_t x = (1ull << k) + (uint64_t)(int64_t)step;
            n = put_unique(out, n, x & mask(bits));
            n = put_unique(out, n, (0 - x) & mask(bits));
        }
    return n;
}

int values_conversions(enum type type, uint64_t out[VALUES_MAX])
{
    int n = values_edges(type, USE_NUMBER, out);
    switch (type) {
    case TYPE_F32:
    case TYPE_F64:
        return conversions_of_float(type, out, n);
    case TYPE_F16:
    case TYPE_BF16:
        for (int i = 0; i < 600; i++) /* all over the 65536 patterns: 109 shares no factor with that */
            n = put_unique(out, n, (uint64_t)(i * 109 % 65536));
        return n;
    default:
        return conversions_of_int(type_table[type].bits, out, n);
    }
}

/* The low bits of x made all zeros, all ones, exactly half, or half and one more or less: rounding's edges.
 */
static uint64_t with_tail(uint64_t x, unsigned tail_bits, unsigned choice)
{
    if (tail_bits < 2)
        return x;
    const uint64_t low = mask(tail_bits), half = 1ull << (tail_bits - 1);
    const uint64_t tails[] = {0, low, half, half - 1, half + 1};
    return (x & ~low) | tails[choice % 5];
}

static uint64_t random_float(unsigned bits, unsigned mantissa_bits, uint64_t one, struct random *random)
{
    uint64_t x = random_u64(random) & mask(bits);
    const uint64_t style = random_u64(random);
    if (style & 1) { /* near 1, so that sums and products meet */
        const uint64_t exponent = one + ((random_u64(random) % 24 - 12) << mantissa_bits);
        x = (x & (mask(mantissa_bits) | 1ull << (bits - 1))) | exponent;
    }
    if (style & 2)
        x = with_tail(x, (unsigned)(style >> 8) % mantissa_bits, (unsigned)(style >> 32) % 5);
    return x;
}

static uint64_t random_int(unsigned bits, struct random *random)
{
    uint64_t x = random_u64(random);
    const uint64_t style = random_u64(random);
    x >>= (style >> 16) % 64; /* all magnitudes alike */
    if (style & 1)
        x = 0 - x;
    if (style & 2)
        x = with_tail(x, (unsigned)(style >> 8) % (bits - 2), (unsigned)(style >> 32) % 5);
    return x & mask(bits);
}

uint64_t values_random(enum type type, enum value_use use, struct random *random)
{
    const uint64_t noise = random_u64(random);
    switch (use) {
    case USE_COUNT:
        return noise % 70;
    case USE_LANE:
        return noise % 32;
    case USE_OFFSET:
        return (uint32_t)((int)(noise % 66) - 33);
    case USE_SELECTOR:
        return noise & 0xffff;
    case USE_ANGLE: /* an exact integer scaled by a power of two: the same on every host */
        return float_bits((float)((int64_t)(noise % 6588397) - 3294198) * 0x1p-20f);
    case USE_BOOL:
        return noise & 1;
    case USE_NUMBER:
        break;
    }
    switch (type) {
    case TYPE_F16X2:
        return noise % 2 ? noise >> 32
                         : random_float(16, 10, 0x3c00, random) | random_float(16, 10, 0x3c00, random) << 16;
    case TYPE_BF16X2:
        return noise % 2 ? noise >> 32
                         : random_float(16, 7, 0x3f80, random) | random_float(16, 7, 0x3f80, random) << 16;
    case TYPE_F32X2:
        return random_float(32, 23, 0x3f800000, random) | random_float(32, 23, 0x3f800000, random) << 32;
    case TYPE_F32:
    case TYPE_TF32:
        return random_float(32, 23, 0x3f800000, random);
    case TYPE_F64:
        return random_float(64, 52, 0x3ff0000000000000, random);
    case TYPE_F16:
    case TYPE_BF16:
        return noise & 0xffff;
    default:
        return random_int(type == TYPE_B128 ? 64 : type_table[type].bits, random);
    }
}
