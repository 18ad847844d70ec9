/*
 * The set of ready strands: a strand enters it and leaves it, and the scheduler hears of both. Inline, since most
 * instructions make their strand leave the set and come back when the registers of the next one are written.
 *
 * Only readiness.c, simple.c and simple.h change the set. Where the scheduler lets the pipeline pick
 * (sched_ops.greed), strands are picked here.
 */
#ifndef HEDDLE_SM_READY_SET_H
#define HEDDLE_SM_READY_SET_H

#include "sm/internal.h"

/* Where slices or lanes issue by themselves: lists a strand that becomes ready, and takes it from the lists. */
void ready_set_list(struct sm *sm, const struct strand *s, struct strand_state *state);
void ready_set_unlist(struct sm *sm, const struct strand *s, const struct strand_state *state);

/* Takes a ready strand from the set. `is_swift`: shortcuts.is_swift, or false if that is not known. */
static ALWAYS_INLINE void ready_set_remove_as(struct sm *sm, struct strand *s, struct strand_state *state,
                                              const bool is_swift)
{
    struct readiness *r = &sm->ready;
    const int port = state->port, class = state->class;
    state->ready = false;
    if (!is_swift && UNLIKELY(sm->shortcuts.lists_ready))
        ready_set_unlist(sm, s, state);
    if (!--r->by_class[port][class]) {
        r->at_port[port] &= ~(1u << class);
        r->classes = r->at_port[0] | r->at_port[1] | r->at_port[2] | r->at_port[3];
    }
    if (!is_swift && UNLIKELY(!sm->ready.order))
        sm->policy->unready(sm->sched, s);
    else
        order_clear(&sm->ready.order->at[s->id]);
}

static ALWAYS_INLINE void ready_set_remove(struct sm *sm, struct strand *s, struct strand_state *state)
{
    ready_set_remove_as(sm, s, state, false);
}
_Static_assert(READINESS_MAX_PORTS == 4, "all ports are in the union");

/* Adds a strand that is not ready, whose next instruction is of the class. */
static ALWAYS_INLINE void ready_set_add_as(struct sm *sm, struct strand *s, struct strand_state *state, int class,
                                           const bool is_swift)
{
    struct readiness *r = &sm->ready;
    const int port = state->port;
    state->ready = true;
    state->class = (uint8_t) class;
    if (!is_swift && UNLIKELY(sm->shortcuts.lists_ready))
        ready_set_list(sm, s, state);
    r->by_class[port][class]++;
    r->at_port[port] |= 1u << class;
    r->classes |= 1u << class;
    if (!is_swift && UNLIKELY(!sm->ready.order))
        sm->policy->ready(sm->sched, s, class);
    else
        order_set(&sm->ready.order->at[s->id], class);
}

static ALWAYS_INLINE void ready_set_add(struct sm *sm, struct strand *s, struct strand_state *state, int class)
{
    ready_set_add_as(sm, s, state, class, false);
}

/* A strand that stays ready comes to an instruction of another class. */
static ALWAYS_INLINE void ready_set_change(struct sm *sm, struct strand *s, struct strand_state *state, int class,
                                           const bool is_swift)
{
    struct readiness *r = &sm->ready;
    const int port = state->port, old = state->class;
    if (!is_swift && UNLIKELY(!r->order || sm->shortcuts.lists_ready)) {
        ready_set_remove(sm, s, state);
        ready_set_add(sm, s, state, class);
        return;
    }
    state->class = (uint8_t) class;
    r->by_class[port][class]++;
    const uint32_t gone = (uint32_t) !--r->by_class[port][old] << old;
    r->at_port[port] = (r->at_port[port] | 1u << class) & ~gone;
    r->classes = r->at_port[0] | r->at_port[1] | r->at_port[2] | r->at_port[3];
    order_change(&r->order->at[s->id], class);
}

/* Tells the scheduler that the strand, which it or ready_set_pick() picked, issues. */
static ALWAYS_INLINE void ready_set_issue_as(struct sm *sm, struct strand *s, int port, const bool is_swift)
{
    if (!is_swift && UNLIKELY(!sm->ready.greed))
        sm->policy->issued(sm->sched, port, s, sm->now);
    else
        order_note_last(sm->ready.greed, port, s); /* there is one pool */
}

static ALWAYS_INLINE void ready_set_issue(struct sm *sm, struct strand *s, int port)
{
    ready_set_issue_as(sm, s, port, false);
}

/* The ready strand of the port that the scheduler lets issue next, where one strand takes all lanes of its port, among
 * those whose class is not blocked; NULL: none. */
static ALWAYS_INLINE struct strand *ready_set_pick(struct sm *sm, int port, uint32_t blocked, const bool is_swift)
{
    struct sched_ask *ask = &sm->cycle.ask;
    struct strand *s;
    if ((is_swift || sm->ready.greed) && order_pick_whole(sm->ready.greed, port, blocked, &s))
        return s;
    ask->port = port;
    ask->blocked = blocked;
    ask->now = sm->now;
    return sm->policy->pick(sm->sched, ask);
}

/* Asks for an evaluation of the strand at the cycle, in place of the one that it asked for before. */
static ALWAYS_INLINE void readiness_wake_later_as(struct sm *sm, struct strand *s, struct strand_state *state,
                                                  uint64_t cycle, const bool is_swift)
{
    if (state->wake_at == cycle)
        return;
    state->wake_at = cycle;
    if (is_swift || sm->shortcuts.wakes_as_bits ? !wheel_add_wake(&sm->wheel, cycle, s->id)
                                                : !bundles_wake_later(sm, s, cycle))
        wheel_add(&sm->wheel, cycle, EVENT_WAKE, s->id, s->generation);
}

static ALWAYS_INLINE void readiness_wake_later(struct sm *sm, struct strand *s, struct strand_state *state,
                                               uint64_t cycle)
{
    readiness_wake_later_as(sm, s, state, cycle, false);
}

#endif
