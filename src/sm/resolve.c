/* Instructions that are done (resolve.h): the mechanism hears where their threads go, and blocks end. */
#include "sm/resolve.h"

#include "sm/internal.h"
#include "sm/ready_set.h"

void resolve_block_end(struct sm *sm, struct resident *r)
{
    if (sm->traits.least_time) {
        uint64_t last = limits_last_issue(&sm->limits.block[r - sm->residents.at]);
        r->busy_until = sm_later(r->busy_until, last + sm->config->cost[CLASS_BRANCH].latency_cycles);
    }
    cycle_charge_residents(sm);
    residents_end(&sm->residents, r, sm->now);
    sm->stats.blocks++;
    trace_block_end(sm->trace, sm->now, sm->index, r->age);
    if (r->busy_until > sm->now)
        wheel_add(&sm->wheel, r->busy_until, EVENT_ROOM, 0, 0);
}

/* Threads of the strand have ended: they leave it, and their blocks may be done. */
static void end_threads(struct sm *sm, struct strand *s, const struct threads *ended)
{
    thread_map_keep_rows(sm, s);
    for (int i = 0; i < ended->count; i++)
        thread_map_lose(sm, s, ended->part[i].row, ended->part[i].mask);
    sm->ops->exit(sm->div, s, ended);
    for (int i = 0; i < ended->count; i++) {
        struct resident *r = residents_of_row(&sm->residents, ended->part[i].row);
        r->threads -= bits_count(ended->part[i].mask);
        if (r->threads == 0 && !r->copies)
            resolve_block_end(sm, r);
    }
}

/* The mechanism was told where the strand's threads are. It may have assigned or retired the strand, and created
 * others. The strand is evaluated, unless the mechanism made it ready, parked it, or retired it: a new strand with the
 * same id was evaluated when it was made. */
static void end_delivery(struct sm *sm, struct strand *s, uint32_t generation)
{
    sm_called(sm);
    if (s->generation == generation && !sm->strands.state[s->id].ready && !s->parked)
        readiness_evaluate(sm, s);
}

/* Tells the mechanism where the strand's threads are. */
static void deliver(struct sm *sm, struct strand *s, const struct outcome *outcome, int count)
{
    const uint32_t generation = s->generation;
    if (count)
        (sm->traits.every_commit ? sm->ops->commit : sm->ops->branch)(sm->div, s, outcome, count);
    end_delivery(sm, s, generation);
}

/* deliver() for a strand whose threads go to one place, where the mechanism has no `advance`. */
static __attribute__((noinline)) void deliver_route(struct sm *sm, struct strand *s, int32_t pc)
{
    struct outcome route;
    route.pc = pc;
    route.depth = s->depth;
    threads_copy(&route.threads, &s->threads);
    deliver(sm, s, &route, 1);
}

/* The strand, which is not ready, keeps its threads and goes on at its route. Mostly it can issue at once. */
static ALWAYS_INLINE void follow_route(struct sm *sm, struct strand *s, struct strand_state *state)
{
    if (UNLIKELY(sm->traits.fetches))
        fetch_note_assign(sm, s);
    s->pc = state->route_pc;
    s->syncs = 0;
    sm_called(sm);
    if (sm->scoreboard.is_off && sm->shortcuts.evaluates_swiftly && s->not_before <= sm->ready.open)
        ready_set_add_as(sm, s, state, sm->plans->at[s->pc].class, (struct sm_traits){.is_swift = true});
    else
        readiness_evaluate(sm, s);
}

/* Tells the mechanism, which has `advance`, that all threads of the strand go to its route. */
static ALWAYS_INLINE void advance(struct sm *sm, struct strand *s, struct strand_state *state)
{
    const uint32_t generation = s->generation;
    if (sm->ops->advance(sm->div, s, state->route_pc))
        follow_route(sm, s, state);
    else
        end_delivery(sm, s, generation);
}

/* step_part_ways() for a strand of one row, which is most frequent. */
static int part_ways_of_row(const struct strand *s, int32_t target, uint32_t taken, struct outcome *outcome)
{
    const struct part part = s->threads.part[0];
    const uint32_t staying = part.mask & ~taken;
    int count = 0;
    if (staying) {
        outcome[count].pc = s->pc + 1;
        outcome[count].depth = s->depth;
        outcome[count].threads.count = 1;
        outcome[count++].threads.part[0] = (struct part){part.row, staying};
    }
    if (taken) {
        outcome[count].pc = target;
        outcome[count].depth = s->depth;
        outcome[count].threads.count = 1;
        outcome[count++].threads.part[0] = (struct part){part.row, taken};
    }
    return count;
}

/* resolve_control() for a direct branch of which the lanes that take it are known. */
static void resolve_taken(struct sm *sm, struct strand *s, struct strand_state *state)
{
    struct outcome outcome[2];
    state->has_taken = false;
    if (sm->ops->part && sm->host.facts.slots_are_lanes) {
        const uint32_t generation = s->generation;
        sm->ops->part(sm->div, s, state->route_pc, state->taken);
        end_delivery(sm, s, generation);
    } else if (sm->ops->advance && (!state->taken || state->taken == s->lanes)) {
        state->route_pc = state->taken ? state->route_pc : s->pc + 1;
        advance(sm, s, state);
    } else {
        const int count = s->threads.count == 1 ? part_ways_of_row(s, state->route_pc, state->taken, outcome)
                                                : step_part_ways(s, state->route_pc, state->taken, outcome);
        deliver(sm, s, outcome, count);
    }
}

void resolve_control(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    const struct pending_branch *kept = &sm->strands.branch[s->id];
    uint32_t generation = s->generation;
    state->resolves = false;
    s->busy = false;
    if (state->has_taken) {
        resolve_taken(sm, s, state);
        return;
    }
    if (kept->ended.count) {
        struct threads ended;
        threads_copy(&ended, &kept->ended);
        end_threads(sm, s, &ended);
    }
    deliver(sm, s, kept->outcome, strand_table_current(&sm->strands, s->id, generation) ? kept->count : 0);
}

void resolve_straight(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    if (!s->busy || state->resolves)
        return;
    s->busy = false;
    if (UNLIKELY(!sm->ops->advance))
        deliver_route(sm, s, state->route_pc);
    else
        advance(sm, s, state);
}
