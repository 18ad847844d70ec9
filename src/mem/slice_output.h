/*
 * The queue of replies of a slice of the L2: whether there is room, and what goes in (slice.h). `k` is a cycle of the
 * crossbar's clock.
 */
#ifndef HEDDLE_MEM_SLICE_OUTPUT_H
#define HEDDLE_MEM_SLICE_OUTPUT_H

#include "mem/slice.h"

/* The cycle from which on there is room for one more reply; CLOCK_NEVER if that is not known yet. A reply takes the
 * room of the one `most_output` before it, once that one has left: replies leave in order, and those that were sent
 * stand before the first that waits, with the cycles at which they leave. */
static inline uint64_t slice_output_free_from(const struct mem_slice *s)
{
    const struct response_queue *q = &s->output;
    const uint64_t leaves = q->at[(q->head + q->count - s->most_output) & q->mask].time;
    return q->count < s->most_output ? leaves : CLOCK_NEVER;
}

static inline bool slice_output_has_room(const struct mem_slice *s, uint64_t k)
{
    return slice_output_free_from(s) <= k;
}

/* Whether a lookup or a line from DRAM waits for room in the queue of replies. A line that is being answered after
 * work() does. */
static inline bool slice_output_is_awaited(const struct mem_slice *s)
{
    return s->stall == SLICE_NO_REPLY || s->fill_started;
}

/* Plans when the first reply leaves, not before cycle k, and to whom. */
static inline void slice_output_plan(struct mem_slice *s, uint64_t k)
{
    const struct response *r = response_first(&s->output);
    struct crossbar *x = s->crossbar;
    uint64_t ready = clock_later(clock_later(r->time, s->link_free), k);
    s->reply_sm = r->reply.sm;
    agenda_put(&x->replies, s->index, clock_later(ready, x->sm[s->reply_sm].port_free));
}

/* At cycle k, puts the reply to the request into the queue of replies, which must have room. The reply may leave
 * `cycles` later. */
static inline void slice_output_push(struct mem_slice *s, uint64_t k, uint64_t cycles, const struct packet *p)
{
    if (!response_insert(&s->output, (struct response){k + cycles, p->reply}))
        slice_output_plan(s, k + s->crossbar->lead + 1);
}

#endif
