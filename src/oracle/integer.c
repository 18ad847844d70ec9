/*
 * The oracle's integer arithmetic.
 *
 * Operands are extended to 64 bits by their types. Results are computed in 64 bits (products in 128) and truncated to
 * the type when they are written. As on hardware, division by zero gives all ones and the dividend as remainder.
 */
#include "oracle/internal.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static bool is_signed(const struct oracle_insn *x)
{
    return type_table[x->type].kind == KIND_SINT;
}

static unsigned width(const struct oracle_insn *x)
{
    return type_table[x->type].bits;
}

static uint64_t clamp_s32(int64_t value)
{
    return (uint64_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

static uint64_t multiply_half(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    unsigned_wide product =
        is_signed(x) ? (unsigned_wide)((wide)(int64_t)a * (int64_t)b) : (unsigned_wide)a * (unsigned_wide)b;
    return (uint64_t)(oracle_mod(x, GROUP_HALF) == HALF_HI ? product >> width(x) : product);
}

static uint64_t multiply_24(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    a &= 0xffffff;
    b &= 0xffffff;
    if (is_signed(x)) {
        a = (uint64_t)((int64_t)(a << 40) >> 40);
        b = (uint64_t)((int64_t)(b << 40) >> 40);
    }
    uint64_t product = a * b; /* of 48 bits */
    return oracle_mod(x, GROUP_HALF) == HALF_HI ? product >> 16 : product;
}

static uint64_t divide(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    if (!b)
        return UINT64_MAX;
    if (!is_signed(x))
        return a / b;
    return (int64_t)b == -1 ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t remainder_of(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    if (!b)
        return a;
    if (!is_signed(x))
        return a % b;
    return (int64_t)b == -1 ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static bool less(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    return is_signed(x) ? (int64_t)a < (int64_t)b : a < b;
}

void oracle_integer(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read_integer(t, &x->operand[1]);
    uint64_t b = oracle_read_integer(t, &x->operand[2]);
    uint64_t c = oracle_read_integer(t, &x->operand[3]);
    uint64_t d;
    switch (x->op) {
    case OP_ADD:
        d = a + b;
        break;
    case OP_ADD_SAT:
        d = clamp_s32((int64_t)(a + b));
        break;
    case OP_SUB:
        d = a - b;
        break;
    case OP_SUB_SAT:
        d = clamp_s32((int64_t)(a - b));
        break;
    case OP_MUL:
        d = multiply_half(x, a, b);
        break;
    case OP_MUL_WIDE:
        d = a * b;
        break;
    case OP_MAD:
        d = multiply_half(x, a, b) + c;
        break;
    case OP_MAD_SAT:
        d = clamp_s32((int32_t)multiply_half(x, a, b) + (int64_t)c);
        break;
    case OP_MAD_WIDE:
        d = a * b + c;
        break;
    case OP_MUL24:
        d = multiply_24(x, a, b);
        break;
    case OP_MAD24:
        d = multiply_24(x, a, b) + c;
        break;
    case OP_MAD24_SAT:
        d = clamp_s32((int32_t)multiply_24(x, a, b) + (int64_t)c);
        break;
    case OP_SAD:
        d = c + (less(x, a, b) ? b - a : a - b);
        break;
    case OP_DIV:
        d = divide(x, a, b);
        break;
    case OP_REM:
        d = remainder_of(x, a, b);
        break;
    case OP_ABS:
        d = (int64_t)a < 0 ? -a : a;
        break;
    case OP_NEG:
        d = -a;
        break;
    case OP_MIN:
        d = less(x, a, b) ? a : b;
        break;
    case OP_MAX:
        d = less(x, a, b) ? b : a;
        break;
    default:
        oracle_unsupported(t, x);
        return;
    }
    oracle_write(t, &x->operand[0], d);
}

/* a + b + carry in the width of the type; the carry out is the bit above it. */
static uint64_t add_with_carry(const struct oracle_insn *x, uint64_t a, uint64_t b, bool carry, bool *carry_out)
{
    uint64_t mask = oracle_mask(width(x));
    unsigned_wide sum = (unsigned_wide)(a & mask) + (b & mask) + carry;
    *carry_out = (sum >> width(x)) & 1;
    return (uint64_t)sum;
}

/* a - b, and less 1 more without a carry. The carry out is set if nothing was borrowed. */
static uint64_t subtract_with_carry(const struct oracle_insn *x, uint64_t a, uint64_t b, bool carry, bool *carry_out)
{
    uint64_t mask = oracle_mask(width(x));
    unsigned_wide less_by = (unsigned_wide)(b & mask) + !carry;
    *carry_out = (a & mask) >= less_by;
    return (uint64_t)((a & mask) - less_by);
}

void oracle_carry(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read_integer(t, &x->operand[1]);
    uint64_t b = oracle_read_integer(t, &x->operand[2]);
    uint64_t c = oracle_read_integer(t, &x->operand[3]);
    uint64_t d;
    bool out;
    switch (x->op) {
    case OP_ADD_CC:
        d = add_with_carry(x, a, b, false, &out);
        break;
    case OP_ADDC:
        d = add_with_carry(x, a, b, t->carry, &out);
        break;
    case OP_SUB_CC:
        d = subtract_with_carry(x, a, b, true, &out);
        break;
    case OP_SUBC:
        d = subtract_with_carry(x, a, b, t->carry, &out);
        break;
    case OP_MAD_CC:
        d = add_with_carry(x, multiply_half(x, a, b), c, false, &out);
        break;
    case OP_MADC:
        d = add_with_carry(x, multiply_half(x, a, b), c, t->carry, &out);
        break;
    default:
        oracle_unsupported(t, x);
        return;
    }
    if (oracle_flag(x, FLAG_CC))
        t->carry = out;
    oracle_write(t, &x->operand[0], d);
}

/* Both halves of a word at a time, or the whole word. */
void oracle_packed(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read(t, &x->operand[1]), b = oracle_read(t, &x->operand[2]), d = 0;
    enum type part = x->type == TYPE_U16X2 ? TYPE_U16 : x->type == TYPE_S16X2 ? TYPE_S16 : TYPE_S32;
    unsigned bits = type_table[part].bits;
    for (unsigned at = 0; at < 32; at += bits) {
        int64_t first = (int64_t)oracle_extend(a >> at, part), second = (int64_t)oracle_extend(b >> at, part);
        int64_t lesser = first < second ? first : second, greater = first < second ? second : first;
        bool is_min = x->op == OP_MIN_X2 || x->op == OP_MIN_RELU;
        int64_t result = x->op == OP_ADD_X2 ? first + second : is_min ? lesser : greater;
        if (oracle_flag(x, FLAG_RELU) && result < 0)
            result = 0;
        d |= ((uint64_t)result & oracle_mask(bits)) << at;
    }
    oracle_write(t, &x->operand[0], d);
}
