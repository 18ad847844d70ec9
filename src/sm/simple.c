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

/* Where the branch sends the threads of a strand of one row: the lanes that take it are all that is kept. Gives whether
 * the threads diverge. */
static bool branch_of_row(struct sm *sm, const struct strand *s, struct strand_state *state, const struct bound *in,
                          struct site *site)
{
    const struct part part = s->threads.part[0];
    state->taken = step_guarded(&sm->step, s, 0);
    state->has_taken = true;
    state->route_pc = in->target;
    if (in->target == s->pc + 1) {
        state->taken = part.mask;
        return false;
    }
    site->taken += (uint64_t)bits_count(state->taken);
    return state->taken && state->taken != part.mask;
}

/* Where the branch sends the threads of any strand. Gives whether the threads diverge. */
static bool branch_of_rows(struct sm *sm, const struct strand *s, struct strand_state *state, const struct plan *p,
                           struct site *site)
{
    struct pending_branch *kept = kept_branch(sm, s);
    state->has_taken = false;
    kept->count = step_branch(&sm->step, p->bound, s, kept->outcome);
    kept->ended.count = 0;
    for (int i = 0; i < kept->count; i++)
        if (kept->outcome[i].pc != s->pc + 1)
            site->taken += (uint64_t)threads_size(&kept->outcome[i].threads);
    for (int i = 0; sm->static_lines && i < kept->count; i++)
        static_lines_jump(sm, s->pc, &kept->outcome[i]);
    return kept->count > 1;
}

/* `t`: see simple.h. */
static ALWAYS_INLINE uint64_t issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port,
                                           const struct sm_traits t)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct site *site = &sm->sites[s->pc];
    uint64_t due;
    backlog_empty(sm, s, state);
    ready_set_remove(sm, s, state);
    simple_tell(sm, s, port, (struct sm_traits){0});
    const bool diverged = s->threads.count == 1 && !sm->static_lines ? branch_of_row(sm, s, state, p->bound, site)
                                                                     : branch_of_rows(sm, s, state, p, site);
    site->diverged += diverged;
    sm->stats.branches += p->is_branch;
    sm->stats.divergent_branches += p->is_branch && diverged;
    simple_count(sm, s, site);
    const uint64_t unit_free = simple_hold(sm, s, p, port, &due, t);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    s->busy = state->resolves = true;
    wheel_add(&sm->wheel, due, EVENT_RESOLVE, s->id, s->generation);
    return unit_free;
}

uint64_t simple_issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    return sm->traits.is_sliced || sm->traits.has_lanes ? issue_branch(sm, s, p, port, sm->traits)
                                                        : issue_branch(sm, s, p, port, (struct sm_traits){0});
}

uint64_t simple_issue_commit(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    uint64_t due;
    ready_set_remove(sm, s, state);
    simple_tell(sm, s, port, (struct sm_traits){0});
    s->busy = true;
    simple_count(sm, s, &sm->sites[s->pc]);
    const uint64_t unit_free = simple_hold(sm, s, p, port, &due, sm->traits);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    state->route_pc = s->pc + 1;
    state->route_depth = s->depth;
    backlog_add(sm, s, state);
    wheel_add(&sm->wheel, due, EVENT_DONE, s->id, s->generation);
    return unit_free;
}
