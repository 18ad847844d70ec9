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

/* The number n of 0 to 15 for which the fraction is above n sixteenths and at most n + 1. */
static uint64_t fraction_code(uint64_t bits)
{
    struct oracle_number n = oracle_number_decode(TYPE_F32, bits);
    if (n.kind == NUMBER_NAN || n.kind == NUMBER_ZERO || n.negative)
        return 0;
    n.exponent += 4;
    uint64_t up = n.kind == NUMBER_INFINITE ? UINT64_MAX : 0;
    if (n.kind == NUMBER_FINITE) {
        struct oracle_number whole = oracle_number_round(n, RND_RPI);
        up = whole.exponent > 8    ? UINT64_MAX
             : whole.exponent >= 0 ? whole.mantissa << whole.exponent
                                   : whole.mantissa >> -whole.exponent;
    }
    if (up > UINT32_MAX)
        up = UINT32_MAX;
    return (up - 1) % 16;
}

/* Blocks are the smallest power of two, from 4096 bytes on, of which 128 hold the whole size. */
static uint64_t range_code(uint64_t address, uint64_t size, uint64_t total)
{
    unsigned grade = 0;
    while ((UINT64_C(4096) << grade) * 128 < total)
        grade++;
    uint64_t block = UINT64_C(4096) << grade, wrap = UINT64_C(1) << 32;
    uint64_t first = address % wrap / block, end = (address + size + block - 1) % wrap / block;
    uint64_t count = (end - first) % wrap;
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
