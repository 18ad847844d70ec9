/*
 * Entries of reconvergence stacks on their way to memory and back.
 *
 * The bottom of a stack that is too deep for the hardware could be spilled to memory (Fung and Aamodt, HPCA 2011,
 * section 7). A mechanism asks for each move with `calls.spill`. Moves wait in one queue per multiprocessor, and the
 * first of them goes to the data cache port as soon as the port is free, ahead of the strands of that cycle: an entry
 * that moves out is a store, one that moves back a load. So moves wait for accesses of strands, strands' accesses wait
 * for moves, and both miss and use bandwidth alike. What is in an entry is not modelled: the mechanism keeps it.
 *
 * Every multiprocessor has addresses of its own, and on it every stack room for SPILL_ENTRIES entries, one behind the
 * other; a deeper stack uses the addresses of its lowest entries again.
 */
#ifndef HEDDLE_SM_SPILL_H
#define HEDDLE_SM_SPILL_H

#include "base/vec.h"
#include "div/contract/div.h"
#include "sm/fetch.h"

struct sm;

enum {
    SPILL_TICKET = FETCH_TICKET / 2, /* memory tickets from here on, and below FETCH_TICKET, belong to moves */
    SPILL_ENTRIES = 256,
    SPILL_LANE_BYTES = 8 /* an entry is accessed as lanes of so many bytes */
};

struct spill_queue {
    struct vec_of(struct div_spill) moves; /* waiting, from `first` on */
    int first;
};

/* Whether a move waits for the port. */
static inline bool spill_waits(const struct spill_queue *q)
{
    return q->first < q->moves.count;
}

void spill_add(struct sm *sm, const struct div_spill *move);
void spill_cycle(struct sm *sm); /* gives the port the first move, if the port is free */
void spill_reply(struct sm *sm, uint32_t ticket);

#endif
