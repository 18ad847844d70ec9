/* The oracle's comparisons and selections. */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

static double to_double(enum type type, uint64_t bits, bool flush)
{
    if (type == TYPE_F16 || type == TYPE_BF16)
        return oracle_half_value(type, bits & 0xffff, flush);
    if (type == TYPE_F64) {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return flush ? oracle_flush32(f) : f;
}

static bool compare_float(enum mod cmp, double a, double b)
{
    bool unordered = isnan(a) || isnan(b);
    switch (cmp) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return !unordered && a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    case CMP_GE:
        return a >= b;
    case CMP_EQU:
        return unordered || a == b;
    case CMP_NEU:
        return unordered || a != b;
    case CMP_LTU:
        return unordered || a < b;
    case CMP_LEU:
        return unordered || a <= b;
    case CMP_GTU:
        return unordered || a > b;
    case CMP_GEU:
        return unordered || a >= b;
    case CMP_NUM:
        return !unordered;
    case CMP_NAN:
        return unordered;
    default:
        return false;
    }
}

static bool compare_integer(enum mod cmp, bool is_signed, uint64_t a, uint64_t b)
{
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (cmp) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return less;
    case CMP_LE:
        return less || a == b;
    case CMP_GT:
        return !less && a != b;
    case CMP_GE:
        return !less;
    case CMP_LO: /* lo, ls, hi, hs compare unsigned numbers, whatever the type; sign extension keeps the order of
                  * these */
        return a < b;
    case CMP_LS:
        return a <= b;
    case CMP_HI:
        return a > b;
    case CMP_HS:
        return a >= b;
    default:
        return false;
    }
}

static bool compare(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_operand *a,
                    const struct oracle_operand *b)
{
    enum type type = (enum type)a->type;
    enum mod cmp = oracle_mod(x, GROUP_CMP);
    bool flush = oracle_flag(x, FLAG_FTZ);
    if (type_table[type].kind == KIND_FLOAT)
        return compare_float(cmp, to_double(type, oracle_read(t, a), flush), to_double(type, oracle_read(t, b), flush));
    return compare_integer(cmp, type_table[type].kind == KIND_SINT, oracle_read_integer(t, a),
                           oracle_read_integer(t, b));
}

static bool combine(enum mod op, bool a, bool b)
{
    switch (op) {
    case BOOL_AND:
        return a && b;
    case BOOL_OR:
        return a || b;
    case BOOL_XOR:
        return a != b;
    default:
        return a;
    }
}

static void set_predicates(struct oracle_thread *t, const struct oracle_insn *x)
{
    bool holds = compare(t, x, &x->operand[2], &x->operand[3]);
    bool other = oracle_read(t, &x->operand[4]) != 0;
    enum mod op = oracle_mod(x, GROUP_BOOL);
    oracle_write(t, &x->operand[0], combine(op, holds, other));
    oracle_write(t, &x->operand[1], combine(op, !holds, other));
}

static void set_value(struct oracle_thread *t, const struct oracle_insn *x)
{
    bool holds = compare(t, x, &x->operand[1], &x->operand[2]);
    bool other = oracle_read(t, &x->operand[3]) != 0;
    uint64_t yes = x->type == TYPE_F32    ? 0x3f800000
                   : x->type == TYPE_F16  ? 0x3c00
                   : x->type == TYPE_BF16 ? 0x3f80
                                          : UINT64_MAX;
    oracle_write(t, &x->operand[0], combine(oracle_mod(x, GROUP_BOOL), holds, other) ? yes : 0);
}

/* Comparisons of half precision: of the single numbers, or of the lower and of the upper halves. */
static bool compare_half(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_operand *a,
                         const struct oracle_operand *c, unsigned at)
{
    enum type type = a->type == TYPE_F16 || a->type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    bool flush = oracle_flag(x, FLAG_FTZ);
    bool holds = compare_float(oracle_mod(x, GROUP_CMP), to_double(type, oracle_read(t, a) >> at, flush),
                               to_double(type, oracle_read(t, a + 1) >> at, flush));
    return combine(oracle_mod(x, GROUP_BOOL), holds, oracle_read(t, c) != 0);
}

static void set_value_half(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *a = &x->operand[1], *c = &x->operand[3];
    bool is_packed = type_table[a->type].kind == KIND_PACKED;
    uint64_t yes = x->type == TYPE_F16 || x->type == TYPE_F16X2     ? 0x3c00
                   : x->type == TYPE_BF16 || x->type == TYPE_BF16X2 ? 0x3f80
                   : is_packed                                      ? 0xffff
                                                                    : UINT64_MAX;
    uint64_t d = compare_half(t, x, a, c, 0) ? yes : 0;
    if (is_packed)
        d |= (compare_half(t, x, a, c, 16) ? yes : 0) << 16;
    oracle_write(t, &x->operand[0], d);
}

static void set_predicates_packed(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *a = &x->operand[2], *c = &x->operand[4];
    bool low = compare_half(t, x, a, c, 0), high = compare_half(t, x, a, c, 16);
    oracle_write(t, &x->operand[0], low);
    oracle_write(t, &x->operand[1], high);
}

static bool is_not_negative(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_operand *c)
{
    if (c->type == TYPE_F32)
        return to_double(TYPE_F32, oracle_read(t, c), oracle_flag(x, FLAG_FTZ)) >= 0;
    return (int64_t)oracle_read_integer(t, c) >= 0;
}

void oracle_compare(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *a = &x->operand[1], *b = &x->operand[2], *c = &x->operand[3];
    switch (x->op) {
    case OP_SETP:
    case OP_SETP_BOOL:
    case OP_SETP_F:
    case OP_SETP_F_BOOL:
        set_predicates(t, x);
        break;
    case OP_SET:
    case OP_SET_BOOL:
        set_value(t, x);
        break;
    case OP_SETP_F16 ... OP_SETP_BF16_BOOL:
        oracle_write(t, &x->operand[0], compare_half(t, x, &x->operand[1], &x->operand[3], 0));
        break;
    case OP_SETP_F16X2 ... OP_SETP_BF16X2_BOOL:
        set_predicates_packed(t, x);
        break;
    case OP_SET_F16 ... OP_SET_BF16X2_BOOL:
        set_value_half(t, x);
        break;
    case OP_SELP:
        oracle_write(t, &x->operand[0], oracle_read(t, oracle_read(t, c) ? a : b));
        break;
    case OP_SLCT:
        oracle_write(t, &x->operand[0], oracle_read(t, is_not_negative(t, x, c) ? a : b));
        break;
    default:
        oracle_unsupported(t, x);
    }
}
