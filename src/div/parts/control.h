/* What mechanisms ask of a program's control flow: the branch at a PC, and the block that a strand is in. */
#ifndef HEDDLE_DIV_PARTS_CONTROL_H
#define HEDDLE_DIV_PARTS_CONTROL_H

#include "div/parts/point.h"
#include "exec/strand.h"

/* NULL: the instruction sends all threads one way, or none on. */
static inline const struct branch *control_branch_at(const struct program *p, int32_t pc)
{
    int32_t listed = p->insns[pc].branch;
    return listed < 0 ? NULL : &p->branches[listed];
}

/* Where the strand's block starts. For what is printed: a PC moves without a mechanism being told, and the block says
 * enough. */
static inline struct point control_block_of(const struct program *p, const struct strand *s)
{
    return (struct point){p->blocks[p->insns[s->pc].block].first, s->depth};
}

#endif
