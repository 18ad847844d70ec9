/* The calls of struct div_host, with which a mechanism creates, changes and retires strands; div/contract/div.h says
 * what each call means. After each change the strand's readiness is found anew. */
#include "sm/host.h"

#include "base/diag.h"
#include "exec/engine.h"
#include "exec/rendezvous.h"
#include "sm/internal.h"

/* `host` is the first field of struct sm. */
static struct sm *sm_of(struct div_host *host)
{
    return (struct sm *)host;
}

/* ---- strands ---- */

struct strand *host_make_strand(struct sm *sm, int32_t pc, int32_t depth, int32_t lineage)
{
    int32_t id = strand_table_take(&sm->strands);
    if (id < 0)
        panic("the mechanism %s makes more strands than there are threads", sm->ops->name);
    struct strand *s = &sm->strands.at[id];
    struct strand_state *state = &sm->strands.state[id];
    s->pc = pc;
    s->depth = depth;
    s->lineage = lineage;
    s->birth = sm->strands.births++;
    s->age_rank = sm->traits.mixes_blocks ? 0 : lineage;
    s->not_before = sm_later(sm->now + 1, sm->strands.first_cycle_of_new);
    s->key = 0;
    s->side = 0;
    s->syncs = 0;
    s->busy = s->held = s->parked = false;
    s->waiting = 0;
    state->port = (uint8_t)sched_port(lineage, (int)sm->config->schedulers);
    state->ready = state->resolves = state->drains = false;
    state->buffer.is_fetching = false;
    state->buffer.decoded = 0;
    state->wake_at = state->pending.done_at = 0;
    state->pending.loads = 0;
    return s;
}

/* `from`: the strand whose instruction buffer the new one keeps; NULL: none. */
static struct strand *create(struct sm *sm, int32_t pc, int32_t depth, const struct threads *threads, int32_t lineage,
                             const struct strand *from)
{
    struct strand *s = host_make_strand(sm, pc, depth, lineage);
    if (from && sm->host.facts.bundles) /* threads that leave a bundle issue as if they had been alone */
        s->not_before = from->not_before;
    thread_map_enter(sm, s, threads);
    sm->policy->added(sm->sched, s);
    if (from && sm->traits.fetches)
        fetch_split(sm, s, from);
    readiness_evaluate(sm, s);
    return s;
}

static struct strand *host_create(struct div_host *host, int32_t pc, int32_t depth, const struct threads *threads,
                                  int32_t lineage)
{
    return create(sm_of(host), pc, depth, threads, lineage, NULL);
}

static struct strand *host_split(struct div_host *host, const struct strand *from, int32_t pc, int32_t depth,
                                 const struct threads *threads)
{
    return create(sm_of(host), pc, depth, threads, from->lineage, from);
}

/* host_assign() in all cases. Apart, so that the most frequent one needs no stack frame. */
static __attribute__((noinline)) void assign(struct sm *sm, struct strand *s, int32_t pc, int32_t depth,
                                             const struct threads *threads)
{
    struct strand_state *state = &sm->strands.state[s->id];
    /* Most strands are assigned the threads that they have. */
    const bool is_same = threads == &s->threads || threads_are_same(threads, &s->threads);
    if (state->backlog && !(is_same && pc == backlog_end(sm, s, state)))
        backlog_execute(sm, s, state);
    if (state->ready)
        readiness_clear(sm, s);
    if (s->busy)
        panic("%s changes strand %d while its instruction is in flight", sm->ops->name, s->id);
    if (sm->traits.fetches)
        fetch_note_assign(sm, s);
    if (!is_same)
        thread_map_change(sm, s, threads);
    s->pc = pc;
    s->depth = depth;
    s->syncs = 0;
    readiness_evaluate(sm, s);
}

static void host_assign(struct div_host *host, struct strand *s, int32_t pc, int32_t depth,
                        const struct threads *threads)
{
    struct sm *sm = sm_of(host);
    if (threads != &s->threads) {
        assign(sm, s, pc, depth, threads);
        return;
    }
    const struct strand_state *state = &sm->strands.state[s->id];
    const bool is_on_route = !state->backlog || (sm->traits.every_commit && pc == state->route_pc);
    if (!is_on_route || state->ready || s->busy || sm->traits.fetches) {
        assign(sm, s, pc, depth, threads);
        return;
    }
    s->pc = pc;
    s->depth = depth;
    s->syncs = 0;
    readiness_evaluate(sm, s);
}

static void host_set_syncs(struct div_host *host, struct strand *s, int count)
{
    s->syncs = (uint16_t)count;
    readiness_evaluate(sm_of(host), s);
}

static void host_retire(struct div_host *host, struct strand *s)
{
    struct sm *sm = sm_of(host);
    backlog_empty(sm, s, &sm->strands.state[s->id]);
    readiness_clear(sm, s);
    if (s->busy)
        panic("%s retires strand %d while its instruction is in flight", sm->ops->name, s->id);
    sm->policy->removed(sm->sched, s);
    thread_map_leave(sm, s);
    strand_table_put_back(&sm->strands, s->id);
}

static void host_merge(struct div_host *host, struct strand *s, struct strand *from, const struct threads *threads)
{
    struct sm *sm = sm_of(host);
    if (sm->traits.fetches)
        fetch_merge(sm, s, from);
    host_retire(host, from);
    host_assign(host, s, s->pc, s->depth, threads);
}

static void host_hold(struct div_host *host, struct strand *s, uint64_t cycle)
{
    if (cycle <= s->not_before)
        return;
    s->not_before = cycle;
    readiness_clear(sm_of(host), s);
    readiness_evaluate(sm_of(host), s);
}

static void host_let_go(struct div_host *host, struct strand *s)
{
    s->not_before = sm_of(host)->now;
    readiness_evaluate(sm_of(host), s);
}

static void host_park(struct div_host *host, struct strand *s)
{
    s->parked = true;
    readiness_clear(sm_of(host), s);
}

static void host_unpark(struct div_host *host, struct strand *s)
{
    s->parked = false;
    readiness_evaluate(sm_of(host), s);
}

static bool host_drain(struct div_host *host, struct strand *s)
{
    struct sm *sm = sm_of(host);
    struct strand_state *state = &sm->strands.state[s->id];
    if (!state->pending.loads && state->pending.done_at <= sm->now)
        return true;
    host_park(host, s);
    state->drains = true;
    if (!state->pending.loads)
        wheel_add(&sm->wheel, state->pending.done_at, EVENT_DONE, s->id, s->generation);
    return false;
}

void host_check_drain(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    if (!state->drains || state->pending.loads)
        return;
    if (state->pending.done_at > sm->now) {
        wheel_add(&sm->wheel, state->pending.done_at, EVENT_DONE, s->id, s->generation);
        return;
    }
    state->drains = false;
    sm->ops->drained(sm->div, s);
    sm_called(sm);
}

/* ---- rows and blocks ---- */

static void host_block_rows(struct div_host *host, int32_t block, int32_t *first, int32_t *count)
{
    struct sm *sm = sm_of(host);
    *first = sm->residents.at[block].first_row;
    *count = sm->residents.rows_per_block;
}

static int32_t host_row_block(struct div_host *host, int32_t row)
{
    return sm_of(host)->residents.place_of_row[row];
}

static uint32_t host_row_live(struct div_host *host, int32_t row)
{
    return sm_of(host)->residents.rows[row]->live;
}

static uint32_t host_row_running(struct div_host *host, int32_t row)
{
    struct sm *sm = sm_of(host);
    const struct row_strands *of = &sm->map.rows[row];
    uint32_t running = 0;
    for (uint32_t left = of->lowest; left; left &= left - 1)
        if (!sm->strands.at[of->id[bits_lowest(left)]].parked)
            running |= of->lanes[bits_lowest(left)];
    return running;
}

static uint32_t host_row_waiting(struct div_host *host, int32_t row)
{
    const struct row *r = sm_of(host)->residents.rows[row];
    uint32_t waiting = 0;
    for (int i = 0; i < r->cohort_count; i++)
        waiting |= r->cohort[i].mask;
    return waiting;
}

static bool host_waits_for(struct div_host *host, int32_t row, uint32_t lanes, uint32_t goal)
{
    struct sm *sm = sm_of(host);
    return rendezvous_waits_for(sm->engine, sm->residents.rows[row], lanes, goal);
}

static uint64_t host_slots(struct div_host *host, int32_t row, uint32_t lanes)
{
    return thread_map_slots(sm_of(host), row, lanes);
}

/* ---- time and registers ---- */

/* A mechanism asks for a later tick again behind each earlier one. The wheel still has the event of the later tick, so
 * none is added: far events go through a heap. */
static void host_tick_at(struct div_host *host, uint64_t cycle)
{
    struct sm *sm = sm_of(host);
    struct cycle_state *c = &sm->cycle;
    cycle = sm_later(cycle, sm->now + 1);
    if (cycle >= c->tick_at)
        return;
    if (cycle != c->later_tick)
        wheel_add(&sm->wheel, cycle, EVENT_TICK, 0, 0);
    if (c->tick_at != SM_NEVER)
        c->later_tick = c->tick_at;
    c->tick_at = cycle;
}

static int host_ready(struct div_host *host)
{
    return readiness_count(&sm_of(host)->ready);
}

static uint64_t host_thread_instructions(struct div_host *host)
{
    return sm_of(host)->stats.thread_instructions;
}

static void host_spill(struct div_host *host, const struct div_spill *move)
{
    spill_add(sm_of(host), move);
}

static bool host_awaits_load(struct div_host *host, int32_t pc, const struct threads *threads)
{
    struct sm *sm = sm_of(host);
    return scoreboard_awaits_load(&sm->scoreboard, threads, &sm->plans->at[pc]);
}

static void host_begin_phase(struct div_host *host, int32_t row, uint32_t lanes)
{
    readiness_begin_phase(sm_of(host), row, lanes);
}

void host_open(struct sm *sm)
{
    sm->host.sm = sm;
    sm->host.facts.width = (int)sm->config->warp_width;
    sm->host.facts.simd_width = (int)sm->config->simd_width;
    sm->host.facts.slots_are_lanes = sm->config->warp_width == ROW_LANES && !sm->config->lane_swizzle;
    sm->host.facts.schedulers = (int)sm->config->schedulers;
    sm->host.facts.orders_by_key = sm->policy->by_key;
    sm->host.facts.stack_syncs = (enum div_stack_syncs)sm->config->stack_syncs;
    sm->host.calls.create = host_create;
    sm->host.calls.split = host_split;
    sm->host.calls.assign = host_assign;
    sm->host.calls.merge = host_merge;
    sm->host.calls.retire = host_retire;
    sm->host.calls.set_syncs = host_set_syncs;
    sm->host.calls.hold = host_hold;
    sm->host.calls.let_go = host_let_go;
    sm->host.calls.park = host_park;
    sm->host.calls.unpark = host_unpark;
    sm->host.calls.drain = host_drain;
    sm->host.calls.block_rows = host_block_rows;
    sm->host.calls.row_block = host_row_block;
    sm->host.calls.row_live = host_row_live;
    sm->host.calls.row_running = host_row_running;
    sm->host.calls.row_waiting = host_row_waiting;
    sm->host.calls.waits_for = host_waits_for;
    sm->host.calls.awaits_load = host_awaits_load;
    sm->host.calls.slots = host_slots;
    sm->host.calls.tick_at = host_tick_at;
    sm->host.calls.thread_instructions = host_thread_instructions;
    sm->host.calls.ready = host_ready;
    sm->host.calls.spill = host_spill;
    sm->host.calls.fork = host_begin_phase;
    sm->host.calls.join = host_begin_phase;
}
