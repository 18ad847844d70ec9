/*
 * Decoding: from parsed instructions to `struct insn`, function by function, into one space of PCs.
 *
 * Until planes are allocated, the plane of a REF_PLANE is the number of the register within its function (the carry
 * flag has the number after the last), and every special register is a REF_SREG; flow/bind.c puts in the planes.
 *
 * Formal parameters that are registers (`.func (.reg .u32 %r) f (.reg .u32 %a)`, in old code) travel through the frame
 * like other parameters: decoding inserts loads before the body's first instruction and stores before each `ret`.
 */
#ifndef HEDDLE_FLOW_DECODE_H
#define HEDDLE_FLOW_DECODE_H

#include "base/vec.h"
#include "flow/program.h"

struct decoder {
    struct program *program;
    struct arena *scratch;
    int32_t **pc_of;      /* by function of the program, by instruction of the text: PC; one more for the body's end */
    int32_t *function_of; /* by function index in the module: index in the program, or -1 */
    struct op_slots {
        int slot_count; /* -1: the operands of this row of the instruction table were not split yet */
        struct op_slot slot[OP_MAX_SLOTS];
    } * rows; /* by operation */
    struct vec_of(struct call) calls;
    bool uses_sreg[SREG_COUNT];
    char *error; /* text of the first error, or NULL */
    /* What is decoded now: function, instruction (NULL: an inserted one) and its operands so far. */
    const struct ptx_function *function;
    const struct ptx_instruction *origin;
    struct vec_of(struct ref) dest, source;
};

/* Lays the functions out in one space of PCs and decodes their instructions. False: d->error says why not. */
bool decode_functions(struct decoder *d);
void decode_finish(struct decoder *d);

/* Records an error about the instruction that is decoded now, unless there was an error before. */
void decode_fail(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct ref decode_operand(struct decoder *d, const struct ptx_operand *operand);

/* Decodes a call (flow/call.c) and returns its index, or -1 after an error. Registers that the call passes go to
 * d->source and d->dest. */
int call_decode(struct decoder *d, const struct ptx_call *call, int32_t pc);

/* Bits that a register of this type takes in a lane of its plane: 1, 16, 32, 64 or 128. */
static inline unsigned decode_register_bits(enum type t)
{
    unsigned bits = type_table[t].bits;
    return t == TYPE_PRED ? 1 : bits <= 16 ? 16 : bits;
}

#endif
