/*
 * Events of a multiprocessor, by cycle: a wheel of lists for the cycles ahead, and a heap for what is further off than
 * one turn. Events of one cycle come in the order in which they were added.
 */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

enum { WHEEL_CYCLES = 512, WHEEL_WORDS = WHEEL_CYCLES / 64 };

enum event_kind {
    EVENT_WAKE,    /* a strand may be ready */
    EVENT_RESOLVE, /* a strand's control instruction resolves */
    EVENT_DONE,    /* a strand's straight instruction is done: for mechanisms that want every commit, or wait for it */
    EVENT_FETCHED, /* instructions for a strand are decoded */
    EVENT_TICK,    /* the mechanism asked for it */
    EVENT_ROOM     /* a block's last write is done */
};

struct event {
    uint64_t cycle, order;
    enum event_kind kind;
    int32_t index; /* strand */
    uint32_t generation;
    int32_t next; /* in its list, or of the free ones */
};

struct wheel {
    uint64_t now;  /* events before it are gone */
    uint64_t next; /* cycle of the first event; UINT64_MAX: none */
    uint64_t order;
    int32_t first[WHEEL_CYCLES], last[WHEEL_CYCLES]; /* by cycle modulo the wheel's; -1: none */
    uint64_t used[WHEEL_WORDS];                      /* bits of cycles with events */
    struct event *event;
    int32_t free_event;
    int capacity;
    int32_t *far; /* heap of events beyond the wheel */
    int far_count, far_capacity;
};

void wheel_open(struct wheel *w, uint64_t now);
void wheel_close(struct wheel *w);
void wheel_add(struct wheel *w, uint64_t cycle, enum event_kind kind, int32_t index, uint32_t generation);
/* Takes the first event; there must be one. */
void wheel_take(struct wheel *w, struct event *event);

/* The cycle of the next event; UINT64_MAX: none. */
static inline uint64_t wheel_next(const struct wheel *w)
{
    return w->next;
}

#endif
