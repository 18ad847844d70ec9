/* Accesses in flight of one SM (inflight.h): storage, and the replies that finished transactions cause. */
#include "mem/inflight.h"

#include "base/arena.h"

#include <stdlib.h>

void inflight_open(struct inflight *in, uint64_t *first_reply)
{
    *in = (struct inflight){.free_access = INFLIGHT_NONE, .first_reply = first_reply};
    *first_reply = CLOCK_NEVER;
    replies_open(&in->replies);
    inflight_grow(in);
}

void inflight_close(struct inflight *in)
{
    free(in->access);
    replies_close(&in->replies);
}

void inflight_grow(struct inflight *in)
{
    uint32_t old = in->capacity, size = old ? 2 * old : 64;
    in->access = xrealloc(in->access, sizeof *in->access * size);
    for (uint32_t i = old; i < size; i++)
        in->access[i].next_free = i + 1 < size ? i + 1 : INFLIGHT_NONE;
    in->free_access = old;
    in->capacity = size;
}

static void end_access(struct inflight *in, struct inflight_access *a, uint32_t index)
{
    uint64_t took = a->ready - a->issued;
    if (a->wants_reply) {
        a->stats->replies++;
        a->stats->latency_cycles += took;
        a->stats->longest_cycles = clock_later(a->stats->longest_cycles, took);
    }
    a->next_free = in->free_access;
    in->free_access = index;
}

void inflight_reply(struct inflight *in, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit)
{
    struct inflight_access *a = &in->access[index];
    bool is_last = a->left == 0;
    /* No part may come after the last reply: that reply waits for parts that were made earlier and are due later. */
    if (a->wants_reply) {
        replies_push(&in->replies, &(struct mem_reply){.ticket = a->ticket,
                                                       .cycle = is_last ? a->ready : cycle,
                                                       .lanes = a->wants_parts ? lanes : a->lanes,
                                                       .is_last = is_last,
                                                       .is_hit = a->wants_parts ? is_hit : a->all_hit});
        *in->first_reply = replies_first_cycle(&in->replies);
    }
    if (is_last)
        end_access(in, a, index);
}
