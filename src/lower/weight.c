/*
 * Weight: how many machine instructions a stretch of PTX takes, as far as ptxas' choice to predicate depends on it.
 *
 * The counts are those of sm_90. Operands cost nothing: parameters, small constants, address conversions. A product
 * and the sum that uses it are one instruction (IMAD, IMAD.WIDE, LEA). 64-bit integers take two instructions where
 * 32-bit integers take one. Divisions and exact square roots hold branches or calls of their own, and so forbid
 * predication. tests/validate/ptxas holds the probe kernels.
 */
#include "lower/body.h"

#include <string.h>

enum {
    SHARED_WINDOW_WEIGHT = 3, /* the upper half of a generic address of shared memory, and two moves */
    VIDEO_WEIGHT = 4,         /* assumed: parts of both operands, the operation, the merge */
    SHARED_BASE_WEIGHT = 3    /* where shared memory starts, for the block's place in its cluster */
};

static bool is_wide(const struct ptx_instruction *insn)
{
    return type_table[insn->suffixes.type[0]].bits == 64 && type_table[insn->suffixes.type[0]].kind != KIND_FLOAT;
}

bool body_is_long_load(const struct ptx_instruction *insn)
{
    int space = insn->suffixes.mod[GROUP_SPACE];
    return (insn->op == OP_LD || insn->op == OP_LDU) &&
           (space == SPACE_GLOBAL || space == SPACE_LOCAL || space == MOD_NONE);
}

static int move_weight(const struct ptx_instruction *insn)
{
    const struct ptx_operand *from = &insn->operand[1];
    if (from->kind == OPERAND_SREG)
        return sreg_table[from->sreg].scope == SCOPE_EVERY_READ ? WEIGHT_FORBIDDEN : 1;
    return from->kind == OPERAND_IMMEDIATE && from->bits != 0;
}

static int convert_weight(const struct ptx_instruction *insn)
{
    const struct type_info *to = &type_table[insn->suffixes.type[0]], *from = &type_table[insn->suffixes.type[1]];
    if (from->kind == KIND_FLOAT || to->kind == KIND_FLOAT || suffixes_has(&insn->suffixes, FLAG_SAT))
        return 1;
    if (to->bits == 64 && from->kind == KIND_SINT)
        return 2;
    bool drops = to->bits <= from->bits && to->bits >= 32, extends_zero = to->bits == 64 && from->kind != KIND_SINT;
    return drops || extends_zero ? 0 : 1;
}

/* Rows that weigh something else than one instruction. */
static int weight_of(const struct ptx_instruction *insn)
{
    switch (insn->op) {
    case OP_CVTA:
        return insn->suffixes.mod[GROUP_SPACE] == SPACE_SHARED ? SHARED_WINDOW_WEIGHT : 0;
    case OP_CVTA_TO:
        return 0;
    case OP_SETP:
    case OP_SETP_BOOL:
        return is_wide(insn) ? 3 : 1;
    case OP_CLZ:
    case OP_BFIND:
        return WEIGHT_FORBIDDEN;
    case OP_MOV:
        return move_weight(insn);
    case OP_PACK:
    case OP_UNPACK:
        return 0;
    case OP_CVT_INT:
        return convert_weight(insn);
    case OP_LD:
        return insn->suffixes.mod[GROUP_SPACE] == SPACE_PARAM ? 0 : 1;
    case OP_ST:
    case OP_MUL_WIDE:
        return 1;
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
        return insn->suffixes.type[0] == TYPE_PRED ? 0 : 1 + is_wide(insn);
    case OP_MUL:
    case OP_MAD:
        return is_wide(insn) ? 4 : 1;
    case OP_SHL:
    case OP_SHR:
        return is_wide(insn) ? (insn->operand[2].kind == OPERAND_IMMEDIATE ? 2 : 4) : 1;
    case OP_DIV_APPROX:
    case OP_SIN:
    case OP_COS:
        return 2;
    case OP_RCP_APPROX:
    case OP_SQRT_APPROX:
    case OP_RSQRT_APPROX:
    case OP_LG2:
    case OP_EX2:
        return suffixes_has(&insn->suffixes, FLAG_FTZ) ? 1 : 2;
    case OP_DIV:
    case OP_REM:
    case OP_DIV_FULL:
    case OP_NANOSLEEP:
    case OP_BRKPT:
    case OP_PMEVENT:
        return WEIGHT_FORBIDDEN;
    default:
        return 1 + is_wide(insn);
    }
}

static int weight(const struct ptx_instruction *insn)
{
    if (insn->op == OP_NONE)
        return WEIGHT_FORBIDDEN;
    switch ((enum op_class)op_table[insn->op].class) { /* without a default, so that a new class is not forgotten */
    case CLASS_INT:
    case CLASS_IMUL:
    case CLASS_FP32:
    case CLASS_HALF:
    case CLASS_FP64:
    case CLASS_SFU:
    case CLASS_CVT:
    case CLASS_ICVT:
    case CLASS_LOAD:
    case CLASS_STORE:
        return weight_of(insn);
    case CLASS_VIDEO:
        return VIDEO_WEIGHT;
    case CLASS_BRANCH:
        return insn->op == OP_BRA || insn->op == OP_RET || insn->op == OP_EXIT ? 1 : WEIGHT_FORBIDDEN;
    case CLASS_IDIV:
    case CLASS_FDIV:
    case CLASS_DDIV:
    case CLASS_ASYNC:
    case CLASS_ATOMIC:
    case CLASS_FENCE:
    case CLASS_TEX:
    case CLASS_BARRIER:
    case CLASS_WARP:
    case CLASS_TENSOR:
    case CLASS_COUNT:
        break;
    }
    return WEIGHT_FORBIDDEN;
}

/* Whether the operand is the address [reg + offset]. */
static bool is_address_of(const struct ptx_operand *o, int32_t reg)
{
    return o->kind == OPERAND_ADDRESS && o->reg == reg;
}

/* Whether the instruction adds a constant to a register, and the sum is nothing but an address up to `last`: then the
 * constant becomes the offset of the accesses. */
static bool is_offset(const struct body *body, int position, int last, uint8_t *set)
{
    const struct ptx_instruction *sum = &body->at[position];
    if (sum->op != OP_ADD || sum->operand[0].kind != OPERAND_REGISTER || sum->operand[2].kind != OPERAND_IMMEDIATE)
        return false;
    int32_t reg = sum->operand[0].reg;
    bool is_used = false, is_address = true;
    set[reg] = 1;
    for (int i = position + 1; i <= last && is_address; i++) {
        const struct ptx_instruction *insn = &body->at[i];
        if (body->gone[i] || !body_reads(insn, set))
            continue;
        is_used = true;
        is_address = (insn->op == OP_LD && is_address_of(&insn->operand[1], reg)) ||
                     (insn->op == OP_ST && is_address_of(&insn->operand[0], reg) &&
                      !(insn->operand[1].kind == OPERAND_REGISTER && insn->operand[1].reg == reg));
    }
    set[reg] = 0;
    return is_used && is_address;
}

/* Whether the instruction is a sum that becomes one machine instruction with the product or sum that it reads (IMAD,
 * LEA, IADD3, FFMA). */
static bool is_fused(const struct ptx_instruction *insn, const uint8_t *products)
{
    return (insn->op == OP_ADD || (insn->op == OP_ADD_F32 && insn->suffixes.mod[GROUP_RND] == MOD_NONE)) &&
           body_reads(insn, products);
}

/* Whether a sum that reads the instruction's result may become one machine instruction with it. */
static bool can_fuse(const struct ptx_instruction *insn)
{
    return insn->op == OP_MUL_WIDE ||
           ((insn->op == OP_MUL || insn->op == OP_SHL || insn->op == OP_ADD) && !is_wide(insn)) ||
           (insn->op == OP_MUL_F32 && insn->suffixes.mod[GROUP_RND] == MOD_NONE);
}

/* The variable of shared or global memory, or the parameter, that an operand names; or NULL. */
static const struct ptx_variable *symbol_of(const struct ptx_instruction *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operand[i].variable && insn->operand[i].variable->space != SPACE_PARAM)
            return insn->operand[i].variable;
    return NULL;
}

static bool is_named_before(const struct body *body, int position, const struct ptx_variable *variable)
{
    for (int i = 0; i < position; i++)
        if (!body->gone[i] && symbol_of(&body->at[i]) == variable)
            return true;
    return false;
}

/* Instructions that find the address of the variable that the instruction names. They stand where the address is first
 * needed. */
static int address_weight(const struct body *body, int position)
{
    const struct ptx_variable *v = symbol_of(&body->at[position]);
    if (!v || is_named_before(body, position, v))
        return 0;
    return v->space == SPACE_SHARED ? SHARED_BASE_WEIGHT : v->space == SPACE_GLOBAL && body->at[position].op == OP_ST;
}

/* The instruction that loads a pointer parameter stands where the parameter is first needed, if that is a conversion of
 * the pointer. */
static int pointer_weight(const struct body *body, int position)
{
    const struct ptx_instruction *insn = &body->at[position];
    return insn->op == OP_CVTA_TO && insn->operand[1].kind == OPERAND_REGISTER &&
           body->first_read[insn->operand[1].reg] >= position;
}

int body_weight(const struct body *body, int first, int last)
{
    struct arena scratch = {0};
    uint8_t *products = arena_array(&scratch, uint8_t, (size_t)body->function->register_count);
    uint8_t *set = arena_array(&scratch, uint8_t, (size_t)body->function->register_count);
    int sum = 0;
    for (int i = first; i <= last && sum < WEIGHT_FORBIDDEN; i++) {
        const struct ptx_instruction *insn = &body->at[i];
        if (body->gone[i])
            continue;
        sum += address_weight(body, i) + pointer_weight(body, i);
        if (is_fused(insn, products) || is_offset(body, i, last, set))
            continue;
        sum += weight(insn);
        if (can_fuse(insn))
            body_add_writes(insn, products);
    }
    arena_free(&scratch);
    return sum;
}
