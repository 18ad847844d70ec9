/*
 * Replies that are known and not yet taken, of one multiprocessor: in order of cycle; those of one cycle in
 * the order in which they were made.
 *
 * A ring, not a heap: hits are made a fixed latency ahead, in order, and lines that arrive overtake at most
 * the hits of that latency. So a reply is most often put at the end, and always taken from the front.
 */
#ifndef HEDDLE_MEM_REPLIES_H
#define HEDDLE_MEM_REPLIES_H

#include "mem/clock.h"
#include "mem/mem.h"

struct replies {
    struct mem_reply *at;
    uint32_t mask, head, count;
};

void replies_open(struct replies *r);
void replies_close(struct replies *r);
void replies_push(struct replies *r, const struct mem_reply *reply);

/* Of the first one; CLOCK_NEVER if there is none. */
static inline uint64_t replies_first_cycle(const struct replies *r)
{
    return r->count ? r->at[r->head].cycle : CLOCK_NEVER;
}

/* Takes the first one; there must be one. */
static inline struct mem_reply replies_take(struct replies *r)
{
    struct mem_reply first = r->at[r->head];
    r->head = (r->head + 1) & r->mask;
    r->count--;
    return first;
}

#endif
