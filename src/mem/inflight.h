/*
 * The accesses in flight of one SM, and their replies.
 *
 * An access is in flight from its issue until the last of its transactions is ready. Then, or after each transaction
 * if its issuer wants parts, a reply is made. A reply may be made ahead of its cycle: a hit's data is ready a known
 * latency later. Knows nothing of caches, queues or the crossbar.
 */
#ifndef HEDDLE_MEM_INFLIGHT_H
#define HEDDLE_MEM_INFLIGHT_H

#include "mem/clock.h"
#include "mem/replies.h"
#include "mem/stats.h"

#define INFLIGHT_NONE UINT32_MAX

struct inflight_access {
    uint64_t lanes;           /* all lanes of the access, as bits */
    uint64_t issued;          /* core cycle of its issue */
    uint64_t ready;           /* latest core cycle at which any of its transactions finished so far is ready */
    struct port_stats *stats; /* counters of the cache port that it went through */
    uint32_t ticket;          /* the issuer's; comes back in each reply */
    uint32_t left;            /* transactions that have not finished */
    uint32_t next_free;       /* index of the next unused element; INFLIGHT_NONE: this is the last */
    bool wants_reply;         /* the issuer waits for it */
    bool wants_parts;         /* one reply per transaction, not one at the end */
    bool all_hit;             /* every transaction finished so far hit the first-level cache */
};

struct inflight {
    struct inflight_access *access; /* indices stay an access's while it is in flight */
    uint32_t capacity, free_access; /* number of elements; index of the first unused one, or INFLIGHT_NONE */
    uint64_t *first_reply;          /* core cycle of the first reply not yet taken; CLOCK_NEVER. The owner's */
    struct replies replies;
};

void inflight_open(struct inflight *in, uint64_t *first_reply);
void inflight_close(struct inflight *in);
void inflight_grow(struct inflight *in);
/* Makes the reply that a finished transaction causes, and ends the access with its last transaction. */
void inflight_reply(struct inflight *in, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit);

/* The index of an unused element; the caller fills it in. */
static inline uint32_t inflight_take(struct inflight *in)
{
    if (in->free_access == INFLIGHT_NONE)
        inflight_grow(in);
    uint32_t index = in->free_access;
    in->free_access = in->access[index].next_free;
    return index;
}

/* One transaction of the access finishes: the data of its lanes is ready at the cycle. */
static inline void inflight_finish_part(struct inflight *in, uint32_t index, uint64_t lanes, uint64_t cycle,
                                        bool is_hit)
{
    struct inflight_access *a = &in->access[index];
    a->left--;
    a->ready = clock_later(a->ready, cycle);
    a->all_hit &= is_hit;
    if (!a->left || a->wants_parts)
        inflight_reply(in, index, lanes, cycle, is_hit);
}

#endif
