/*
 * Issue of simple instructions: those that a lane handler computes, that access no memory and go straight on.
 *
 * Most instructions are simple, so this file does for them what issue.c does for all, without what only others need.
 * Only machines with shortcuts.issues_simple come here: those whose issue has no traits, with the exact scoreboard and
 * a scheduler whose strands stay ready in place. Inline: cycle.c is the only caller.
 */
#ifndef HEDDLE_SM_SIMPLE_H
#define HEDDLE_SM_SIMPLE_H

#include "sm/internal.h"

/* The strand, which has issued a simple instruction and was ready, is at its next PC: it stays ready, or waits for
 * registers. */
static ALWAYS_INLINE void simple_evaluate(struct sm *sm, struct strand *s, struct strand_state *state)
{
    const struct plan *next = &sm->plans->at[s->pc];
    uint64_t when = sm_later(s->not_before, scoreboard_clears(&sm->scoreboard, &state->pending, s, next, sm->now));
    if (when > sm->ready.open)
        readiness_await(sm, s, when);
    else if (next->class != state->class)
        readiness_evaluate_at_once(sm, s);
}

/* Issues the strand's next instruction, which is simple and has the plan `p`. */
static ALWAYS_INLINE void simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct site *site = &sm->sites[s->pc];
    const uint64_t now = sm->now, due = now + p->due_cycles;
    const uint64_t threads = (uint64_t)s->size;
    sm->policy->issued(sm->sched, port, s, now);
    step_execute_lanes(&sm->step, s);
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += threads;
    site->issues++;
    site->threads += threads;
    units_hold(&sm->units, p->unit, now + p->held_cycles, now, false);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    residents_keep_row(&sm->residents, s->threads.part[0].row, due);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    s->pc++;
    if (sm->marks[s->pc])
        issue_arrive(sm, s);
    else
        simple_evaluate(sm, s, state);
}

#endif
