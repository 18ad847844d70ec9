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

/* Where the branch sends the threads of a strand in which no two share a lane: the lanes that take it are all that is
 * kept. `follows_several`: see step_guarded_lanes(). Gives whether the threads diverge. */
static bool branch_by_lanes(struct sm *sm, const struct strand *s, struct strand_state *state, const struct bound *in,
                            struct site *site, bool follows_several)
{
    const bool is_one_place = in->target == s->pc + 1;
    const uint32_t taken = is_one_place            ? s->lanes
                           : s->threads.count == 1 ? step_guarded(&sm->step, s, 0)
                                                   : step_guarded_lanes(&sm->step, s, follows_several);
    const uint32_t staying = s->lanes & ~taken;
    state->taken = taken;
    state->has_taken = true;
    state->route_pc = in->target;
    site->taken += is_one_place ? 0 : (uint64_t)bits_count(taken);
    if (sm->shortcuts.counts_iterations && taken)
        static_lines_jump(sm, s->pc, in->target, &s->threads, taken);
    if (sm->shortcuts.counts_iterations && staying)
        static_lines_jump(sm, s->pc, s->pc + 1, &s->threads, staying);
    return taken && staying;
}

/* Where the branch sends the threads of any strand. Gives whether the threads diverge. */
static bool branch_of_rows(struct sm *sm, const struct strand *s, struct strand_state *state, const struct plan *p,
                           struct site *site)
{
    struct pending_branch *kept = kept_branch(sm, s);
    state->has_taken = false;
    kept->count = step_branch(&sm->step, p->bound, s, kept->outcome);
    kept->ended.count = 0;
    for (int i = 0; i < kept->count; i++) {
        const struct outcome *o = &kept->outcome[i];
        if (o->pc != s->pc + 1)
            site->taken += (uint64_t)threads_size(&o->threads);
        if (sm->shortcuts.counts_iterations)
            static_lines_jump(sm, s->pc, o->pc, &o->threads, UINT32_MAX);
    }
    return kept->count > 1;
}

/* With shortcuts.passes_branches. The branch, which resolves at cycle `due`, sends all threads of the strand to one
 * place. True: the mechanism has no more to do, and the strand goes on when the branch has resolved and its registers
 * are written. */
static bool pass_branch(struct sm *sm, struct strand *s, struct strand_state *state, uint64_t due)
{
    const struct sm_traits t = {.is_swift = true};
    const int32_t pc = state->taken ? state->route_pc : s->pc + 1;
    if (!sm->ops->pass(sm->div, s, pc))
        return false;
    state->has_taken = false;
    s->pc = pc;
    s->not_before = sm_later(s->not_before, due);
    const uint64_t when = scoreboard_clears(&sm->scoreboard, &state->pending, s, &sm->plans->at[pc], sm->now);
    if (when != SM_NEVER) /* else the strand is evaluated when memory has answered */
        readiness_wake_later_as(sm, s, state, sm_later(when, s->not_before), t);
    return true;
}

/* `t`: see simple.h. */
static ALWAYS_INLINE uint64_t issue_branch(struct sm *sm, struct strand *s, const struct plan *p, int port,
                                           const struct sm_traits t)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct site *site = &sm->sites[s->pc];
    const bool follows_several = state->backlog;
    uint64_t due;
    backlog_empty(sm, s, state);
    ready_set_remove(sm, s, state);
    simple_tell(sm, s, port, (struct sm_traits){0});
    const bool diverged = s->lanes ? branch_by_lanes(sm, s, state, p->bound, site, follows_several)
                                   : branch_of_rows(sm, s, state, p, site);
    site->diverged += diverged;
    sm->stats.branches += p->is_branch;
    sm->stats.divergent_branches += p->is_branch && diverged;
    simple_count(sm, s, site);
    const uint64_t unit_free = simple_hold(sm, s, p, port, &due, t);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    if (sm->shortcuts.passes_branches && !diverged && s->lanes && pass_branch(sm, s, state, due))
        return unit_free;
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
    return simple_commit(sm, s, p, port, sm->traits);
}
