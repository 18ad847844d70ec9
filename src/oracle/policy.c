/*
 * The oracle's cache policies (createpolicy). The manual calls the words opaque; their layout is what an H200 gave for
 * fractions, sizes and addresses over their whole range.
 */
#include "oracle/internal.h"

static unsigned priority_code(const struct oracle_insn *x)
{
    unsigned second = oracle_mod(x, GROUP_FALLBACK) == FALLBACK_FIRST;
    switch (oracle_mod(x, GROUP_PRIORITY)) {
    case PRIORITY_FIRST:
        return 2 | second;
    case PRIORITY_LAST:
        return 4 | second;
    case PRIORITY_NORMAL:
        return 6 | second;
    default:
        return 0 | second;
    }
}

/* The fraction times the single-precision number nearest to 15.99, rounded to single precision and then cut off. */
static uint64_t fraction_code(uint64_t bits)
{
    struct oracle_number n = oracle_number_decode(TYPE_F32, bits);
    if (n.kind == NUMBER_NAN || n.kind == NUMBER_ZERO || n.negative)
        return 0;
    if (n.kind == NUMBER_INFINITE)
        return 15;
    n.mantissa *= 0x7fd70a | 0x800000;
    n.exponent -= 20;
    n = oracle_number_decode(TYPE_F32, oracle_number_encode(TYPE_F32, n, RND_RN));
    while (n.kind == NUMBER_FINITE && n.exponent < 0 && n.mantissa) {
        n.mantissa >>= 1;
        n.exponent++;
    }
    uint64_t limit = UINT64_C(1) << 32;
    while (n.kind == NUMBER_FINITE && n.exponent > 0 && n.mantissa < limit) {
        n.mantissa <<= 1;
        n.exponent--;
    }
    return n.kind == NUMBER_INFINITE || n.mantissa >= limit ? 15 : n.kind == NUMBER_ZERO ? 0 : n.mantissa % 16;
}

/* Blocks are the smallest power of two, from 4096 bytes on, of which 128 hold the whole size. Hardware takes the
 * logarithm of the size as an f32: 11 parts in 2^23 more than a power of two is more. */
static uint64_t range_code(uint64_t address, uint64_t size, uint64_t total)
{
    unsigned grade = 0;
    uint64_t rounded = oracle_number_encode(TYPE_F32, oracle_number_from_integer(TYPE_U32, total), RND_RN);
    while (rounded > ((uint64_t)(127 + 19 + grade) << 23 | 10))
        grade++;
    uint64_t block = UINT64_C(4096) << grade, wrap = UINT64_C(1) << 32;
    address %= UINT64_C(1) << 48;
    uint64_t first = address / block, count = (address + (size + block - 1) % wrap) / block - first;
    return (uint64_t)grade << 52 | first % 128 << 44 | (count > 127 ? 127 : count) << 37;
}

void oracle_policy(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t code = (uint64_t)priority_code(x) << 56, d;
    if (x->op == OP_POLICY_CVT) {
        d = oracle_read(t, &x->operand[1]);
    } else if (x->op == OP_POLICY_FRACTION) {
        bool is_whole = x->operand[1].source == SOURCE_NONE;
        d = UINT64_C(0x10) << 56 | code | (is_whole ? 15 : fraction_code(oracle_read(t, &x->operand[1]))) << 52;
    } else {
        uint64_t total = oracle_read(t, &x->operand[3]);
        d = UINT64_C(0x18) << 56;
        if (total)
            d |= code | range_code(oracle_address(t, &x->operand[1]), oracle_read(t, &x->operand[2]), total);
    }
    oracle_write(t, &x->operand[0], d);
}
