/* The oracle's logic, shifts, and permutation of bytes (prmt). */
#include "oracle/internal.h"

static uint64_t look_up(uint64_t table, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned row = (unsigned)((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1));
        d |= (table >> row & 1) << i;
    }
    return d;
}

/* lop3 with a predicate result: operands are d|e, a, b, c, the table, and the predicate to combine with. */
static void look_up_bool(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read(t, &x->operand[2]), b = oracle_read(t, &x->operand[3]), c = oracle_read(t, &x->operand[4]);
    uint64_t d = look_up(oracle_read(t, &x->operand[5]), a, b, c);
    bool some = d != 0, given = oracle_read(t, &x->operand[6]) != 0;
    oracle_write(t, &x->operand[1], oracle_mod(x, GROUP_BOOL) == BOOL_AND ? some && given : some || given);
    oracle_write(t, &x->operand[0], d);
}

static uint64_t shift_funnel(const struct oracle_insn *x, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t pair = b << 32 | a;
    unsigned amount = oracle_mod(x, GROUP_WRAP) == WRAP_WRAP ? c & 31 : c > 32 ? 32 : (unsigned)c;
    return oracle_mod(x, GROUP_DIR) == DIR_L ? (pair << amount) >> 32 : pair >> amount;
}

static uint64_t shift_right(const struct oracle_insn *x, uint64_t a, uint64_t amount)
{
    bool is_signed = type_table[x->type].kind == KIND_SINT;
    if (amount >= type_table[x->type].bits)
        return is_signed && (int64_t)a < 0 ? UINT64_MAX : 0;
    return is_signed ? (uint64_t)((int64_t)a >> amount) : a >> amount;
}

/* prmt: the selectors of the result's bytes, four bits each, lowest byte first; by mode and the two low bits of c. */
static uint32_t selectors(enum mod mode, uint64_t c)
{
    static const uint16_t f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
    static const uint16_t b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
    static const uint16_t rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
    static const uint16_t ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
    static const uint16_t ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
    static const uint16_t rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
    switch (mode) {
    case PRMT_F4E:
        return f4e[c & 3];
    case PRMT_B4E:
        return b4e[c & 3];
    case PRMT_RC8:
        return rc8[c & 3];
    case PRMT_ECL:
        return ecl[c & 3];
    case PRMT_ECR:
        return ecr[c & 3];
    case PRMT_RC16:
        return rc16[c & 3];
    default:
        return (uint32_t)c;
    }
}

static uint64_t permute(const struct oracle_insn *x, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t pair = b << 32 | a, d = 0;
    uint32_t selector = selectors(oracle_mod(x, GROUP_PRMT), c);
    for (int i = 0; i < 4; i++) {
        unsigned pick = selector >> 4 * i & 15;
        uint8_t byte = (uint8_t)(pair >> 8 * (pick & 7));
        if (pick & 8) /* replicates the sign of the byte */
            byte = byte & 0x80 ? 0xff : 0;
        d |= (uint64_t)byte << 8 * i;
    }
    return d;
}

void oracle_logic(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read_integer(t, &x->operand[1]);
    uint64_t b = oracle_read_integer(t, &x->operand[2]);
    uint64_t c = oracle_read_integer(t, &x->operand[3]);
    uint64_t d;
    switch (x->op) {
    case OP_AND:
        d = a & b;
        break;
    case OP_OR:
        d = a | b;
        break;
    case OP_XOR:
        d = a ^ b;
        break;
    case OP_NOT:
        d = ~a;
        break;
    case OP_CNOT:
        d = a == 0;
        break;
    case OP_LOP3:
        d = look_up(oracle_read(t, &x->operand[4]), a, b, c);
        break;
    case OP_LOP3_BOOL:
        look_up_bool(t, x);
        return;
    case OP_SHF:
        d = shift_funnel(x, a, b, c);
        break;
    case OP_SHL:
        d = b >= type_table[x->type].bits ? 0 : a << b;
        break;
    case OP_SHR:
        d = shift_right(x, a, b);
        break;
    case OP_PRMT:
        d = permute(x, a, b, c);
        break;
    default:
        oracle_unsupported(t, x);
        return;
    }
    oracle_write(t, &x->operand[0], d);
}
