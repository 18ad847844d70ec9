/*
 * Writers: a cheap look at whether blocks of one launch write different values to one word, with nothing that orders
 * them. Such a program depends on the order of blocks, and the functional engine runs blocks in one order only, so its
 * result may be one of several.
 *
 * A table remembers, for lines of 128 bytes, which block wrote which words last, by plain stores of words (no atomics,
 * no .volatile, no memory order, no bytes). A store is a conflict if
 *   - another block wrote the word in this launch,
 *   - the store changes the word's value, and
 *   - the storing block did nothing since the first write to the line by which blocks agree on an order: no atomic, no
 *     load with .volatile or a memory order, no fence.
 * So locks, queues and "the last block sums up" are no conflicts, and every conflict is one that --check races reports.
 * The table has room for few lines, and later lines replace earlier ones: conflicts may be missed, but none is made up.
 */
#ifndef HEDDLE_EXEC_WRITERS_H
#define HEDDLE_EXEC_WRITERS_H

#include "exec/engine.h"

/* The table serves one launch after the other; entries of earlier launches do not count. */
struct writers *writers_create(void);
void writers_destroy(struct writers *w);
void writers_begin(struct writers *w); /* a new launch */

/* Before a plain store of the row at work: on the host, a lane's value is at `origin` plus its address. `is_row`: all
 * 32 lanes store, side by side. */
void writers_note(struct engine *e, const struct bound *in, uintptr_t origin, const uint64_t *address, uint32_t mask,
                  bool is_row);

#endif
