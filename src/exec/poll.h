/*
 * Polling: whether the threads of a row wait for other threads, so that the row gives up the rest of its turn.
 *
 * A thread waits by a loop around an atomic or a load that may not be cached (ORDER_POLL). A row that repeats such an
 * access, at the same PC and address while no memory changed, has learnt nothing new. A loop may poll several words,
 * and may follow other accesses, so the watched access is replaced by a later one after 1, 2, 4, ... others (Brent's
 * way of finding a cycle). A row that repeats an access for another reason loses its turn, nothing else.
 */
#ifndef HEDDLE_EXEC_POLL_H
#define HEDDLE_EXEC_POLL_H

#include "exec/engine.h"

/* To be called after an access with ORDER_POLL of the row at work. True: the row has repeated an access. */
bool poll_repeats(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);

#endif
