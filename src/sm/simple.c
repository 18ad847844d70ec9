/* Issue of simple instructions (simple.h). */
#include "sm/simple.h"

#include "base/arena.h"
#include "sm/internal.h"

/* What every issue counts and holds. */
static ALWAYS_INLINE void count(struct sm *sm, const struct strand *s, const struct plan *p, struct site *site,
                                uint64_t now)
{
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += (uint64_t)s->size;
    site->issues++;
    site->threads += (uint64_t)s->size;
    units_hold(&sm->units, p->unit, now + p->held_cycles, now, false);
}

/* The instruction is in flight until cycle `due`. If the mechanism hears of every instruction, threads do not end
 * before that, and so keep their rows. */
static ALWAYS_INLINE void keep(struct sm *sm, const struct strand *s, struct strand_state *state, uint64_t due)
{
    if (!sm->traits.every_commit)
        residents_keep_row(&sm->residents, s->threads.part[0].row, due);
    state->pending.done_at = sm_later(state->pending.done_at, due);
}

/* The scheduler and the fetch unit hear of the issue. */
static ALWAYS_INLINE void tell(struct sm *sm, struct strand *s, int port, uint64_t now)
{
    sm->policy->issued(sm->sched, port, s, now);
    if (sm->traits.fetches)
        fetch_used(sm, s);
}

/* The strand has issued an instruction and is at its next PC. Where it stays ready in place, only registers can make it
 * wait. */
static ALWAYS_INLINE void evaluate(struct sm *sm, struct strand *s, struct strand_state *state, const struct plan *next,
                                   uint64_t now)
{
    if (!sm->shortcuts.waits_for_registers) {
        (sm->shortcuts.stays_ready ? readiness_evaluate_at_once : readiness_evaluate)(sm, s);
        return;
    }
    uint64_t when = sm_later(s->not_before, scoreboard_clears(&sm->scoreboard, &state->pending, s, next, now));
    if (when > now + 1)
        readiness_await(sm, s, when);
    else if (next->class != state->class)
        readiness_evaluate_at_once(sm, s);
}

/* Room for what a branch decides, until it resolves. */
static struct pending_branch *kept_branch(struct sm *sm, const struct strand *s)
{
    enum { MOST_PLACES = 2 };
    struct pending_branch *kept = &sm->strands.branch[s->id];
    if (kept->capacity < MOST_PLACES) {
        kept->capacity = MOST_PLACES;
        kept->outcome = xrealloc(kept->outcome, sizeof *kept->outcome * MOST_PLACES);
    }
    return kept;
}

static void issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct site *site = &sm->sites[s->pc];
    struct pending_branch *kept = kept_branch(sm, s);
    const uint64_t now = sm->now, due = now + p->due_cycles;
    readiness_clear(sm, s);
    tell(sm, s, port, now);
    kept->count = step_branch(&sm->step, p->bound, s, kept->outcome);
    kept->ended.count = 0;
    for (int i = 0; i < kept->count; i++)
        if (kept->outcome[i].pc != s->pc + 1)
            site->taken += (uint64_t)threads_size(&kept->outcome[i].threads);
    for (int i = 0; sm->static_lines && i < kept->count; i++)
        static_lines_jump(sm, s->pc, &kept->outcome[i]);
    const bool diverged = kept->count > 1;
    site->diverged += diverged;
    sm->stats.branches += p->is_branch;
    sm->stats.divergent_branches += p->is_branch && diverged;
    count(sm, s, p, site, now);
    keep(sm, s, state, due);
    s->busy = state->resolves = true;
    wheel_add(&sm->wheel, due, EVENT_RESOLVE, s->id, s->generation);
}

/* Issues an instruction of which the mechanism hears when it is done. */
static void issue_commit(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    const uint64_t now = sm->now, due = now + p->due_cycles;
    readiness_clear(sm, s);
    tell(sm, s, port, now);
    s->busy = true;
    step_execute_lanes(&sm->step, p->bound, s);
    count(sm, s, p, &sm->sites[s->pc], now);
    keep(sm, s, state, due);
    state->route_pc = s->pc + 1;
    state->route_depth = s->depth;
    wheel_add(&sm->wheel, due, EVENT_DONE, s->id, s->generation);
}

void simple_issue(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    if (p->is_control) {
        issue_branch(sm, s, p, port);
        return;
    }
    if (sm->traits.every_commit) {
        issue_commit(sm, s, p, port);
        return;
    }
    struct strand_state *state = &sm->strands.state[s->id];
    const uint64_t now = sm->now, due = now + p->due_cycles;
    if (!sm->shortcuts.stays_ready)
        readiness_clear(sm, s);
    tell(sm, s, port, now);
    step_execute_lanes(&sm->step, p->bound, s);
    count(sm, s, p, &sm->sites[s->pc], now);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    keep(sm, s, state, due);
    int32_t pc = ++s->pc;
    if (sm->marks[pc])
        issue_arrive(sm, s);
    else
        evaluate(sm, s, state, p + 1, now);
}
