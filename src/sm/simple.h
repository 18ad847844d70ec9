/*
 * Issue of simple instructions: those that a lane handler computes, and direct branches. They access no memory and wait
 * for no other thread.
 *
 * Most instructions are simple, so they are issued here, without what only others need; those that a lane handler
 * computes are issued inline. Only multiprocessors with shortcuts.issues_simple come here: the scoreboard is the exact
 * one or off.
 */
#ifndef HEDDLE_SM_SIMPLE_H
#define HEDDLE_SM_SIMPLE_H

#include "sm/internal.h"
#include "sm/ready_set.h"

/* The two uncommon cases of simple_issue(): a direct branch; and an instruction of which the mechanism hears when it is
 * done. */
uint64_t simple_issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port);
uint64_t simple_issue_commit(struct sm *sm, struct strand *s, const struct plan *p, int port);

/* Of the traits `t`, here and below, is_swift says whether the multiprocessor is known to be of that case, and
 * is_sliced, has_gangs and has_lanes are the multiprocessor's. */

/* What every issue counts. */
static ALWAYS_INLINE void simple_count(struct sm *sm, const struct strand *s, struct site *site)
{
    const uint64_t threads = (uint64_t)s->size;
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += threads;
    site->issues++;
    site->threads += threads;
}

/* What every issue holds: its unit, or the strand's share of it. `*due` becomes the cycle at which the instruction is
 * done. Gives the first cycle at which the unit takes another instruction, where one strand takes all lanes. */
static ALWAYS_INLINE uint64_t simple_hold(struct sm *sm, const struct strand *s, const struct plan *p, int port,
                                          uint64_t *due, const struct sm_traits t)
{
    const uint64_t now = sm->now, until = now + p->held_cycles;
    if (t.has_lanes) {
        const uint64_t through =
            warp_lanes_hold(&sm->lanes, port, s->pool - 1u, s->size, s->slots, p->unit, p->interval, p->operands, now);
        *due = now + p->latency + p->operands + (p->is_control ? through - 1 : 0);
        return warp_lanes_has_share(&sm->lanes, p->unit) ? 0 : units_hold(&sm->units, p->unit, until, now, false);
    }
    *due = now + p->due_cycles;
    if (!t.has_gangs || !units_has_shares(&sm->units, p->unit))
        return units_hold(&sm->units, p->unit, until, now, t.is_sliced);
    if (s->pool)
        units_hold_share(&sm->units, p->unit, s->pool - 1u, until);
    else
        units_hold_shares(&sm->units, p->unit, until, sm->strands.state[s->id].slices);
    return 0;
}

/* The scheduler and the fetch unit hear of the issue. */
static ALWAYS_INLINE void simple_tell(struct sm *sm, struct strand *s, int port, const struct sm_traits t)
{
    ready_set_issue_as(sm, s, port, t);
    if (!t.is_swift && UNLIKELY(sm->traits.fetches))
        fetch_used(sm, s);
}

/* The strand has issued an instruction and is at its next PC. Where it stays ready in place, only registers can make it
 * wait. */
static ALWAYS_INLINE void simple_evaluate(struct sm *sm, struct strand *s, struct strand_state *state,
                                          const struct plan *next, uint64_t now, const struct sm_traits t)
{
    if (!t.is_swift && UNLIKELY(!sm->shortcuts.waits_for_registers)) {
        (sm->shortcuts.stays_ready ? readiness_evaluate_at_once : readiness_evaluate)(sm, s);
        return;
    }
    uint64_t when = sm_later(s->not_before, scoreboard_clears(&sm->scoreboard, &state->pending, s, next, now));
    if (when > now + 1) {
        ready_set_remove_as(sm, s, state, t);
        if (when != SM_NEVER)
            readiness_wake_later_as(sm, s, state, when, t);
    } else if (next->class != state->class) {
        if (!t.is_swift && UNLIKELY(sm->shortcuts.awaits_more))
            readiness_evaluate_at_once(sm, s);
        else
            ready_set_change(sm, s, state, next->class, t);
    }
}

/* Issues an instruction of which the mechanism hears when it is done. */
static ALWAYS_INLINE uint64_t simple_commit(struct sm *sm, struct strand *s, const struct plan *p, int port,
                                            const struct sm_traits t)
{
    struct strand_state *state = &sm->strands.state[s->id];
    uint64_t due;
    ready_set_remove_as(sm, s, state, t);
    simple_tell(sm, s, port, t);
    s->busy = true;
    simple_count(sm, s, &sm->sites[s->pc]);
    const uint64_t unit_free = simple_hold(sm, s, p, port, &due, t);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    state->route_pc = s->pc + 1;
    backlog_add(sm, s, state);
    wheel_add(&sm->wheel, due, EVENT_DONE, s->id, s->generation);
    return unit_free;
}

/* Issues the strand's next instruction, which is simple and has the plan `p`. Gives the first cycle at which the unit
 * takes another instruction. */
static ALWAYS_INLINE uint64_t simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port,
                                           const struct sm_traits t)
{
    if (UNLIKELY(p->is_control))
        return simple_issue_branch(sm, s, p, port);
    if (t.is_swift && t.every_commit)
        return simple_commit(sm, s, p, port, t);
    if (!t.is_swift && UNLIKELY(sm->traits.every_commit))
        return simple_issue_commit(sm, s, p, port);
    struct strand_state *state = &sm->strands.state[s->id];
    const uint64_t now = sm->now;
    uint64_t due;
    if (!t.is_swift && UNLIKELY(!sm->shortcuts.stays_ready))
        readiness_clear(sm, s);
    simple_tell(sm, s, port, t);
    simple_count(sm, s, &sm->sites[s->pc]);
    const uint64_t unit_free = simple_hold(sm, s, p, port, &due, t);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    int32_t pc = ++s->pc;
    backlog_add(sm, s, state);
    if (UNLIKELY(sm->marks[pc]))
        issue_arrive(sm, s);
    else
        simple_evaluate(sm, s, state, p + 1, now, t);
    return unit_free;
}

#endif
