/*
 * Strands of a multiprocessor: the interface through which mechanisms make and change them, which of them can issue,
 * and who has which thread.
 *
 * A thread is in at most one strand, and one that is in none belongs to the mechanism. Readiness is computed when
 * something changed, never by looking at all strands: a strand that cannot issue has either an event at the cycle from
 * which it can, or somebody who will evaluate it again (memory's reply, a barrier, the mechanism).
 */
#include "sm/scoreboard.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/rendezvous.h"

#include <string.h>

static struct sm *sm_of(struct div_host *host)
{
    return (struct sm *)host;
}

/* ---- readiness ---- */

static void unready(struct sm *sm, struct strand *s, struct strand_state *state)
{
    state->ready = false;
    sm->ready_count--;
    sm->port_ready[state->port]--;
    if (sm->traits.has_gangs)
        sm->pool_ready[state->port][state->pool]--;
    if (!--sm->class_ready[state->class])
        sm->ready_classes &= ~(1u << state->class);
    sm->policy->unready(sm->sched, s);
}

void strand_unready(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    if (state->ready)
        unready(sm, s, state);
}

static void become_ready(struct sm *sm, struct strand *s, int class)
{
    struct strand_state *state = &sm->states[s->id];
    if (state->ready && state->class == class)
        return;
    if (state->ready)
        unready(sm, s, state);
    state->ready = true;
    state->class = (uint8_t) class;
    sm->ready_count++;
    sm->port_ready[state->port]++;
    if (sm->traits.has_gangs) {
        state->pool = s->pool;
        sm->pool_ready[state->port][state->pool]++;
    }
    sm->class_ready[class]++;
    sm->ready_classes |= 1u << class;
    sm->policy->ready(sm->sched, s, class);
}

static void wake_later(struct sm *sm, struct strand *s, uint64_t cycle)
{
    struct strand_state *state = &sm->states[s->id];
    if (state->wake_at == cycle)
        return;
    state->wake_at = cycle;
    wheel_add(&sm->wheel, cycle, EVENT_WAKE, s->id, s->generation);
}

static bool is_kept(const struct strand *s)
{
    return s->held || s->parked || s->busy || !s->threads.count;
}

/* Nothing keeps it but, perhaps, fetch. */
static void finish_evaluation(struct sm *sm, struct strand *s)
{
    if (sm->traits.fetches && !s->syncs && !fetch_has(sm, s))
        strand_unready(sm, s);
    else
        become_ready(sm, s, sm_plan_of(sm, s)->class);
}

/* Inline: most strands are evaluated in strand_evaluate_at_once(). */
static ALWAYS_INLINE void evaluate(struct sm *sm, struct strand *s)
{
    if (is_kept(s)) {
        strand_unready(sm, s);
        return;
    }
    uint64_t when = s->syncs ? s->not_before : sm_later(s->not_before, scoreboard_clears(sm, s));
    if (when <= sm->open) {
        finish_evaluation(sm, s);
        return;
    }
    strand_unready(sm, s);
    if (when != SM_NEVER)
        wake_later(sm, s, when);
}

/* What it waited for is there, by the time of its last evaluation. Only simpler scoreboards may have something new: its
 * own lanes are nobody else's to write. */
void strand_wake(struct sm *sm, struct strand *s)
{
    sm->states[s->id].wake_at = 0;
    if (sm->by_warp)
        evaluate(sm, s);
    else if (!is_kept(s))
        finish_evaluation(sm, s);
}

/* While the cycle issues, what changes is listed: a strand issues once a cycle, and one that becomes ready by another's
 * issue does so in the next. */
void strand_evaluate(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    if (!sm->issuing) {
        if (state->in_use)
            evaluate(sm, s);
    } else if (!state->listed) {
        state->listed = true;
        sm->listed[sm->listed_count++] = s->id;
    }
}

void strand_evaluate_at_once(struct sm *sm, struct strand *s)
{
    evaluate(sm, s);
}

void strands_evaluate_listed(struct sm *sm)
{
    for (int i = 0; i < sm->listed_count; i++) {
        int32_t id = sm->listed[i];
        sm->states[id].listed = false;
        if (sm->states[id].in_use)
            evaluate(sm, &sm->strands[id]);
    }
    sm->listed_count = 0;
}

/* ---- who has which thread ---- */

int32_t strand_of_thread(const struct sm *sm, int32_t row, int lane)
{
    const struct row_strands *of = &sm->row_strands[row];
    for (int i = 0; i < of->count; i++)
        if (threads_of_row(&sm->strands[of->id[i]].threads, row) >> lane & 1)
            return of->id[i];
    return -1;
}

/* The strand's place in the row's list; -1: the strand is not in it. */
static int place_in_row(const struct sm *sm, int32_t row, int32_t id)
{
    const struct row_strands *of = &sm->row_strands[row];
    for (int i = 0; i < of->count; i++)
        if (of->id[i] == id)
            return i;
    return -1;
}

static void leave_row(struct sm *sm, int32_t row, int32_t id)
{
    struct row_strands *of = &sm->row_strands[row];
    int place = place_in_row(sm, row, id);
    if (place < 0)
        panic("under %s strand %d leaves row %d, where it has no thread", sm->ops->name, id, row);
    of->id[place] = of->id[--of->count];
}

/* It had no thread of the row. */
static void enter_row(struct sm *sm, int32_t row, int32_t id)
{
    struct row_strands *of = &sm->row_strands[row];
    if (of->count == ROW_LANES)
        panic("under %s a thread of row %d is in two strands", sm->ops->name, row);
    of->id[of->count++] = (int16_t)id;
}

/* Threads of a row in the order of home slots: warps narrower than a row lie side by side in it, and wider ones take
 * several rows, counted from the first of the block. */
static uint64_t host_slots(struct div_host *host, int32_t row, uint32_t lanes)
{
    const struct sm *sm = sm_of(host);
    unsigned width = (unsigned)host->facts.width;
    if (host->facts.slots_are_lanes)
        return lanes;
    unsigned rows = (unsigned)sm->rows_per_block, resident = (unsigned)row / rows;
    unsigned first = ((unsigned)row - resident * rows) * ROW_LANES; /* thread of the block */
    unsigned warps = (rows * ROW_LANES + width - 1) / width;
    uint64_t slots = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned thread = first + (unsigned)bits_lowest(left);
        unsigned turn = sm->config->lane_swizzle ? resident * warps + thread / width : 0;
        slots |= UINT64_C(1) << (thread + turn) % width;
    }
    return slots;
}

/* The same for threads that are bound to a lane only: they take free slots of it. */
static uint64_t lane_slots(struct sm *sm, uint64_t taken, int32_t row, uint32_t lanes)
{
    int lane_count = sm->wants.home_lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int slot = __builtin_ctzll(host_slots(&sm->host, row, left & -left)) % lane_count;
        while (slot < sm->host.facts.width && taken >> slot & 1)
            slot += lane_count;
        if (slot < sm->host.facts.width)
            taken |= UINT64_C(1) << slot;
    }
    return taken;
}

static bool is_bound_to_slots(const struct sm *sm)
{
    return !sm->wants.home_lanes || sm->wants.home_lanes == sm->host.facts.width;
}

static void find_slices(const struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    int first = 0;
    s->slices = 0;
    state->slices = 0;
    for (uint32_t i = sm->slices; i-- > 0;)
        if (s->slots >> i * sm->slice_lanes & bits_below(sm->slice_lanes)) {
            s->slices++;
            state->slices |= (uint64_t)bits_below(sm->slice_lanes) << i * sm->slice_lanes;
            first = (int)i;
        }
    s->pool = (uint8_t)(s->slices == 1 ? 1 + first : 0);
}

/* The slots of threads whose home slots are not their lanes. */
static uint64_t slots_of(struct sm *sm, const struct threads *t)
{
    uint64_t slots = 0;
    for (int i = 0; i < t->count; i++)
        if (is_bound_to_slots(sm))
            slots |= host_slots(&sm->host, t->part[i].row, t->part[i].mask);
        else
            slots = lane_slots(sm, slots, t->part[i].row, t->part[i].mask);
    return slots;
}

/* Its slots and its size; `lanes` are those of its parts together. */
static void find_slots(struct sm *sm, struct strand *s, uint32_t lanes)
{
    bool are_lanes = sm->host.facts.slots_are_lanes && is_bound_to_slots(sm);
    s->slots = are_lanes ? lanes : slots_of(sm, &s->threads);
    s->size = are_lanes ? bits_count(lanes) : threads_size(&s->threads);
    s->lanes = are_lanes || bits_count(lanes) == s->size ? lanes : 0;
    if (sm->traits.has_gangs)
        find_slices(sm, s);
}

void strand_lose(struct sm *sm, struct strand *s, int32_t row, uint32_t mask)
{
    uint32_t lanes = 0;
    threads_remove(&s->threads, row, mask);
    for (int i = 0; i < s->threads.count; i++)
        lanes |= s->threads.part[i].mask;
    find_slots(sm, s, lanes);
    if (!threads_of_row(&s->threads, row))
        leave_row(sm, row, s->id);
}

/* It has got its threads. */
static void describe(struct sm *sm, struct strand *s, uint32_t lanes)
{
    if (!s->threads.count)
        return;
    s->block = sm->row_resident[s->threads.part[0].row];
    s->block_age = sm->residents[s->block].age;
    find_slots(sm, s, lanes);
}

/* ---- what mechanisms call ---- */

static int32_t new_number(struct sm *sm)
{
    int32_t id = sm->strand_top++;
    if (id >= sm->strand_capacity)
        panic("the mechanism %s makes more strands than there are threads", sm->ops->name);
    memset(&sm->strands[id], 0, sizeof *sm->strands);
    memset(&sm->states[id], 0, sizeof *sm->states);
    memset(&sm->pending_branches[id], 0, sizeof *sm->pending_branches);
    return id;
}

static struct strand *host_create(struct div_host *host, int32_t pc, int32_t depth, const struct threads *threads,
                                  int32_t lineage)
{
    struct sm *sm = sm_of(host);
    int32_t id = sm->free_count ? sm->free_strands[--sm->free_count] : new_number(sm);
    struct strand *s = &sm->strands[id];
    struct strand_state *state = &sm->states[id];
    s->generation++;
    s->id = id;
    s->pc = pc;
    s->depth = depth;
    s->lineage = lineage;
    s->birth = sm->births++;
    s->not_before = sm_later(sm->now + 1, sm->first_cycle_of_new);
    s->key = 0;
    s->side = 0;
    s->syncs = 0;
    s->busy = s->held = s->parked = false;
    s->waiting = 0;
    state->in_use = true;
    state->port = (uint8_t)((uint32_t)lineage % sm->config->schedulers);
    state->ready = state->resolves = state->fetching = state->drains = false;
    state->wake_at = state->done_at = 0;
    state->loads = 0;
    state->buffered = 0;
    sm->live_strands++;
    uint32_t lanes = 0;
    s->threads.count = threads->count;
    for (int i = 0; i < threads->count; i++) {
        struct part part = s->threads.part[i] = threads->part[i];
        enter_row(sm, part.row, id);
        lanes |= part.mask;
    }
    describe(sm, s, lanes);
    scoreboard_take_over(sm, s);
    sm->policy->added(sm->sched, s);
    strand_evaluate(sm, s);
    return s;
}

/* Not inline: most strands are assigned what they have. */
static __attribute__((noinline)) void change_threads(struct sm *sm, struct strand *s, const struct threads *threads)
{
    int kept = 0; /* parts whose row it has; mostly some rows go, or come behind those that stay */
    bool reordered = false;
    for (int i = 0; i < s->threads.count; i++) {
        int32_t row = s->threads.part[i].row;
        if (kept < threads->count && threads->part[kept].row == row)
            kept++;
        else if (!threads_of_row(threads, row))
            leave_row(sm, row, s->id);
        else
            reordered = true;
    }
    uint32_t lanes = 0;
    scoreboard_leave(sm, s);
    s->threads.count = threads->count;
    for (int i = 0; i < threads->count; i++) {
        struct part part = s->threads.part[i] = threads->part[i];
        lanes |= part.mask;
        if (i >= kept && (!reordered || place_in_row(sm, part.row, s->id) < 0))
            enter_row(sm, part.row, s->id);
    }
    describe(sm, s, lanes);
    scoreboard_take_over(sm, s);
}

static void host_assign(struct div_host *host, struct strand *s, int32_t pc, int32_t depth,
                        const struct threads *threads)
{
    struct sm *sm = sm_of(host);
    struct strand_state *state = &sm->states[s->id];
    if (state->ready)
        unready(sm, s, state);
    if (s->busy)
        panic("%s changes strand %d while its instruction is under way", sm->ops->name, s->id);
    if (threads != &s->threads)
        change_threads(sm, s, threads);
    s->pc = pc;
    s->depth = depth;
    s->syncs = 0;
    strand_evaluate(sm, s);
}

static void host_set_syncs(struct div_host *host, struct strand *s, int count)
{
    s->syncs = (uint16_t)count;
    strand_evaluate(sm_of(host), s);
}

static void host_retire(struct div_host *host, struct strand *s)
{
    struct sm *sm = sm_of(host);
    strand_unready(sm, s);
    if (s->busy)
        panic("%s retires strand %d while its instruction is under way", sm->ops->name, s->id);
    sm->policy->removed(sm->sched, s);
    scoreboard_leave(sm, s);
    for (int i = 0; i < s->threads.count; i++)
        leave_row(sm, s->threads.part[i].row, s->id);
    s->threads.count = 0;
    s->generation++;
    sm->states[s->id].in_use = false;
    sm->live_strands--;
    sm->free_strands[sm->free_count++] = s->id;
}

static void host_park(struct div_host *host, struct strand *s)
{
    s->parked = true;
    strand_unready(sm_of(host), s);
}

static void host_unpark(struct div_host *host, struct strand *s)
{
    s->parked = false;
    strand_evaluate(sm_of(host), s);
}

static bool host_drain(struct div_host *host, struct strand *s)
{
    struct sm *sm = sm_of(host);
    struct strand_state *state = &sm->states[s->id];
    if (!state->loads && state->done_at <= sm->now)
        return true;
    host_park(host, s);
    state->drains = true;
    if (!state->loads)
        wheel_add(&sm->wheel, state->done_at, EVENT_DONE, s->id, s->generation);
    return false;
}

void strand_drain(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    if (!state->drains || state->loads)
        return;
    if (state->done_at > sm->now) {
        wheel_add(&sm->wheel, state->done_at, EVENT_DONE, s->id, s->generation);
        return;
    }
    state->drains = false;
    sm->ops->drained(sm->div, s);
    sm_called(sm);
}

static void host_block_rows(struct div_host *host, int32_t block, int32_t *first, int32_t *count)
{
    struct sm *sm = sm_of(host);
    *first = sm->residents[block].first_row;
    *count = sm->rows_per_block;
}

static int32_t host_row_block(struct div_host *host, int32_t row)
{
    return sm_of(host)->row_resident[row];
}

static uint32_t host_row_live(struct div_host *host, int32_t row)
{
    return sm_of(host)->rows[row]->live;
}

static uint32_t host_row_running(struct div_host *host, int32_t row)
{
    struct sm *sm = sm_of(host);
    const struct row_strands *of = &sm->row_strands[row];
    uint32_t running = 0;
    for (int i = 0; i < of->count; i++)
        if (!sm->strands[of->id[i]].parked)
            running |= threads_of_row(&sm->strands[of->id[i]].threads, row);
    return running;
}

static uint32_t host_row_waiting(struct div_host *host, int32_t row)
{
    const struct row *r = sm_of(host)->rows[row];
    uint32_t waiting = 0;
    for (int i = 0; i < r->cohort_count; i++)
        waiting |= r->cohort[i].mask;
    return waiting;
}

static bool host_waits_for(struct div_host *host, int32_t row, uint32_t lanes, uint32_t goal)
{
    struct sm *sm = sm_of(host);
    return rendezvous_waits_for(sm->engine, sm->rows[row], lanes, goal);
}

static void host_tick_at(struct div_host *host, uint64_t cycle)
{
    struct sm *sm = sm_of(host);
    cycle = sm_later(cycle, sm->now + 1);
    if (cycle >= sm->tick_cycle)
        return;
    sm->tick_cycle = cycle;
    wheel_add(&sm->wheel, cycle, EVENT_TICK, 0, 0);
}

static void host_share(struct div_host *host, int32_t row, uint32_t lanes)
{
    scoreboard_share(sm_of(host), row, lanes);
}

void strands_init(struct sm *sm)
{
    sm->host.sm = sm;
    sm->host.facts.width = (int)sm->config->warp_width;
    sm->host.facts.simd_width = (int)sm->config->simd_width;
    sm->host.facts.slots_are_lanes = sm->config->warp_width == ROW_LANES && !sm->config->lane_swizzle;
    sm->host.facts.schedulers = (int)sm->config->schedulers;
    sm->host.calls.create = host_create;
    sm->host.calls.assign = host_assign;
    sm->host.calls.retire = host_retire;
    sm->host.calls.set_syncs = host_set_syncs;
    sm->host.calls.park = host_park;
    sm->host.calls.unpark = host_unpark;
    sm->host.calls.drain = host_drain;
    sm->host.calls.block_rows = host_block_rows;
    sm->host.calls.row_block = host_row_block;
    sm->host.calls.row_live = host_row_live;
    sm->host.calls.row_running = host_row_running;
    sm->host.calls.row_waiting = host_row_waiting;
    sm->host.calls.waits_for = host_waits_for;
    sm->host.calls.slots = host_slots;
    sm->host.calls.tick_at = host_tick_at;
    sm->host.calls.fork = host_share;
    sm->host.calls.join = host_share;
}

/* ---- barriers ---- */

void strands_deliver_loose(struct sm *sm)
{
    int count = sm->loose_count;
    sm->loose_count = 0;
    for (int i = 0; i < count && sm->ops->released; i++) {
        sm->ops->released(sm->div, sm->loose[i].pc, sm->loose[i].depth, &sm->loose[i].threads);
        sm_called(sm);
    }
}

static void add_loose(struct sm *sm, int32_t row, int32_t pc, int32_t depth, uint32_t mask)
{
    int i = 0;
    while (i < sm->loose_count && (sm->loose[i].pc != pc || sm->loose[i].depth != depth))
        i++;
    if (i == SM_MAX_LOOSE) {
        strands_deliver_loose(sm);
        i = 0;
    }
    struct outcome *o = &sm->loose[i];
    if (i == sm->loose_count) {
        sm->loose_count++;
        o->pc = pc;
        o->depth = depth;
        o->threads.count = 0;
    }
    threads_add(&o->threads, row, mask);
}

/* A barrier or rendezvous let threads go. Those in strands count down what their strand waits for. */
void strands_released(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask)
{
    struct sm *sm = context;
    const struct row_strands *of = &sm->row_strands[row];
    struct strand *open[ROW_LANES];
    int open_count = 0;
    for (int i = 0; i < of->count; i++) {
        struct strand *s = &sm->strands[of->id[i]];
        uint32_t own = threads_of_row(&s->threads, row) & mask;
        if (!own)
            continue;
        mask &= ~own;
        s->waiting -= bits_count(own);
        if (s == sm->executing)
            threads_add(&sm->passed, row, own);
        else if (s->held && s->waiting == 0)
            open[open_count++] = s;
    }
    for (int i = 0; i < open_count; i++) /* the mechanism may change the row's strands */
        issue_pass(sm, open[i], pc, depth);
    if (mask)
        add_loose(sm, row, pc, depth, mask);
}

/* ---- checks ---- */

void strands_check(const struct sm *sm)
{
    for (int32_t row = 0; row < sm->resident_capacity * sm->rows_per_block; row++) {
        const struct row_strands *of = &sm->row_strands[row];
        uint32_t seen = 0;
        for (int i = 0; i < of->count; i++) {
            const struct strand *s = &sm->strands[of->id[i]];
            uint32_t mask = threads_of_row(&s->threads, row);
            if (!sm->states[s->id].in_use || !mask || seen & mask)
                panic("strand %d of row %d is gone, empty there, or shares a thread", s->id, row);
            seen |= mask;
        }
    }
    for (int i = 0; i < sm->strand_top; i++) {
        const struct strand *s = &sm->strands[i];
        int slots = 0;
        for (uint64_t left = s->slots; left; left &= left - 1)
            slots++;
        if (sm->states[i].in_use && s->threads.count && slots != threads_size(&s->threads))
            panic("threads of strand %d share a home slot", i);
    }
    if (sm->ops->check)
        sm->ops->check(sm->div);
}
