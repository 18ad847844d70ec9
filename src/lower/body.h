/*
 * The body of a function while it is lowered.
 *
 * Passes change instructions in place and mark those that go. Positions stay what they were until body_close(), so a
 * label's position is valid in all passes.
 */
#ifndef HEDDLE_LOWER_BODY_H
#define HEDDLE_LOWER_BODY_H

#include "ptx/module.h"

struct body {
    struct ptx_function *function;
    struct ptx_instruction *at; /* the function's instructions */
    int count;
    bool *gone;         /* by position: the instruction was removed */
    bool *guarded;      /* by position: predication gave the instruction its guard */
    int *references;    /* by position, one more for the end: how many branches lead there */
    int register_count; /* of the function when body_find_reads() was called */
    /* By register: the first and the last position that reads it; `count` and -1 if none does. */
    int *first_read, *last_read;
    struct arena scratch;
};

void body_open(struct body *body, struct ptx_function *function);
/* Removes what is gone and moves labels. */
void body_close(struct body *body);
/* Puts the instructions at the `count` positions of `order` in this order, drops the others, and moves labels. A label
 * of a dropped instruction goes to the next instruction that is kept. The body must not be used afterwards. */
void body_reorder(struct body *body, const int *order, int count);

/* The target of a `bra`, or -1. */
int32_t body_target(const struct body *body, int position);
/* Whether control may go elsewhere than to the next instruction; not for a call, which comes back. */
bool body_ends_block(const struct ptx_instruction *insn);
/* Position of the next instruction that is not gone, from `position` on; `count` if there is none. */
int body_next(const struct body *body, int position);
/* Removes a branch, and its reference to its target. */
void body_remove_branch(struct body *body, int position);
/* A new predicate register. */
int32_t body_add_predicate(struct body *body);

/* ---- layout.c ---- */

/* Lays out the blocks of two-way choices as ptxas does. */
void body_lay_out(struct ptx_function *function);

/* ---- exits.c ---- */

/* Replaces branches to a lone `ret` or `exit` by that instruction. */
void body_end_threads(struct body *body);

/* ---- predicate.c ---- */

/* Replaces branches over short blocks by guards. */
void body_predicate(struct body *body);

/* ---- weight.c ---- */

enum { WEIGHT_FORBIDDEN = 1000 }; /* weight of an instruction that ptxas does not predicate */

/* Machine instructions that [first, last] take; gone instructions take none. */
int body_weight(const struct body *body, int first, int last);
/* Whether the instruction is a load from global, local or generic memory: one that may take hundreds of cycles. */
bool body_is_long_load(const struct ptx_instruction *insn);

/* ---- registers.c ---- */

/* Sets of registers: one byte per register of the function. */
bool body_reads(const struct ptx_instruction *insn, const uint8_t *set);  /* sources, addresses and the guard */
bool body_writes(const struct ptx_instruction *insn, const uint8_t *set); /* destinations */
void body_add_reads(const struct ptx_instruction *insn, uint8_t *set);
void body_add_writes(const struct ptx_instruction *insn, uint8_t *set);
void body_find_reads(struct body *body); /* fills first_read and last_read */
/* Whether an instruction outside of [first, last] may read a register that the set holds; after body_find_reads(). */
bool body_is_read_outside(const struct body *body, const uint8_t *set, int first, int last);

#endif
