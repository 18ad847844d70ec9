/*
 * Liveness of a function's registers on parsed PTX: which registers hold a value that may still be read.
 *
 * flow/liveness.h says the same of a decoded program, but only while that program is made; a pass needs it of the body
 * that it changes. Liveness is a fact about one thread. A guarded write keeps the old value live. The carry flag of
 * add.cc and its kin counts as one more register.
 */
#ifndef HEDDLE_REWRITE_LIVE_H
#define HEDDLE_REWRITE_LIVE_H

#include "ptx/module.h"

struct live {
    const struct ptx_function *function;
    int carry; /* the number of the carry flag, behind those of the registers */
    int words; /* 64-bit words of a set */
    int block_count;
    int *first;    /* by block, one more for the end: index of its first instruction */
    int *block_of; /* by instruction */
    uint64_t *in;  /* [block][words]: live at the block's start */
    uint64_t *out; /* [block][words]: live at the block's end */
};

/* The function must stay as it is while the result is used, which lives in the arena. */
struct live live_create(const struct ptx_function *function, struct arena *arena);

/* set[words] = the registers that are live ahead of the instruction; for the number of instructions, none. */
void live_ahead(const struct live *l, int index, uint64_t *set);
/* Makes what is live behind the instruction what is live ahead of it. */
void live_step_back(const struct live *l, int index, uint64_t *set);

static inline bool live_has(const uint64_t *set, int reg)
{
    return set[reg / 64] >> (reg % 64) & 1;
}

/* Whether the instruction reads, or writes, the carry flag. */
bool live_reads_carry(const struct ptx_instruction *insn);
bool live_writes_carry(const struct ptx_instruction *insn);

/* How many instructions of the function may follow the instruction. `to`, unless NULL, gets their indices; the number
 * of instructions stands for the end of the body. */
int live_successors(const struct ptx_function *function, int index, int *to);

#endif
