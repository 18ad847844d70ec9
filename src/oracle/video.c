/*
 * The oracle's video instructions, by the pseudocode of the PTX manual: select parts, operate, saturate, then a second
 * operation or a merge. Where an H200 does otherwise in the scalar instructions, which the driver's compiler builds
 * from others, the oracle follows the H200; these places say so.
 */
#include "oracle/internal.h"

/* Wide enough for every intermediate result: the widest is vmad's product of 64 bits, plus c. */
typedef __int128 wide;

static bool is_signed(const struct oracle_insn *x, int type)
{
    return x->origin->suffixes.type[type] == TYPE_S32;
}

static uint16_t selector(const struct oracle_insn *x, int operand)
{
    return x->origin->operand[operand].select;
}

/* Element `index` of a word that is cut into elements of `bits` bits. */
static wide element(uint64_t word, unsigned index, unsigned bits, bool with_sign)
{
    uint64_t value = word >> bits * index & oracle_mask(bits);
    bool negative = with_sign && value >> (bits - 1);
    return (wide)value - (negative ? (wide)1 << bits : 0);
}

static wide source(struct oracle_thread *t, const struct oracle_insn *x, int operand, bool with_sign)
{
    uint64_t word = oracle_read(t, &x->operand[operand]);
    uint16_t select = selector(x, operand);
    if (!select)
        return element(word, 0, 32, with_sign);
    return element(word, select_index(select, 0), select_is_halves(select) ? 16 : 8, with_sign);
}

static wide lesser(wide a, wide b)
{
    return a < b ? a : b;
}

static wide greater(wide a, wide b)
{
    return a < b ? b : a;
}

static wide saturate(wide value, unsigned bits, bool with_sign)
{
    wide top = (wide)1 << (with_sign ? bits - 1 : bits);
    return lesser(greater(value, with_sign ? -top : 0), top - 1);
}

static wide compare(enum mod comparison, wide a, wide b)
{
    switch (comparison) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static wide difference(wide a, wide b)
{
    return a < b ? b - a : a - b;
}

/* Halves round upwards, but for negative sums downwards. */
static wide average(wide sum)
{
    return (sum >= 0 ? sum + 1 : sum) >> 1;
}

static unsigned shift_count(const struct oracle_insn *x, wide b)
{
    return (unsigned)(oracle_mod(x, GROUP_WRAP) == WRAP_WRAP ? b & 31 : lesser(b, 32));
}

static wide operate(const struct oracle_insn *x, wide a, wide b)
{
    switch (x->op) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4:
        return a + b;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4:
        return a - b;
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4:
        return difference(a, b);
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4:
        return lesser(a, b);
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4:
        return greater(a, b);
    case OP_VAVRG2:
    case OP_VAVRG4:
        return average(a + b);
    case OP_VSHL:
        return a * ((wide)1 << shift_count(x, b));
    case OP_VSHR:
        return a >> shift_count(x, b);
    default:
        return compare(oracle_mod(x, GROUP_CMP), a, b);
    }
}

static bool is_set(const struct oracle_insn *x)
{
    return x->op == OP_VSET || x->op == OP_VSET2 || x->op == OP_VSET4;
}

/* The type of a scalar result. vset has none of its own; on an H200 it is the type of a. */
static bool has_signed_result(const struct oracle_insn *x)
{
    return is_signed(x, 0);
}

/* The value's low bits, of which the highest is a sign. */
static wide low_bits(wide value, unsigned bits)
{
    wide low = value & (((wide)1 << bits) - 1);
    return low >> (bits - 1) ? low - ((wide)1 << bits) : low;
}

/* .sat, as on an H200. By the manual this is saturate(value, bits, has_signed_result(x)). */
static wide saturate_scalar(const struct oracle_insn *x, wide value, unsigned bits)
{
    bool with_sign = has_signed_result(x);
    bool is_shift = x->op == OP_VSHL || x->op == OP_VSHR;
    if (is_shift) /* to 32 bits always, and what is left is signed */
        return low_bits(saturate(low_bits(value, 34), 32, with_sign), 32);
    if (bits < 32) { /* a negative value is as good as a large one */
        wide most = saturate((wide)1 << 40, bits, with_sign);
        return value < 0 || value > most ? most : value;
    }
    if (with_sign)
        return saturate(value, 32, true);
    return greater(value, 0); /* no upper limit */
}

/* The second operation, as on an H200: an unsigned result is compared as 64 bits without a sign. */
static wide second_operation(const struct oracle_insn *x, wide value, uint64_t c)
{
    wide other = element(c, 0, 32, has_signed_result(x));
    wide compared = has_signed_result(x) ? value : (wide)(uint64_t)value;
    switch (oracle_mod(x, GROUP_SECOND)) {
    case SECOND_ADD:
        return value + other;
    case SECOND_MIN:
        return lesser(compared, other);
    case SECOND_MAX:
        return greater(compared, other);
    default:
        return value;
    }
}

static uint64_t scalar(struct oracle_thread *t, const struct oracle_insn *x)
{
    int first = is_set(x) ? 0 : 1; /* the type of a */
    wide value = operate(x, source(t, x, 1, is_signed(x, first)), source(t, x, 2, is_signed(x, first + 1)));
    uint16_t select = selector(x, 0);
    unsigned bits = !select ? 32 : select_is_halves(select) ? 16 : 8;
    uint64_t c = oracle_read(t, &x->operand[3]);
    value = low_bits(value, 64);
    if (oracle_flag(x, FLAG_SAT))
        value = saturate_scalar(x, value, bits);
    if (x->op == OP_VADD || x->op == OP_VSUB)
        value = low_bits(value, 32);
    if (!select)
        return (uint64_t)second_operation(x, value, c);
    unsigned at = bits * select_index(select, 0);
    if (bits == 16 && at) /* an H200 merges the upper half of the result */
        value >>= 16;
    return ((uint64_t)value & oracle_mask(bits)) << at | (c & ~(oracle_mask(bits) << at));
}

/* Which of eight bytes or four halves an operand takes for an element. */
static unsigned picked(const struct oracle_insn *x, int operand, unsigned index, unsigned count)
{
    uint16_t select = selector(x, operand);
    return select ? select_index(select, index) : index + (operand == 2 ? count : 0);
}

static bool is_written(const struct oracle_insn *x, unsigned index)
{
    uint16_t select = selector(x, 0);
    for (unsigned i = 0; i < select_count(select); i++)
        if (select_index(select, i) == index)
            return true;
    return !select;
}

static uint64_t simd(struct oracle_thread *t, const struct oracle_insn *x, unsigned count)
{
    uint64_t pair = oracle_read(t, &x->operand[1]) | oracle_read(t, &x->operand[2]) << 32;
    uint64_t c = oracle_read(t, &x->operand[3]), merged = 0;
    int first = is_set(x) ? 0 : 1;
    unsigned bits = 32 / count;
    wide sum = (wide)c;
    for (unsigned i = 0; i < count; i++) {
        wide a = element(pair, picked(x, 1, i, count), bits, is_signed(x, first));
        wide b = element(pair, picked(x, 2, i, count), bits, is_signed(x, first + 1));
        wide value = operate(x, a, b);
        if (oracle_flag(x, FLAG_SAT))
            value = saturate(value, bits, is_signed(x, 0));
        if (is_written(x, i))
            sum += value;
        else
            value = element(c, i, bits, false);
        merged |= ((uint64_t)value & oracle_mask(bits)) << bits * i;
    }
    return oracle_flag(x, FLAG_ADD) ? (uint64_t)sum : merged;
}

/* On an H200 factors of 32 bits and c are signed, whatever their types; an unsigned sum has 64 bits. */
static uint64_t multiply_add(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct ptx_operand *p = x->origin->operand;
    bool minus_product = p[1].negate != p[2].negate;
    bool signed_result = is_signed(x, 1) || is_signed(x, 2) || minus_product || p[3].negate;
    wide product = low_bits(source(t, x, 1, is_signed(x, 1)), 32) * low_bits(source(t, x, 2, is_signed(x, 2)), 32);
    wide c = element(oracle_read(t, &x->operand[3]), 0, 32, true);
    wide value = (minus_product ? -product : product) + (p[3].negate ? -c : c) + oracle_flag(x, FLAG_PO);
    enum mod scale = oracle_mod(x, GROUP_SCALE);
    if (!signed_result)
        value = (wide)(uint64_t)value;
    value >>= scale == SCALE_SHR7 ? 7 : scale == SCALE_SHR15 ? 15 : 0;
    if (!signed_result)
        value = low_bits(value, 64);
    return (uint64_t)(oracle_flag(x, FLAG_SAT) ? saturate(value, 32, signed_result) : value);
}

void oracle_video(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t d;
    if (x->op == OP_VMAD)
        d = multiply_add(t, x);
    else if (x->op >= OP_VADD4)
        d = simd(t, x, 4);
    else if (x->op >= OP_VADD2)
        d = simd(t, x, 2);
    else
        d = scalar(t, x);
    oracle_write(t, &x->operand[0], d);
}
