/*
 * Replies of one multiprocessor that were made and not yet taken, in order of cycle; replies of one cycle in the order
 * in which they were made.
 *
 * A ring, not a heap: hits make replies a fixed latency ahead, in order, and a line that arrives overtakes at most the
 * hits of that latency. So a new reply mostly goes to the end, and replies are always taken from the head.
 */
#ifndef HEDDLE_MEM_REPLIES_H
#define HEDDLE_MEM_REPLIES_H

#include "mem/clock.h"
#include "mem/mem.h"

struct replies {
    struct mem_reply *at; /* the ring */
    uint32_t mask;        /* size of the ring, a power of two, less one */
    uint32_t head, count; /* index of the first reply, and number of replies */
};

void replies_open(struct replies *r);
void replies_close(struct replies *r);
void replies_push(struct replies *r, const struct mem_reply *reply);

/* Cycle of the first reply; CLOCK_NEVER if there is none. */
static inline uint64_t replies_first_cycle(const struct replies *r)
{
    return r->count ? r->at[r->head].cycle : CLOCK_NEVER;
}

/* Takes the first reply; there must be one. */
static inline struct mem_reply replies_take(struct replies *r)
{
    struct mem_reply first = r->at[r->head];
    r->head = (r->head + 1) & r->mask;
    r->count--;
    return first;
}

#endif
