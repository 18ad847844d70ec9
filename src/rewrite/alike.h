/*
 * Equal sequences of instructions, up to the names of registers.
 *
 * Two straight sequences are equal if they have the same instructions in the same order, and one register of the first
 * stands in all places of one register of the second, and the other way round. Immediate values that are read as
 * operands may differ; where they do, a function made of the sequence gets them as arguments.
 *
 * Not compared: sequences with branches, calls, barriers, warp-level operations, accesses to parameters, variables of
 * the function itself, or special registers that change. Such instructions end a sequence.
 */
#ifndef HEDDLE_REWRITE_ALIKE_H
#define HEDDLE_REWRITE_ALIKE_H

#include "base/vec.h"
#include "ptx/module.h"

enum { ALIKE_MAX_DIFFERENT = 4 }; /* immediates that may differ between two sequences */

struct alike_pair {
    const struct ptx_function *function;
    int32_t *to, *back;           /* by register of the first, or of the second: its partner, or -1 */
    struct vec_of(int32_t) trail; /* registers of the first that got a partner, in this order */
    int different;                /* immediates that differ so far */
};

/* Whether the instruction may be part of a sequence. */
bool alike_is_eligible(const struct ptx_function *function, const struct ptx_instruction *insn);

struct alike_pair alike_open(const struct ptx_function *function, struct arena *arena);
void alike_close(struct alike_pair *m);
/* Forgets all partners. */
void alike_reset(struct alike_pair *m);
/* Whether the two instructions continue a match; if so, their registers become partners. Otherwise nothing changes. */
bool alike_step(struct alike_pair *m, const struct ptx_instruction *a, const struct ptx_instruction *b);

/* Whether the operand is an immediate that may be replaced by a register: one that stands for a value. */
bool alike_is_value(const struct ptx_instruction *insn, int operand);

#endif
