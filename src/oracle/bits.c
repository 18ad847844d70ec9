/* The oracle's bit counts, bit fields and dot products of bytes, bit by bit as the PTX manual defines them. */
#include "oracle/internal.h"

static uint64_t bit(uint64_t value, unsigned position)
{
    return value >> position & 1;
}

static uint64_t count_bits(uint64_t a)
{
    return (uint64_t)__builtin_popcountll(a);
}

static int highest_bit(uint64_t a) /* -1: no bit is set */
{
    return a ? 63 - __builtin_clzll(a) : -1;
}

static uint64_t find_highest(const struct oracle_insn *x, uint64_t a)
{
    int width = type_table[x->type].bits;
    if (type_table[x->type].kind == KIND_SINT && (int64_t)a < 0)
        a = ~a;
    int position = highest_bit(a & oracle_mask((unsigned)width));
    if (position >= 0 && oracle_flag(x, FLAG_SHIFTAMT))
        position = width - 1 - position;
    return (uint64_t)(int64_t)position;
}

/* fns: the |n|-th set bit of the mask from `base` on, upwards for positive n, downwards for negative n. */
static uint64_t find_nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    if (base > 31)
        return UINT32_MAX;
    if (!n)
        return bit(mask, base) ? base : UINT32_MAX;
    int step = n > 0 ? 1 : -1;
    int64_t left = n > 0 ? (int64_t)n : -(int64_t)n;
    for (int position = (int)base; position >= 0 && position < 32; position += step)
        if (bit(mask, (unsigned)position) && --left == 0)
            return (uint64_t)position;
    return UINT32_MAX;
}

static uint64_t reverse(uint64_t a, unsigned width)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < width; i++)
        d |= bit(a, i) << (width - 1 - i);
    return d;
}

/* A position or length: the 32-bit forms use only its low byte; the 64-bit forms, which hardware builds from shifts,
 * use all its bits. */
static unsigned field_number(const struct oracle_insn *x, uint64_t n)
{
    return (unsigned)(type_table[x->type].bits == 32 ? n & 255 : n < 255 ? n : 255);
}

static uint64_t extract_field(const struct oracle_insn *x, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned top = type_table[x->type].bits - 1u, position = field_number(x, b), length = field_number(x, c);
    unsigned last = position + length - 1 < top ? position + length - 1 : top;
    uint64_t fill = type_table[x->type].kind == KIND_SINT && length ? bit(a, last) : 0;
    uint64_t d = 0;
    for (unsigned i = 0; i <= top; i++)
        d |= (i < length && position + i <= top ? bit(a, position + i) : fill) << i;
    return d;
}

static uint64_t insert_field(const struct oracle_insn *x, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    unsigned top = type_table[x->type].bits - 1u, position = field_number(x, c), length = field_number(x, e);
    uint64_t d = b;
    for (unsigned i = 0; i < length && position + i <= top; i++)
        d = (d & ~(UINT64_C(1) << (position + i))) | bit(a, i) << (position + i);
    return d;
}

static uint64_t make_mask(bool clamp, uint32_t position, uint32_t length)
{
    unsigned first = position & 31, end = first + (length & 31);
    uint32_t from = UINT32_MAX << first, past = end >= 32 ? 0 : UINT32_MAX << end;
    if (clamp && position >= 32)
        from = past = 0;
    if (clamp && length >= 32)
        past = 0;
    return from & ~past;
}

static uint64_t extend_from(const struct oracle_insn *x, uint32_t a, uint32_t length)
{
    unsigned bits = length & 31;
    bool whole = oracle_mod(x, GROUP_WRAP) == WRAP_CLAMP && length >= 32;
    uint32_t above = whole ? 0 : UINT32_MAX << bits;
    bool negative = x->type == TYPE_S32 && bits && !whole && bit(a, bits - 1);
    return (a & ~above) | (negative ? above : 0);
}

static int64_t byte_of(uint64_t value, int index, enum type type)
{
    uint8_t byte = (uint8_t)(value >> 8 * index);
    return type == TYPE_S32 ? (int8_t)byte : byte;
}

static int64_t half_of(uint64_t value, int index, enum type type)
{
    uint16_t half = (uint16_t)(value >> 16 * index);
    return type == TYPE_S32 ? (int16_t)half : half;
}

static uint64_t dot_product(const struct oracle_insn *x, uint64_t a, uint64_t b, uint64_t c)
{
    enum type first = (enum type)x->origin->suffixes.type[0], second = (enum type)x->origin->suffixes.type[1];
    int64_t sum = (int64_t)c;
    int from = oracle_mod(x, GROUP_HALF) == HALF_HI ? 2 : 0;
    if (x->op == OP_DP4A)
        for (int i = 0; i < 4; i++)
            sum += byte_of(a, i, first) * byte_of(b, i, second);
    else
        for (int i = 0; i < 2; i++)
            sum += half_of(a, i, first) * byte_of(b, from + i, second);
    return (uint64_t)sum;
}

void oracle_bits(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read_integer(t, &x->operand[1]);
    uint64_t b = oracle_read_integer(t, &x->operand[2]);
    uint64_t c = oracle_read_integer(t, &x->operand[3]);
    uint64_t d;
    unsigned width = type_table[x->type].bits;
    switch (x->op) {
    case OP_POPC:
        d = count_bits(a);
        break;
    case OP_CLZ:
        d = (uint64_t)((int)width - 1 - highest_bit(a));
        break;
    case OP_BFIND:
        d = find_highest(x, a);
        break;
    case OP_FNS:
        d = find_nth_set((uint32_t)a, (uint32_t)b, (int32_t)c);
        break;
    case OP_BREV:
        d = reverse(a, width);
        break;
    case OP_BFE:
        d = extract_field(x, a, b, c);
        break;
    case OP_BFI:
        d = insert_field(x, a, b, c, oracle_read_integer(t, &x->operand[4]));
        break;
    case OP_BMSK:
        d = make_mask(oracle_mod(x, GROUP_WRAP) == WRAP_CLAMP, (uint32_t)a, (uint32_t)b);
        break;
    case OP_SZEXT:
        d = extend_from(x, (uint32_t)a, (uint32_t)b);
        break;
    case OP_DP4A:
    case OP_DP2A:
        d = dot_product(x, a, b, c);
        break;
    default:
        oracle_unsupported(t, x);
        return;
    }
    oracle_write(t, &x->operand[0], d);
}
