/* Issue of simple instructions (simple.h). */
#include "sm/simple.h"

#include "sm/internal.h"

/* The strand, which has issued a simple instruction and was ready, is at its next PC: it stays ready, or waits for
 * registers. */
static ALWAYS_INLINE void evaluate(struct sm *sm, struct strand *s, struct strand_state *state, const struct plan *next,
                                   uint64_t now)
{
    uint64_t when = sm_later(s->not_before, scoreboard_clears(&sm->scoreboard, &state->pending, s, next, now));
    if (when > now + 1)
        readiness_await(sm, s, when);
    else if (next->class != state->class)
        readiness_evaluate_at_once(sm, s);
}

void simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct site *site = &sm->sites[s->pc];
    const uint64_t now = sm->now, due = now + p->due_cycles;
    const uint64_t threads = (uint64_t)s->size;
    sm->policy->issued(sm->sched, port, s, now);
    step_execute_lanes(&sm->step, p->bound, s);
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += threads;
    site->issues++;
    site->threads += threads;
    units_hold(&sm->units, p->unit, now + p->held_cycles, now, false);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    residents_keep_row(&sm->residents, s->threads.part[0].row, due);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    int32_t pc = ++s->pc;
    if (sm->marks[pc])
        issue_arrive(sm, s);
    else
        evaluate(sm, s, state, p + 1, now);
}
