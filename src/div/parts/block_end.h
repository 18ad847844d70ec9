/*
 * Where the parts of a warp that a load has split (some hit, some miss) reconverge at the latest: before the next
 * instruction of the basic block that all threads must issue together (control, barriers, warp-level operations), or
 * before the next basic block.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_END_H
#define HEDDLE_DIV_PARTS_BLOCK_END_H

#include "base/arena.h"
#include "flow/program.h"

/* Whether all threads of a warp must issue the instruction together. */
static inline bool block_end_is_at(const struct insn *in)
{
    return in->flags & INSN_CONTROL || in->class == CLASS_BARRIER || class_is_warp_level(in->class);
}

/* By PC, the PC at which the parts reconverge; freed by the caller. Sets the mark of every such PC. */
static inline int32_t *block_ends(const struct program *p, uint8_t *marks)
{
    int32_t *end = xmalloc(sizeof *end * ((size_t)p->insn_count + 1));
    for (int32_t pc = p->insn_count - 1; pc >= 0; pc--) {
        bool is_last = p->blocks[p->insns[pc].block].last == pc;
        end[pc] = block_end_is_at(&p->insns[pc]) ? pc : is_last ? pc + 1 : end[pc + 1];
        marks[end[pc]] = 1;
    }
    return end;
}

#endif
