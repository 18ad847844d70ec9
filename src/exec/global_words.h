/*
 * Words of global memory: loads and stores of 32 bits at a register of 64 bits, which are most accesses to global
 * memory.
 */
#ifndef HEDDLE_EXEC_GLOBAL_WORDS_H
#define HEDDLE_EXEC_GLOBAL_WORDS_H

#include "exec/engine.h"

/* Whether the instruction is a load or store of such words, without conversion. */
static inline bool global_words_are_of(const struct bound *in)
{
    return in->reach == REACH_WIDE && in->width == 4 && in->elements == 1 && in->moves_rows;
}

/* Executes the instruction, which is one of these, for a whole row, or for the lanes `mask` of a row. False, with
 * nothing done, if a word may be misaligned or not in the segment, or if the host is too old for that (words.h). */
bool global_words_row(struct engine *e, const struct bound *in, const struct segment *s);
bool global_words_some(struct engine *e, const struct bound *in, const struct segment *s, uint32_t mask);

#endif
