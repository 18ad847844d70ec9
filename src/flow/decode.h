/*
 * Decoding: from parsed instructions to `struct insn`, function by function, into one space of PCs.
 *
 * Until planes are allocated a REF_PLANE's plane is the number of the register within its function (the
 * carry comes after the last), and every special register is a REF_SREG; flow/bind.c puts in the planes.
 *
 * Formal parameters that are registers (`.func (.reg .u32 %r) f (.reg .u32 %a)`, as old code has them) travel
 * through the frame like others: loads are put before the body's first instruction, stores before each `ret`.
 */
#ifndef HEDDLE_FLOW_DECODE_H
#define HEDDLE_FLOW_DECODE_H

#include "base/vec.h"
#include "flow/program.h"

struct decoder {
    struct program *program;
    struct arena *scratch;
    int32_t **pc_of;      /* by function of the program, by instruction: PC; one more for the body's end */
    int32_t *function_of; /* by function index in the module: index in the program, or -1 */
    struct row {
        int slot_count; /* -1: the row was not split yet */
        struct slot slot[OP_MAX_SLOTS];
    } * rows; /* by operation */
    struct vec_of(struct call) calls;
    bool uses_sreg[SREG_COUNT];
    char *error; /* the first, or NULL */
    /* the function and instruction at hand */
    const struct ptx_function *function;
    const struct ptx_instruction *origin;
    struct vec_of(struct ref) dest, source;
};

/* Lays the functions out in one space of PCs and decodes their instructions. False: d->error says why not. */
bool decode_functions(struct decoder *d);
void decode_finish(struct decoder *d);

/* Records an error about the instruction at hand; only the first counts. */
void decode_fail(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct ref decode_operand(struct decoder *d, const struct ptx_operand *operand);

/* Decodes the call at hand (flow/call.c): returns its index; registers it passes go to d->source and d->dest.
 */
int call_decode(struct decoder *d, const struct ptx_call *call, int32_t pc);

/* Width that a register of this type has in planes' terms: 1, 16, 32, 64 or 128 bits. */
static inline unsigned decode_register_bits(enum type t)
{
    unsigned bits = type_table[t].bits;
    return t == TYPE_PRED ? 1 : bits <= 16 ? 16 : bits;
}

#endif
