/*
 * Events of a multiprocessor, by cycle: a wheel of lists, one for each of the next WHEEL_CYCLES cycles, and a heap for
 * events further off. Events of one cycle are taken in the order in which they were added. A longer wheel would take
 * more of the host's first cache, all of which every turn of the wheel goes through: one of 512 cycles had a tenth of
 * the misses of some programs.
 *
 * Most events wake a strand that waits for registers. Where the order of wake-ups within a cycle has no effect, those
 * of strands with low ids are bits, one set per cycle of the wheel, which are taken before the cycle's other events.
 */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include "base/inline.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { WHEEL_CYCLES = 128, WHEEL_WORDS = WHEEL_CYCLES / 64, WHEEL_WAKE_IDS = 64 };

enum wheel_event_kind {
    EVENT_WAKE,    /* registers that a strand waits for are written */
    EVENT_RESOLVE, /* a strand's control instruction resolves */
    EVENT_DONE,    /* a strand's instruction of fixed latency is done; only if the mechanism is called after every
                    * instruction, or waits for the strand to drain */
    EVENT_FETCHED, /* instructions for a strand are decoded */
    EVENT_TICK,    /* the mechanism asked for a call */
    EVENT_REPLY,   /* ideal memory answers an access; `strand` is the ticket */
    EVENT_COPY,    /* the time of a copy that makes no accesses has passed; `strand` is the copy */
    EVENT_ROOM     /* the last register write of an ended block is done: another block may have room */
};

struct wheel_event {
    uint64_t cycle;
    uint64_t order; /* of events in the heap: the order in which they were added */
    enum wheel_event_kind kind;
    int32_t strand; /* id; 0 if the event concerns no strand */
    uint32_t generation;
    int32_t next; /* next event of its list, or next free event; -1 ends the list */
};

struct wheel {
    uint64_t now;   /* the last cycle of which it is known that no event comes before it */
    uint64_t next;  /* cycle of the first event; UINT64_MAX: none */
    uint64_t order; /* `order` of the next event in the heap */
    /* [cycle modulo WHEEL_CYCLES]: the first and last event of the cycle; first -1: none. */
    int32_t first[WHEEL_CYCLES], last[WHEEL_CYCLES];
    uint64_t wakes[WHEEL_CYCLES]; /* [cycle modulo WHEEL_CYCLES]: one bit per strand, by id, that wakes up */
    uint64_t used[WHEEL_WORDS];   /* one bit per list that has events, or wake-ups as bits */
    struct vec_of(struct wheel_event) events;
    int32_t free_event; /* first free event; -1: none */
    int32_t *far;       /* heap of events beyond the wheel */
    uint64_t far_from;  /* cycle from which the first event of the heap is near enough; UINT64_MAX: the heap is empty */
    int far_count, far_capacity;
};

void wheel_open(struct wheel *w, uint64_t now);
void wheel_close(struct wheel *w);

/* The uncommon cases of the inline functions below. */
void wheel_grow(struct wheel *w);                /* makes a free event */
void wheel_add_far(struct wheel *w, int32_t e);  /* adds an event to the heap */
void wheel_take_near(struct wheel *w);           /* moves events from the heap to the wheel that are near enough now */
uint64_t wheel_find_next(const struct wheel *w); /* finds the cycle of the first event */

/* The cycle of the first event; UINT64_MAX: none. */
static inline uint64_t wheel_next(const struct wheel *w)
{
    return w->next;
}

/* Puts an event whose cycle is less than WHEEL_CYCLES ahead on the wheel. */
static inline void wheel_put(struct wheel *w, int32_t e)
{
    unsigned at = (unsigned)(w->events.data[e].cycle % WHEEL_CYCLES);
    w->events.data[e].next = -1;
    w->used[at / 64] |= UINT64_C(1) << at % 64;
    if (w->first[at] < 0) {
        w->first[at] = e;
    } else {
        w->events.data[w->last[at]].next = e;
    }
    w->last[at] = e;
}

/* Adds an event. Inline, like wheel_take_list(): most instructions wait for an event. */
static inline void wheel_add(struct wheel *w, uint64_t cycle, enum wheel_event_kind kind, int32_t strand,
                             uint32_t generation)
{
    if (w->free_event < 0)
        wheel_grow(w);
    int32_t e = w->free_event;
    struct wheel_event *event = &w->events.data[e];
    w->free_event = event->next;
    event->cycle = cycle;
    event->kind = kind;
    event->strand = strand;
    event->generation = generation;
    w->next = cycle < w->next ? cycle : w->next;
    if (cycle - w->now < WHEEL_CYCLES)
        wheel_put(w, e);
    else
        wheel_add_far(w, e);
}

/* Adds a wake-up of a strand as a bit, if the strand's id and the cycle allow it. */
static inline bool wheel_add_wake(struct wheel *w, uint64_t cycle, int32_t strand)
{
    if (UNLIKELY(strand >= WHEEL_WAKE_IDS || cycle - w->now >= WHEEL_CYCLES))
        return false;
    unsigned at = (unsigned)(cycle % WHEEL_CYCLES);
    w->wakes[at] |= UINT64_C(1) << strand;
    w->used[at / 64] |= UINT64_C(1) << at % 64;
    w->next = cycle < w->next ? cycle : w->next;
    return true;
}

/* Makes the cycle of the first event the current one. */
static inline void wheel_advance(struct wheel *w)
{
    if (w->now < w->next) {
        w->now = w->next;
        if (UNLIKELY(w->far_from <= w->now))
            wheel_take_near(w);
    }
}

/* Nothing happens before cycle `now`. Without this, events that are added after many cycles without any would count as
 * far ones. */
static inline void wheel_pass(struct wheel *w, uint64_t now)
{
    if (now >= w->next || now <= w->now)
        return;
    w->now = now;
    if (UNLIKELY(w->far_from <= w->now))
        wheel_take_near(w);
}

/* The cycle `next` has no event left: finds the next one that has. */
static inline void wheel_leave_cycle(struct wheel *w)
{
    unsigned at = (unsigned)(w->next % WHEEL_CYCLES);
    uint64_t left = w->used[at / 64] &= ~(UINT64_C(1) << at % 64);
    left &= ~UINT64_C(0) << at % 64;
    w->next = left ? w->next + (unsigned)__builtin_ctzll(left) - at % 64 : wheel_find_next(w);
}

/* The wake-ups of the first cycle that has events, as bits by id; 0: it has none, or none as bits. */
static inline uint64_t wheel_wakes(const struct wheel *w)
{
    return w->wakes[w->next % WHEEL_CYCLES];
}

static inline bool wheel_has_wakes(const struct wheel *w)
{
    return wheel_wakes(w);
}

/* Whether the first cycle that has events is cycle `now`, and has one wake-up as a bit and nothing else. */
static inline bool wheel_has_one_wake(const struct wheel *w, uint64_t now)
{
    const uint64_t ids = w->wakes[now % WHEEL_CYCLES];
    return w->next == now && ids && !(ids & (ids - 1)) && w->first[now % WHEEL_CYCLES] < 0;
}

/* The first event of the list of the first cycle that has events; -1: that cycle has no list, or there is none. */
static inline int32_t wheel_first(const struct wheel *w)
{
    return w->first[w->next % WHEEL_CYCLES];
}

/* Whether the first cycle that has events has wake-ups as bits alone. */
static inline bool wheel_has_only_wakes(const struct wheel *w)
{
    return wheel_first(w) < 0;
}

/* Takes the wake-ups that are bits of the first cycle that has events; there must be one. Gives the bits, by id. If the
 * cycle has events on its list, these are next; if not, the cycle is done. */
static inline uint64_t wheel_take_wakes(struct wheel *w)
{
    wheel_advance(w);
    unsigned at = (unsigned)(w->next % WHEEL_CYCLES);
    uint64_t ids = w->wakes[at];
    w->wakes[at] = 0;
    if (w->first[at] < 0)
        wheel_leave_cycle(w);
    return ids;
}

/* Takes the list of the first cycle that has events, after the bits of that cycle; there must be one. Gives the first
 * event, for wheel_take_event(). What is added for the cycle from now on is not in the list. */
static inline int32_t wheel_take_list(struct wheel *w)
{
    wheel_advance(w);
    unsigned at = (unsigned)(w->next % WHEEL_CYCLES);
    int32_t e = w->first[at];
    w->first[at] = -1;
    if (!w->wakes[at])
        wheel_leave_cycle(w);
    return e;
}

/* Takes an event of a list that was taken: frees it, and gives what it was, with the `next` of the list. The event is
 * copied before its `next` is written: a host that had to load several fields at once behind a store to one of them
 * would wait for the store. */
static inline struct wheel_event wheel_take_event(struct wheel *w, int32_t e)
{
    struct wheel_event *event = &w->events.data[e], taken = *event;
    event->next = w->free_event;
    w->free_event = e;
    return taken;
}

#endif
