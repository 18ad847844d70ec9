/*
 * Warp-level operations: shuffles, votes, matches and reductions among threads of a row.
 *
 * Inputs are collected, the operation is computed once, and outputs are delivered. The threads that take part may be at
 * several instructions of one kind (rendezvous.c); inputs are then collected from each of them.
 */
#ifndef HEDDLE_EXEC_WARP_OPS_H
#define HEDDLE_EXEC_WARP_OPS_H

#include "exec/engine.h"

/* Operands of the threads that take part, by lane. */
struct warp_inputs {
    uint64_t value[ROW_LANES];           /* the first source */
    uint32_t b[ROW_LANES], c[ROW_LANES]; /* of a shuffle: its second and third source */
    uint32_t predicate;                  /* lanes whose predicate source is true */
};

struct warp_outputs {
    uint32_t value[ROW_LANES]; /* the first destination, by lane */
    uint32_t predicate;        /* lanes whose predicate destination is true */
};

void warp_ops_collect(struct engine *e, const struct bound *in, uint32_t mask, struct warp_inputs *inputs);
void warp_ops_compute(const struct insn *insn, uint32_t mask, const struct warp_inputs *inputs,
                      struct warp_outputs *outputs);
void warp_ops_deliver(struct engine *e, const struct bound *in, uint32_t mask, const struct warp_outputs *outputs);
/* Collects, computes and delivers for threads that are all at one instruction; of matrix instructions, too. False after
 * a fault, which only matrix instructions can cause. */
bool warp_ops_execute(struct engine *e, const struct bound *in, uint32_t mask);
/* The member mask that each lane names, of an operation with .sync. */
void warp_ops_members(struct engine *e, const struct bound *in, uint32_t members[ROW_LANES]);

#endif
