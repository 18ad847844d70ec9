/*
 * Words of shared memory: loads and stores of 32 bits at a register of 32 bits (bound.is_shared_word), which are most
 * accesses to shared memory. Their offsets fit into 32 bits, and all are found and checked in one pass.
 */
#ifndef HEDDLE_EXEC_SHARED_WORDS_H
#define HEDDLE_EXEC_SHARED_WORDS_H

#include "exec/engine.h"

/* Whether the words of all lanes, at a register of 32 bits, are aligned and in the block's own memory. */
bool shared_words_are_within(const struct engine *e, const struct bound *in);
/* Loads a whole row. False, with nothing done, if a word may be out of bounds or misaligned, or in another block's
 * memory. */
bool shared_words_load(struct engine *e, const struct bound *in);
/* Stores a whole row. False, with nothing done, for these reasons, or if the host is too old for that (words.h). */
bool shared_words_store(struct engine *e, const struct bound *in);
/* Adds the words `b` of a whole row, whose sums nobody waits for. False, with nothing done, for the first reasons. */
bool shared_words_add(struct engine *e, const struct bound *in, const uint32_t *b);
/* Executes a load or store of some lanes. False, with nothing done, if one of their words may be out of bounds or
 * misaligned, or in another block's memory; or, perhaps, if a word of another lane of the row may. */
bool shared_words_access(struct engine *e, const struct bound *in, uint32_t mask);
/* Executes a load or store of some lanes or all. False, with nothing done, for any of these reasons. */
bool shared_words_move(struct engine *e, const struct bound *in, uint32_t mask);

#endif
