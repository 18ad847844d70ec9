/*
 * Events of a multiprocessor, by cycle: a wheel of lists for the cycles ahead, and a heap for what is further off than
 * one turn. Events of one cycle come in the order in which they were added.
 */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include "base/vec.h"

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
    uint64_t cycle, order; /* order: of those that were far off */
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
    struct vec_of(struct event) events;
    int32_t free_event; /* first of those that are in no use; -1: none */
    int32_t *far;       /* heap of events beyond the wheel */
    int far_count, far_capacity;
};

void wheel_open(struct wheel *w, uint64_t now);
void wheel_close(struct wheel *w);
/* The slow ways of what follows: more events than there is room for; one that is far off; the wheel turned far enough for
 * some of those; none left in the words near by. */
void wheel_grow(struct wheel *w);
void wheel_add_far(struct wheel *w, int32_t e);
void wheel_take_near(struct wheel *w);
uint64_t wheel_find_next(const struct wheel *w);

/* The cycle of the next event; UINT64_MAX: none. */
static inline uint64_t wheel_next(const struct wheel *w)
{
    return w->next;
}

static inline void wheel_put(struct wheel *w, int32_t e)
{
    unsigned at = (unsigned)(w->events.data[e].cycle % WHEEL_CYCLES);
    w->events.data[e].next = -1;
    if (w->first[at] < 0) {
        w->first[at] = e;
        w->used[at / 64] |= UINT64_C(1) << at % 64;
    } else {
        w->events.data[w->last[at]].next = e;
    }
    w->last[at] = e;
}

/* Inline, as what follows: most instructions wait for an event. */
static inline void wheel_add(struct wheel *w, uint64_t cycle, enum event_kind kind, int32_t index, uint32_t generation)
{
    if (w->free_event < 0)
        wheel_grow(w);
    int32_t e = w->free_event;
    struct event *event = &w->events.data[e];
    w->free_event = event->next;
    event->cycle = cycle;
    event->kind = kind;
    event->index = index;
    event->generation = generation;
    w->next = cycle < w->next ? cycle : w->next;
    if (cycle - w->now < WHEEL_CYCLES)
        wheel_put(w, e);
    else
        wheel_add_far(w, e);
}

/* Takes the first event; there must be one. It stays as it is until another is added. */
static inline const struct event *wheel_take(struct wheel *w)
{
    if (w->now < w->next) {
        w->now = w->next;
        if (w->far_count)
            wheel_take_near(w);
    }
    unsigned at = (unsigned)(w->next % WHEEL_CYCLES);
    int32_t e = w->first[at];
    struct event *event = &w->events.data[e];
    w->first[at] = event->next;
    if (event->next < 0) {
        uint64_t left = w->used[at / 64] &= ~(UINT64_C(1) << at % 64);
        left &= ~UINT64_C(0) << at % 64;
        w->next = left ? w->next + (unsigned)__builtin_ctzll(left) - at % 64 : wheel_find_next(w);
    }
    event->next = w->free_event;
    w->free_event = e;
    return event;
}

#endif
