/* Issue of simple instructions (simple.h): direct branches, and instructions of which the mechanism hears. */
#include "sm/simple.h"

#include "base/arena.h"
#include "sm/internal.h"

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

uint64_t simple_issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct site *site = &sm->sites[s->pc];
    struct pending_branch *kept = kept_branch(sm, s);
    const uint64_t now = sm->now, due = now + p->due_cycles;
    backlog_empty(sm, s, state);
    ready_set_remove(sm, s, state);
    simple_tell(sm, s, port, false);
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
    const uint64_t unit_free = simple_count(sm, s, p, site, now);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    s->busy = state->resolves = true;
    wheel_add(&sm->wheel, due, EVENT_RESOLVE, s->id, s->generation);
    return unit_free;
}

uint64_t simple_issue_commit(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    const uint64_t now = sm->now, due = now + p->due_cycles;
    ready_set_remove(sm, s, state);
    simple_tell(sm, s, port, false);
    s->busy = true;
    const uint64_t unit_free = simple_count(sm, s, p, &sm->sites[s->pc], now);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    state->route_pc = s->pc + 1;
    state->route_depth = s->depth;
    backlog_add(sm, s, state);
    wheel_add(&sm->wheel, due, EVENT_DONE, s->id, s->generation);
    return unit_free;
}
