/*
 * Decisions: the operands of a kernel's instructions that decide where threads go and what they access. With the
 * outcome of guards they are all that the time of a launch depends on, so they are what a recording keeps (taping.h).
 *
 * These are the address register of a memory access; handle and coordinates of a texture fetch; the index of brx.idx;
 * the pointer of a call; number and count of a barrier; and the member mask of a warp-level operation. Immediates and
 * fixed addresses are the program's own and need no record.
 */
#ifndef HEDDLE_EXEC_DECISIONS_H
#define HEDDLE_EXEC_DECISIONS_H

#include "exec/bound.h"

/* A deciding operand in a register. */
struct decision {
    int32_t offset; /* of its plane */
    uint8_t bits;   /* width of the register */
};

struct decisions {
    uint32_t count;
    struct decision *at;
    uint32_t *first; /* by PC, and one more: the instruction's first operand in `at` */
};

/* NULL and an error text (freed by the caller) if an operand decides that is not in a register: one that changes by
 * itself, as a clock does; or if the kernel copies asynchronously or uses mbarriers or the barrier of a cluster. */
struct decisions *decisions_create(const struct code *code, char **error);
void decisions_destroy(struct decisions *decisions);

#endif
