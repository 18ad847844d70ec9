/*
 * The oracle's products of matrices, one element of the result at a time, with exact integers.
 *
 * What a tensor core keeps of a sum: all products are exact; of every term only the part is kept that is a multiple of
 * the quantum, a power of two that lies a fixed number of bits below the largest term's exponent. A product's exponent
 * is the sum of the exponents of its factors. The sum of what is kept is rounded once.
 */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

/* A number of a term or factor. */
struct oracle_term {
    struct oracle_number number;
    int weight; /* exponent: that of the leading bit of a normal number's format */
};

static int fraction_bits(enum type type)
{
    switch (type) {
    case TYPE_F32:
        return 23;
    case TYPE_BF16:
        return 7;
    default:
        return 10;
    }
}

/* e5m2 is the upper byte of an f16. An e4m3 is put together by hand; it has no infinity, and one NaN of each sign. */
static struct oracle_term term_of(enum type type, uint64_t bits)
{
    struct oracle_term t;
    if (type == TYPE_E4M3) {
        int field = (int)(bits >> 3 & 15);
        t.number = (struct oracle_number){.kind = NUMBER_FINITE,
                                          .negative = bits >> 7 & 1,
                                          .mantissa = (bits & 7) + (field ? 8 : 0),
                                          .exponent = (field ? field : 1) - 10};
        t.weight = t.number.exponent + 3;
        if ((bits & 0x7f) == 0x7f)
            t.number.kind = NUMBER_NAN;
        else if (!t.number.mantissa)
            t.number.kind = NUMBER_ZERO;
        return t;
    }
    if (type == TYPE_E5M2) {
        bits <<= 8;
        type = TYPE_F16;
    }
    t.number = oracle_number_decode(type, bits);
    t.weight = t.number.exponent + fraction_bits(type);
    return t;
}

static struct oracle_term product_of(struct oracle_term a, struct oracle_term b)
{
    struct oracle_term p = {.number = {.kind = NUMBER_FINITE, .negative = a.number.negative != b.number.negative}};
    if (a.number.kind == NUMBER_NAN || b.number.kind == NUMBER_NAN)
        p.number.kind = NUMBER_NAN;
    else if (a.number.kind == NUMBER_INFINITE || b.number.kind == NUMBER_INFINITE)
        p.number.kind = a.number.kind == NUMBER_ZERO || b.number.kind == NUMBER_ZERO ? NUMBER_NAN : NUMBER_INFINITE;
    else if (a.number.kind == NUMBER_ZERO || b.number.kind == NUMBER_ZERO)
        p.number.kind = NUMBER_ZERO;
    p.number.mantissa = a.number.mantissa * b.number.mantissa;
    p.number.exponent = a.number.exponent + b.number.exponent;
    p.weight = a.weight + b.weight;
    return p;
}

/* The multiple of 2^quantum next to the number toward zero, in units of 2^quantum. */
static int64_t kept_part(struct oracle_number n, int quantum)
{
    if (n.kind == NUMBER_ZERO || n.exponent - quantum <= -64)
        return 0;
    int64_t units =
        (int64_t)(n.exponent >= quantum ? n.mantissa << (n.exponent - quantum) : n.mantissa >> (quantum - n.exponent));
    return n.negative ? -units : units;
}

/* Adds the terms. */
static struct oracle_number add_terms(const struct oracle_term *term, int count, int kept_bits)
{
    struct oracle_number sum = {.kind = NUMBER_ZERO};
    int largest = INT32_MIN;
    for (int i = 0; i < count; i++) {
        struct oracle_number n = term[i].number;
        if (n.kind == NUMBER_NAN ||
            (n.kind == NUMBER_INFINITE && sum.kind == NUMBER_INFINITE && n.negative != sum.negative)) {
            sum.kind = NUMBER_NAN;
            return sum;
        }
        if (n.kind == NUMBER_INFINITE)
            sum = n;
        if (n.kind == NUMBER_FINITE && term[i].weight > largest)
            largest = term[i].weight;
    }
    /* A NaN behind the infinity is found above; infinities need no sum. */
    if (sum.kind == NUMBER_INFINITE || largest == INT32_MIN)
        return sum;
    int64_t total = 0;
    for (int i = 0; i < count; i++)
        total += kept_part(term[i].number, largest - kept_bits);
    sum.kind = total ? NUMBER_FINITE : NUMBER_ZERO;
    sum.negative = total < 0;
    sum.mantissa = (uint64_t)(total < 0 ? -total : total);
    sum.exponent = largest - kept_bits;
    return sum;
}

/* Results in f32 are truncated, but a sum that is too large is infinite. A result is never -0. */
static uint64_t finish(struct oracle_number sum, enum type type)
{
    if (type == TYPE_F16) {
        uint64_t half = oracle_number_encode(TYPE_F16, sum, RND_RN);
        return half == 0x8000 ? 0 : half;
    }
    if (sum.kind == NUMBER_FINITE && 63 - __builtin_clzll(sum.mantissa) + sum.exponent > 127)
        sum.kind = NUMBER_INFINITE;
    uint64_t word = oracle_number_encode(TYPE_F32, sum, RND_RZ);
    return word == 0x80000000 ? 0 : word;
}

uint64_t oracle_tensor_dot(enum type a_type, const uint64_t *a, enum type b_type, const uint64_t *b, int count,
                           enum type c_type, uint64_t c, int kept_bits, enum type d_type)
{
    struct oracle_term term[ORACLE_MAX_DEPTH + 1];
    for (int i = 0; i < count; i++)
        term[i] = product_of(term_of(a_type, a[i]), term_of(b_type, b[i]));
    term[count] = term_of(c_type, c);
    return finish(add_terms(term, count + 1, kept_bits), d_type);
}

static float float_of_bits(enum type type, uint64_t bits)
{
    uint32_t single =
        (uint32_t)(type == TYPE_F32 ? bits : oracle_number_encode(TYPE_F32, oracle_number_decode(type, bits), RND_RN));
    float f;
    memcpy(&f, &single, sizeof f);
    return f;
}

static uint64_t bits_of_sum(enum type type, float sum)
{
    uint32_t single;
    memcpy(&single, &sum, sizeof single);
    if (isnan(sum))
        return oracle_nan(type);
    return type == TYPE_F32 ? single : oracle_number_encode(type, oracle_number_decode(TYPE_F32, single), RND_RN);
}

static uint64_t half_of(enum type type, uint64_t bits)
{
    return oracle_number_encode(TYPE_F16, term_of(type, bits).number, RND_RN);
}

/* f8 elements on mma become f16; sums over elements 0 and 1, then 2 and 3, of each four; c comes last, by itself. */
uint64_t oracle_tensor_narrow(enum type a_type, const uint64_t *a, enum type b_type, const uint64_t *b, int count,
                              uint64_t c, enum type type)
{
    uint64_t sum = 0;
    for (int pair = 0; pair < 4; pair += 2) {
        uint64_t some_a[ORACLE_MAX_DEPTH], some_b[ORACLE_MAX_DEPTH];
        int n = 0;
        for (int i = 0; i < count; i++)
            if (i % 4 == pair || i % 4 == pair + 1) {
                some_a[n] = half_of(a_type, a[i]);
                some_b[n++] = half_of(b_type, b[i]);
            }
        sum = oracle_tensor_dot(TYPE_F16, some_a, TYPE_F16, some_b, n, type, sum, ORACLE_KEPT_BITS, type);
    }
    volatile float x = float_of_bits(type, sum), y = float_of_bits(type, c), z = x + y;
    return bits_of_sum(type, z);
}

/* mma.m8n8k4 of f16: fused multiply-adds, then c. A sum of negative zeros stays negative in f16 only. */
uint64_t oracle_tensor_quad(const uint64_t *a, const uint64_t *b, enum type c_type, uint64_t c, enum type d_type)
{
    volatile float sum = float_of_bits(TYPE_F16, a[0]) * float_of_bits(TYPE_F16, b[0]);
    if (d_type == TYPE_F32)
        sum = sum + 0.0f;
    for (int k = 1; k < 4; k++)
        sum = fmaf(float_of_bits(TYPE_F16, a[k]), float_of_bits(TYPE_F16, b[k]), sum);
    sum = sum + float_of_bits(c_type, c);
    return bits_of_sum(d_type, sum);
}

uint64_t oracle_tensor_to_half(uint64_t single)
{
    return bits_of_sum(TYPE_F16, float_of_bits(TYPE_F32, single));
}
