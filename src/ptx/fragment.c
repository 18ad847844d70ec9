/*
 * How many registers a fragment has: the elements of the matrix, divided among the threads of a warp (of four warps for
 * wgmma), packed into 32-bit registers; elements of f64 take a register each. Two cases have more: wmma holds every
 * element of a and b of f16 as often as fills 8 registers, and mma.m8n8k4 of f16 is four products at once.
 */
#include "ptx/fragment.h"

#include "base/diag.h"

enum { ROW_THREADS = 32, GROUP_THREADS = 128, WMMA_F16_REGISTERS = 8 };

enum role fragment_role(const struct suffixes *s)
{
    switch (s->mod[GROUP_FRAGMENT]) {
    case FRAGMENT_A:
        return ROLE_MATRIX_A;
    case FRAGMENT_B:
        return ROLE_MATRIX_B;
    default:
        return ROLE_MATRIX_C;
    }
}

static bool is_wmma_access(const struct suffixes *s)
{
    return s->mod[GROUP_WMMA] == WMMA_LOAD || s->mod[GROUP_WMMA] == WMMA_STORE;
}

enum type fragment_element(enum op op, const struct suffixes *s, enum role role)
{
    if (is_wmma_access(s))
        return (enum type)s->type[0];
    if (op == OP_WMMA_F16)
        return role == ROLE_MATRIX_D ? (enum type)s->type[0] : role == ROLE_MATRIX_C ? (enum type)s->type[1] : TYPE_F16;
    switch (role) {
    case ROLE_MATRIX_A:
    case ROLE_TILE_A:
        return (enum type)s->type[1];
    case ROLE_MATRIX_B:
        return (enum type)s->type[2];
    case ROLE_MATRIX_C:
        return (enum type)s->type[3];
    default:
        return (enum type)s->type[0];
    }
}

static enum type register_type(enum type element)
{
    switch (element) {
    case TYPE_F32:
    case TYPE_S32:
        return element;
    case TYPE_F64: /* any register of 64 bits will do */
        return TYPE_B64;
    default:
        return TYPE_B32;
    }
}

struct fragment fragment_of(enum op op, const struct suffixes *s, enum role role)
{
    if (s->mod[GROUP_NUM]) { /* ldmatrix and stmatrix: a register for every 128 bytes */
        int matrices = s->mod[GROUP_NUM] == NUM_X4 ? 4 : s->mod[GROUP_NUM] == NUM_X2 ? 2 : 1;
        return (struct fragment){shape_m(s->shape) * shape_n(s->shape) == 256 ? 2 * matrices : matrices, TYPE_B32};
    }
    if (is_wmma_access(s))
        role = fragment_role(s);
    enum type element = fragment_element(op, s, role);
    unsigned m = shape_m(s->shape), n = shape_n(s->shape), k = shape_k(s->shape), elements;
    switch (role) {
    case ROLE_MATRIX_A:
    case ROLE_TILE_A:
        elements = s->mod[GROUP_SPARSE] ? m * k / 2 : m * k;
        break;
    case ROLE_MATRIX_B:
        elements = k * n;
        break;
    default:
        elements = m * n;
        break;
    }
    bool is_wmma = s->mod[GROUP_WMMA], is_operand = role == ROLE_MATRIX_A || role == ROLE_MATRIX_B;
    if (is_wmma && is_operand && element == TYPE_F16)
        return (struct fragment){WMMA_F16_REGISTERS, TYPE_B32};
    if (op == OP_MMA_QUAD_F32 || op == OP_MMA_QUAD_F16)
        elements *= 4;
    enum type type = register_type(element);
    unsigned threads = s->mod[GROUP_WGMMA] ? GROUP_THREADS : ROW_THREADS;
    unsigned count = elements * type_table[element].bits / (threads * type_table[type].bits);
    if (!count || elements * type_table[element].bits % (threads * type_table[type].bits))
        panic("ops.def: %s has a shape that does not fill registers", op_table[op].id);
    return (struct fragment){(int)count, type};
}
