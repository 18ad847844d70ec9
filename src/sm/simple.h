/*
 * Issue of simple instructions: those that a lane handler computes, and direct branches. They access no memory and wait
 * for no other thread.
 *
 * Most instructions are simple, so they are issued here, without what only others need; those that a lane handler
 * computes are issued inline. Only multiprocessors with shortcuts.issues_simple come here: a strand takes all lanes of
 * its port, and the scoreboard is the exact one or off.
 */
#ifndef HEDDLE_SM_SIMPLE_H
#define HEDDLE_SM_SIMPLE_H

#include "sm/internal.h"
#include "sm/ready_set.h"

/* The two uncommon cases of simple_issue(): a direct branch; and an instruction of which the mechanism hears when it is
 * done. */
uint64_t simple_issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port);
uint64_t simple_issue_commit(struct sm *sm, struct strand *s, const struct plan *p, int port);

/* What every issue counts and holds. Gives the first cycle at which the unit takes another instruction. */
static ALWAYS_INLINE uint64_t simple_count(struct sm *sm, const struct strand *s, const struct plan *p,
                                           struct site *site, uint64_t now)
{
    const uint64_t threads = (uint64_t)s->size;
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += threads;
    site->issues++;
    site->threads += threads;
    return units_hold(&sm->units, p->unit, now + p->held_cycles, now, false);
}

/* The scheduler and the fetch unit hear of the issue. `is_swift`, here and below: shortcuts.is_swift, or false if that
 * is not known. */
static ALWAYS_INLINE void simple_tell(struct sm *sm, struct strand *s, int port, const bool is_swift)
{
    ready_set_issue_as(sm, s, port, is_swift);
    if (!is_swift && UNLIKELY(sm->traits.fetches))
        fetch_used(sm, s);
}

/* The strand has issued an instruction and is at its next PC. Where it stays ready in place, only registers can make it
 * wait. */
static ALWAYS_INLINE void simple_evaluate(struct sm *sm, struct strand *s, struct strand_state *state,
                                          const struct plan *next, uint64_t now, const bool is_swift)
{
    if (!is_swift && UNLIKELY(!sm->shortcuts.waits_for_registers)) {
        (sm->shortcuts.stays_ready ? readiness_evaluate_at_once : readiness_evaluate)(sm, s);
        return;
    }
    uint64_t when = sm_later(s->not_before, scoreboard_clears(&sm->scoreboard, &state->pending, s, next, now));
    if (when > now + 1) {
        ready_set_remove_as(sm, s, state, is_swift);
        if (when != SM_NEVER)
            readiness_wake_later_as(sm, s, state, when, is_swift);
    } else if (next->class != state->class) {
        if (!is_swift && UNLIKELY(sm->shortcuts.awaits_more))
            readiness_evaluate_at_once(sm, s);
        else
            ready_set_change(sm, s, state, next->class, is_swift);
    }
}

/* Issues the strand's next instruction, which is simple and has the plan `p`. Gives the first cycle at which the unit
 * takes another instruction. */
static ALWAYS_INLINE uint64_t simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port,
                                           const bool is_swift)
{
    if (UNLIKELY(p->is_control))
        return simple_issue_branch(sm, s, p, port);
    if (!is_swift && UNLIKELY(sm->traits.every_commit))
        return simple_issue_commit(sm, s, p, port);
    struct strand_state *state = &sm->strands.state[s->id];
    const uint64_t now = sm->now, due = now + p->due_cycles;
    if (!is_swift && UNLIKELY(!sm->shortcuts.stays_ready))
        readiness_clear(sm, s);
    simple_tell(sm, s, port, is_swift);
    const uint64_t unit_free = simple_count(sm, s, p, &sm->sites[s->pc], now);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    int32_t pc = ++s->pc;
    backlog_add(sm, s, state);
    if (UNLIKELY(sm->marks[pc]))
        issue_arrive(sm, s);
    else
        simple_evaluate(sm, s, state, p + 1, now, is_swift);
    return unit_free;
}

#endif
