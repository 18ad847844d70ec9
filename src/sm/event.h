/* Events of a multiprocessor: a heap by cycle; those of one cycle come in the order they were added. */
#ifndef HEDDLE_SM_EVENT_H
#define HEDDLE_SM_EVENT_H

#include <stdint.h>

enum event_kind { EVENT_WRITE_BACK, EVENT_RESOLVE, EVENT_WAKE };

struct event {
    uint64_t cycle, order;
    enum event_kind kind;
    int32_t index; /* record or strand */
    uint32_t generation;
};

struct event_heap {
    struct event *data;
    int count, capacity;
    uint64_t order;
};

void event_push(struct event_heap *h, uint64_t cycle, enum event_kind kind, int32_t index, uint32_t generation);
struct event event_pop(struct event_heap *h);

static inline uint64_t event_next(const struct event_heap *h)
{
    return h->count ? h->data[0].cycle : UINT64_MAX;
}

#endif
