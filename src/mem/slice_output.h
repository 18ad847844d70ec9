/*
 * The queue of replies of a slice of the L2: whether there is room, and what goes in (slice.h). `k` is a cycle of the
 * crossbar's clock.
 */
#ifndef HEDDLE_MEM_SLICE_OUTPUT_H
#define HEDDLE_MEM_SLICE_OUTPUT_H

#include "mem/slice.h"

/* The first reply that was not sent yet; its time is RESPONSE_NEVER if there is none. */
static inline struct response *slice_output_first(const struct mem_slice *s)
{
    return &s->output.at[s->unsent];
}

/* Replies that have left by cycle k no longer take room. */
static inline void slice_output_release(struct mem_slice *s, uint64_t k)
{
    while (s->output.head != s->unsent && response_first(&s->output)->time <= k)
        response_pop(&s->output);
}

static inline bool slice_output_has_room(struct mem_slice *s, uint64_t k)
{
    if (__builtin_expect(s->output.count >= s->most_output, 0))
        slice_output_release(s, k);
    return s->output.count < s->most_output;
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
    const struct response *r = slice_output_first(s);
    struct crossbar *x = s->crossbar;
    uint64_t ready = clock_later(clock_later(r->time, s->link_free), k);
    s->reply_sm = r->reply.sm;
    agenda_put(&x->replies, s->index, clock_later(ready, x->sm[s->reply_sm].port_free));
}

/* At cycle k, puts the reply to the request into the queue of replies, which must have room. The reply may leave
 * `cycles` later. */
static inline void slice_output_push(struct mem_slice *s, uint64_t k, uint64_t cycles, const struct packet *p)
{
    uint32_t before = response_insert(&s->output, (struct response){k + cycles, p->reply});
    if (((s->output.head + before) & s->output.mask) == s->unsent)
        slice_output_plan(s, k + s->crossbar->lead + 1);
}

#endif
