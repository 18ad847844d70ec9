/* What mechanisms ask about control flow: the branch at a PC, and the basic block that a strand is in. */
#ifndef HEDDLE_DIV_PARTS_CONTROL_H
#define HEDDLE_DIV_PARTS_CONTROL_H

#include "div/parts/point.h"
#include "exec/strand.h"

/* The branch at a PC; NULL: the instruction there cannot send threads to several PCs. */
static inline const struct branch *control_branch_at(const struct program *p, int32_t pc)
{
    int32_t listed = p->insns[pc].branch;
    return listed < 0 ? NULL : &p->branches[listed];
}

/* The first PC of the basic block that the strand is in, for printed state. The mechanism is not told of straight-line
 * advance, so the strand's exact PC would be printed late or early. */
static inline struct point control_block_of(const struct program *p, const struct strand *s)
{
    return (struct point){p->blocks[p->insns[s->pc].block].first, s->depth};
}

#endif
