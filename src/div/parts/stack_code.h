/*
 * The instructions of an ISA-controlled call-return stack: where a compiler puts them into a program.
 *
 * On a machine with such a stack the compiler manages reconvergence (Rogers et al., ISCA 2015, section 2 and Table 1).
 * The paper names the sync instruction, which stands at post-dominators (section 6.4). NVIDIA's instruction sets of the
 * time also have the instruction that pushes the address of the sync instruction (SSY), ahead of the branch. Both take
 * what a branch takes: an issue slot, a fetch, and the branch unit; they are done at once.
 *
 *   sync   stands at the reconvergence point of every branch that may diverge, ahead of the instruction there. Each
 *          path that comes to the point issues it, and is popped then; the threads that have reconverged go on behind
 *          it. Threads that a branch sends to the point while others of their path go elsewhere issue nothing.
 *   push   stands once for all branches with one reconvergence point: at the end of the nearest block that dominates
 *          them, but outside loops that the point is outside of. If the point does not post-dominate that block, each
 *          branch has a push of its own.
 *
 * A branch may diverge unless it is proved uniform or the text promises so (.uni). Calls and returns push and pop by
 * themselves, and exits need no point. Not modelled: the limited depth of such a stack; edges that a compiler would
 * split, so that threads that come to a point past its push issue no sync.
 */
#ifndef HEDDLE_DIV_PARTS_STACK_CODE_H
#define HEDDLE_DIV_PARTS_STACK_CODE_H

#include "div/contract/div.h"

struct stack_code {
    uint16_t *ops;  /* by PC: instructions of the stack that stand ahead of the instruction; NULL: there are none */
    uint8_t *syncs; /* by PC: the first of them is a sync (1) */
};

/* Finds the instructions that host->facts.stack_syncs asks for, and tells the pipeline. */
void stack_code_open(struct stack_code *code, const struct div_host *host, struct div_wants *wants);
void stack_code_close(struct stack_code *code);
void stack_code_mark(const struct stack_code *code, const struct program *program, uint8_t *marks); /* for `arrive` */

/* Instructions of the stack that threads issue when they come to the PC. */
static inline int stack_code_at(const struct stack_code *code, int32_t pc)
{
    return code->ops ? code->ops[pc] : 0;
}

static inline bool stack_code_has_sync(const struct stack_code *code, int32_t pc)
{
    return code->ops && code->syncs[pc];
}

/* Those of them that threads issue which have reconverged at the PC. */
static inline int stack_code_behind(const struct stack_code *code, int32_t pc)
{
    return code->ops ? code->ops[pc] - code->syncs[pc] : 0;
}

/* Whether threads at the PC that have `left` of them to issue have just issued the sync. */
static inline bool stack_code_was_sync(const struct stack_code *code, int32_t pc, int left)
{
    return stack_code_has_sync(code, pc) && left == stack_code_behind(code, pc);
}

#endif
