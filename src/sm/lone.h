/*
 * Lone strands: while one strand alone can issue, and nothing else is due, its instructions are issued in a loop of
 * their own.
 *
 * Where few warps are resident, most cycles wake up one strand and issue its instruction, and the scheduler has no
 * choice. Such a strand does not enter the set of ready strands. Only instructions that a lane handler computes are
 * issued so, on multiprocessors whose cycle is compiled for that (sm_run()).
 */
#ifndef HEDDLE_SM_LONE_H
#define HEDDLE_SM_LONE_H

#include "sm/simple.h"

/* The traits of these multiprocessors. */
#define LONE_TRAITS ((struct sm_traits){.is_plain = true, .is_swift = true})

/* Whether a strand alone can issue the instruction at its PC, when its registers are written. */
static ALWAYS_INLINE bool lone_is_plain(const struct sm *sm, const struct strand *s)
{
    return sm->plans->at[s->pc].is_lanes && !sm->marks[s->pc + 1];
}

/* The cycle at which something comes from memory; SM_NEVER: nothing does. */
static ALWAYS_INLINE uint64_t lone_memory_at(const struct sm *sm)
{
    const struct mem_times *memory = sm->cycle.memory;
    return sm->flights.pending ? sm_earlier(memory->next, memory->reply) : SM_NEVER;
}

/* The strand that issues alone in cycle `now`; NULL: the cycle is of another kind. */
static ALWAYS_INLINE struct strand *lone_find(struct sm *sm, uint64_t now)
{
    if (sm->ready.classes || sm->cycle.is_stopped || !wheel_has_one_wake(&sm->wheel, now) || lone_memory_at(sm) <= now)
        return NULL;
    const int id = __builtin_ctzll(wheel_wakes(&sm->wheel));
    struct strand *s = &sm->strands.at[id];
    const struct strand_state *state = &sm->strands.state[id];
    const bool wakes = state->in_use && state->wake_at == now && !readiness_is_kept(s);
    if (!wakes || !lone_is_plain(sm, s))
        return NULL;
    return units_busy_classes(&sm->units, now) >> sm->plans->at[s->pc].class & 1 ? NULL : s;
}

/* The strand issues in cycle `now`. Gives the cycle from which on it can issue again. */
static ALWAYS_INLINE uint64_t lone_issue(struct sm *sm, struct strand *s, struct strand_state *state, uint64_t now)
{
    const struct plan *p = &sm->plans->at[s->pc];
    uint64_t due;
    sm->now = sm->host.now = now;
    simple_count(sm, s, &sm->sites[s->pc]);
    simple_hold(sm, s, p, state->port, &due, LONE_TRAITS);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    s->pc++;
    backlog_add(sm, s, state);
    return sm_later(s->not_before, scoreboard_clears(&sm->scoreboard, &state->pending, s, p + 1, now));
}

/* Runs cycle `now`, in which the strand wakes up and issues alone, and those behind it, up to cycle `until`, in which
 * it goes on to do so. */
static ALWAYS_INLINE void lone_run(struct sm *sm, struct strand *s, uint64_t now, uint64_t until)
{
    struct cycle_state *c = &sm->cycle;
    struct strand_state *state = &sm->strands.state[s->id];
    uint64_t when, issues = 1;
    cycle_charge_idle(sm, now - c->settled, c->idle_kind);
    wheel_take_wakes(&sm->wheel);
    state->wake_at = 0;
    simple_tell(sm, s, state->port, LONE_TRAITS);
    until = sm_earlier(until, sm_earlier(lone_memory_at(sm), wheel_next(&sm->wheel)) - 1);
    while ((when = lone_issue(sm, s, state, now)) <= now + 1 && lone_is_plain(sm, s)) {
        const uint64_t next = sm_later(now + 1, sm->units.next[sm->plans->at[s->pc].unit]);
        if (next > until)
            break;
        cycle_charge_idle(sm, next - now - 1, IDLE_STALL);
        now = next;
        issues++;
    }
    cycle_charge_issue(sm, s->size, issues);
    sm->stats.issue_slots += issues * sm->config->warp_width;
    sm->ready.open = c->settled = now + 1;
    c->idle_ticks = 0;
    if (when <= now + 1)
        ready_set_add_as(sm, s, state, sm->plans->at[s->pc].class, LONE_TRAITS);
    else if (when != SM_NEVER)
        readiness_wake_later_as(sm, s, state, when, LONE_TRAITS);
}

#endif
