/*
 * The set of ready strands: a strand enters it and leaves it, and the scheduler hears of both. Inline, since most
 * instructions make their strand leave the set and come back when the registers of the next one are written.
 *
 * Only readiness.c, resolve.c, simple.c and simple.h change the set. Where the scheduler lets the pipeline pick
 * (sched_ops.greed), strands are picked here.
 */
#ifndef HEDDLE_SM_READY_SET_H
#define HEDDLE_SM_READY_SET_H

#include "sm/internal.h"

/* ---- where pairs, slices and lanes look for ready strands ---- */

/* The bit of a pool in readiness.pools; pool 0 has none. */
static ALWAYS_INLINE uint64_t ready_set_pool_bit(unsigned pool)
{
    return (uint64_t)(pool != 0) << ((pool - 1) & 63);
}

static ALWAYS_INLINE void ready_set_note(struct readiness *r, const struct strand *s, struct strand_state *state,
                                         const struct sm_traits t)
{
    if (t.pairs)
        r->ids[s->id / 64] |= UINT64_C(1) << s->id % 64;
    if (t.has_pools) {
        state->pool = s->pool;
        r->by_pool[state->port][s->pool]++;
        r->pools[state->port] |= ready_set_pool_bit(s->pool);
    }
    if (t.has_lanes) {
        r->by_pool_class[state->port][s->pool][state->class]++;
        r->class_pools[state->port][state->class] |= ready_set_pool_bit(s->pool);
    }
}

static ALWAYS_INLINE void ready_set_forget(struct readiness *r, const struct strand *s,
                                           const struct strand_state *state, const struct sm_traits t)
{
    if (t.pairs)
        r->ids[s->id / 64] &= ~(UINT64_C(1) << s->id % 64);
    if (t.has_pools) {
        const bool is_last = !--r->by_pool[state->port][state->pool];
        r->pools[state->port] &= ~(is_last * ready_set_pool_bit(state->pool));
    }
    if (t.has_lanes) {
        const bool is_last = !--r->by_pool_class[state->port][state->pool][state->class];
        r->class_pools[state->port][state->class] &= ~(is_last * ready_set_pool_bit(state->pool));
    }
}

/* ready_set_note() and ready_set_forget() where the traits are not known, or ideal lanes run bundles. */
void ready_set_list(struct sm *sm, const struct strand *s, struct strand_state *state);
void ready_set_unlist(struct sm *sm, const struct strand *s, const struct strand_state *state);

/* ---- the set ---- */

/* The functions below are compiled for the traits `t` if these have is_swift; if not, `t` says nothing. */

/* Takes a ready strand from the set. */
static ALWAYS_INLINE void ready_set_remove_as(struct sm *sm, struct strand *s, struct strand_state *state,
                                              const struct sm_traits t)
{
    struct readiness *r = &sm->ready;
    const int port = state->port, class = state->class;
    state->ready = false;
    if (t.is_swift)
        ready_set_forget(r, s, state, t);
    else if (UNLIKELY(sm->shortcuts.lists_ready))
        ready_set_unlist(sm, s, state);
    if (!--r->by_class[port][class]) {
        r->at_port[port] &= ~(1u << class);
        r->classes = r->at_port[0] | r->at_port[1] | r->at_port[2] | r->at_port[3];
    }
    if (!t.is_swift && UNLIKELY(!sm->ready.order))
        sm->policy->unready(sm->sched, s);
    else
        order_clear(&sm->ready.order->at[s->id]);
}

static ALWAYS_INLINE void ready_set_remove(struct sm *sm, struct strand *s, struct strand_state *state)
{
    ready_set_remove_as(sm, s, state, (struct sm_traits){0});
}
_Static_assert(READINESS_MAX_PORTS == 4, "all ports are in the union");

/* Adds a strand that is not ready, whose next instruction is of the class. */
static ALWAYS_INLINE void ready_set_add_as(struct sm *sm, struct strand *s, struct strand_state *state, int class,
                                           const struct sm_traits t)
{
    struct readiness *r = &sm->ready;
    const int port = state->port;
    state->ready = true;
    state->class = (uint8_t) class;
    if (t.is_swift)
        ready_set_note(r, s, state, t);
    else if (UNLIKELY(sm->shortcuts.lists_ready))
        ready_set_list(sm, s, state);
    r->by_class[port][class]++;
    r->at_port[port] |= 1u << class;
    r->classes |= 1u << class;
    if (!t.is_swift && UNLIKELY(!sm->ready.order))
        sm->policy->ready(sm->sched, s, class);
    else if (t.is_swift && !t.has_pools)
        order_set(&sm->ready.order->at[s->id], class);
    else
        order_enter(sm->ready.order, s, class);
}

static ALWAYS_INLINE void ready_set_add(struct sm *sm, struct strand *s, struct strand_state *state, int class)
{
    ready_set_add_as(sm, s, state, class, (struct sm_traits){0});
}

/* A strand that stays ready comes to an instruction of another class. */
static ALWAYS_INLINE void ready_set_change(struct sm *sm, struct strand *s, struct strand_state *state, int class,
                                           const struct sm_traits t)
{
    struct readiness *r = &sm->ready;
    const int port = state->port, old = state->class;
    if (!t.is_swift && UNLIKELY(!r->order || sm->shortcuts.lists_ready)) {
        ready_set_remove(sm, s, state);
        ready_set_add(sm, s, state, class);
        return;
    }
    if (t.has_lanes)
        ready_set_forget(r, s, state, t);
    state->class = (uint8_t) class;
    if (t.has_lanes)
        ready_set_note(r, s, state, t);
    r->by_class[port][class]++;
    const uint32_t gone = (uint32_t) !--r->by_class[port][old] << old;
    r->at_port[port] = (r->at_port[port] | 1u << class) & ~gone;
    r->classes = r->at_port[0] | r->at_port[1] | r->at_port[2] | r->at_port[3];
    order_change(&r->order->at[s->id], class);
}

/* Tells the scheduler that the strand, which it or ready_set_pick() picked, issues. */
static ALWAYS_INLINE void ready_set_issue_as(struct sm *sm, struct strand *s, int port, const struct sm_traits t)
{
    if (!t.is_swift && UNLIKELY(!sm->ready.greed))
        sm->policy->issued(sm->sched, port, s, sm->now);
    else if (t.is_swift && !t.has_pools)
        order_note_last(sm->ready.greed, port, s);
    else
        order_note_last(sm->ready.greed, port * sm->ready.order->pools + s->pool, s);
}

static ALWAYS_INLINE void ready_set_issue(struct sm *sm, struct strand *s, int port)
{
    ready_set_issue_as(sm, s, port, (struct sm_traits){0});
}

/* The ready strand of the port that the scheduler lets issue next, where all lanes of the port are free and there are
 * no pools, among those whose class is not blocked; NULL: none. */
static ALWAYS_INLINE struct strand *ready_set_pick(struct sm *sm, int port, uint32_t blocked, const struct sm_traits t)
{
    struct sched_ask *ask = &sm->cycle.ask;
    if (t.is_swift || sm->ready.greed)
        return order_pick_whole(sm->ready.greed, port, blocked);
    ask->port = port;
    ask->blocked = blocked;
    ask->now = sm->now;
    return sm->policy->pick(sm->sched, ask);
}

/* Asks for an evaluation of the strand at the cycle, in place of the one that it asked for before. */
static ALWAYS_INLINE void readiness_wake_later_as(struct sm *sm, struct strand *s, struct strand_state *state,
                                                  uint64_t cycle, const struct sm_traits t)
{
    if (state->wake_at == cycle)
        return;
    state->wake_at = cycle;
    if (t.is_swift || sm->shortcuts.wakes_as_bits ? !wheel_add_wake(&sm->wheel, cycle, s->id)
                                                  : !bundles_wake_later(sm, s, cycle))
        wheel_add(&sm->wheel, cycle, EVENT_WAKE, s->id, s->generation);
}

static ALWAYS_INLINE void readiness_wake_later(struct sm *sm, struct strand *s, struct strand_state *state,
                                               uint64_t cycle)
{
    readiness_wake_later_as(sm, s, state, cycle, (struct sm_traits){0});
}

#endif
