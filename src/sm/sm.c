/* A multiprocessor: storage, blocks, and the cycle. */
#include "sm/sm.h"

#include "base/arena.h"
#include "base/diag.h"
#include "sm/internal.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_NOTHING, IDLE_MEMORY, IDLE_STALL };

static const char *const idle_reasons[] = {"nothing ready", "memory", "busy"};

static void allocate(struct sm *sm, const struct sm_setup *setup)
{
    const uint32_t *n = setup->engine->launch->block;
    sm->rows_per_block = (int)((n[0] * n[1] * n[2] + ROW_LANES - 1) / ROW_LANES);
    sm->resident_capacity = setup->blocks;
    size_t rows = (size_t)sm->resident_capacity * (size_t)sm->rows_per_block, threads = rows * ROW_LANES;
    sm->residents = xcalloc((size_t)sm->resident_capacity, sizeof *sm->residents);
    sm->rows = xcalloc(rows, sizeof *sm->rows);
    sm->row_blocks = xcalloc(rows, sizeof *sm->row_blocks);
    sm->row_resident = xcalloc(rows, sizeof *sm->row_resident);
    sm->row_strands = xcalloc(rows, sizeof *sm->row_strands);
    sm->strand_capacity = (int)threads;
    sm->strands = xcalloc(threads, sizeof *sm->strands);
    sm->states = xcalloc(threads, sizeof *sm->states);
    sm->free_strands = xcalloc(threads, sizeof *sm->free_strands);
    sm->listed = xcalloc(threads, sizeof *sm->listed);
    for (int b = 0; b < sm->resident_capacity; b++) {
        struct resident *r = &sm->residents[b];
        r->first_row = b * sm->rows_per_block;
        r->block = block_create(setup->engine->launch, setup->engine->program, setup->engine->local_bytes);
        for (int i = 0; i < sm->rows_per_block; i++) {
            int32_t row = r->first_row + i;
            sm->rows[row] = &r->block->rows[i];
            sm->rows[row]->number = row;
            sm->row_blocks[row] = r->block;
            sm->row_resident[row] = b;
        }
    }
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        sm->unit_free[u] = xcalloc(sm->config->unit_count[u], sizeof *sm->unit_free[u]);
}

/* As the mechanism wants them, or the machine has them. */
static void cut_slices(struct sm *sm)
{
    uint32_t lanes = sm->host.slice_lanes ? (uint32_t)sm->host.slice_lanes : sm->config->slice_lanes;
    sm->slice_lanes = lanes < sm->config->warp_width ? lanes : sm->config->warp_width;
    sm->slices = sm->config->warp_width / sm->slice_lanes;
    sm->is_sliced = sm->slices > 1 && !sm->ideal;
    sm->has_gangs = sm->is_sliced && sm->host.gangs;
    sm->merges_accesses = sm->ideal || sm->is_sliced;
    for (int u = 0; u < SM_UNIT_COUNT && sm->has_gangs; u++)
        if (u != SM_LSU && u != SM_TEX) /* there is one memory, for all lanes */
            sm->slice_free[u] = xcalloc((size_t)sm->config->unit_count[u] * sm->slices, sizeof *sm->slice_free[u]);
}

/* While they have transactions: its own, or all. */
static uint32_t ports_of(const struct sm *sm, const struct plan_class *class)
{
    if (sm->config->memory_stage == SM_MEMORY_INLINE)
        return 1u << MEM_LOAD | 1u << MEM_CONSTANT | 1u << MEM_TEXTURE;
    return class->kind >= 0 ? 1u << class->kind : 0;
}

struct sm *sm_create(const struct sm_setup *setup, int index)
{
    struct sm *sm = xcalloc(1, sizeof *sm);
    sm->config = setup->config;
    sm->plans = setup->plans;
    sm->ops = setup->mechanism;
    sm->policy = setup->scheduler;
    sm->engine = setup->engine;
    sm->mem = setup->mem;
    sm->index = index;
    sm->sites = setup->sites;
    sm->trace = setup->trace;
    sm->now = setup->start;
    sm->settled = setup->start + 1;
    sm->next = sm->tick_cycle = SM_NEVER;
    sm->free_flight = -1;
    sm->passes = sm_passes(sm->config);
    sm->all_slots = UINT64_MAX >> (64 - sm->config->warp_width);
    sm->every_commit = sm->ops->flags & DIV_EVERY_INSTRUCTION;
    sm->mixes_blocks = sm->ops->flags & DIV_MIXES_BLOCKS;
    sm->ideal = sm->ops->flags & DIV_IDEAL_LANES;
    memset(sm->group_copy, SM_NO_COPY, sizeof sm->group_copy);
    for (int c = 0; c < sm->plans->class_count; c++)
        sm->class_ports[c] = ports_of(sm, &sm->plans->class[c]);
    sm->fetches = sm->config->fetch == SM_FETCH_CACHE;
    sm->host.program = setup->engine->program;
    sm->host.likely = setup->likely;
    sm->host.barriers = setup->barriers;
    wheel_open(&sm->wheel, setup->start);
    allocate(sm, setup);
    strands_init(sm);
    if (!sm->ideal && !div_is_in_step(sm->ops, setup->mechanism_knobs))
        sm->home = home_create(sm, setup->memory);
    step_init(&sm->step, setup->engine);
    sm->step.rows = sm->rows;
    sm->step.row_blocks = sm->row_blocks;
    sm->step.released = strands_released;
    sm->step.context = sm;
    sm->div = sm->ops->create(&sm->host, setup->mechanism_knobs);
    sm->tells_parts = sm->ops->memory && !sm->host.whole_loads;
    cut_slices(sm);
    /* Nobody asks for another strand of its port in the cycle, and nothing but registers keeps it from the next. */
    sm->stays_ready = sm->policy->in_place && !sm->ideal && !sm->is_sliced && !sm->fetches && !sm->every_commit;
    scoreboard_open(sm, (size_t)sm_row_count(sm));
    if (sm->fetches)
        sm->fetch = fetch_create(sm);
    sm->sched = sm->policy->create(&(struct sched_setup){.ports = (int)sm->config->schedulers,
                                                         .pools = sm->has_gangs ? 1 + (int)sm->slices : 1,
                                                         .group = (int)sm->config->scheduler_group,
                                                         .now = &sm->now});
    sm->marks = xcalloc((size_t)sm->host.program->insn_count + 1, 1);
    if (sm->ops->prepare)
        sm->ops->prepare(sm->div, sm->marks);
    return sm;
}

void sm_destroy(struct sm *sm)
{
    if (!sm)
        return;
    sm->ops->destroy(sm->div);
    sm->policy->destroy(sm->sched);
    fetch_destroy(sm->fetch);
    home_destroy(sm->home);
    scoreboard_close(sm);
    wheel_close(&sm->wheel);
    for (int b = 0; b < sm->resident_capacity; b++)
        block_destroy(sm->residents[b].block);
    for (int i = 0; i < sm->strand_capacity; i++)
        free(sm->states[i].outcome);
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        free(sm->unit_free[u]);
        free(sm->slice_free[u]);
    }
    free(sm->residents);
    free(sm->rows);
    free(sm->row_blocks);
    free(sm->row_resident);
    free(sm->row_strands);
    free(sm->strands);
    free(sm->states);
    free(sm->free_strands);
    free(sm->listed);
    free(sm->flights);
    free(sm->marks);
    free(sm);
}

int sm_barrier_width(const struct sm *sm)
{
    return sm->host.barrier_width;
}

/* ---- blocks ---- */

static int free_resident(const struct sm *sm)
{
    for (int b = 0; b < sm->resident_capacity; b++) {
        const struct resident *r = &sm->residents[b];
        if (!r->in_use && r->busy_until <= sm->now && !r->loads)
            return b;
    }
    return -1;
}

bool sm_has_room(const struct sm *sm)
{
    return sm->resident_count < sm->resident_capacity && free_resident(sm) >= 0;
}

int sm_resident(const struct sm *sm)
{
    return sm->resident_count;
}

void sm_launch(struct sm *sm, uint64_t block_number, uint64_t now)
{
    int b = free_resident(sm);
    struct resident *r = &sm->residents[b];
    sm_settle(sm, now);
    sm->now = sm->host.now = now;
    sm->open = now + 1;
    block_start(r->block, sm->engine->launch, sm->host.program, block_number);
    for (int i = 0; i < r->block->row_count; i++)
        r->block->rows[i].cohort_count = 0; /* the mechanism makes strands instead */
    r->in_use = true;
    r->threads = r->block->live_threads;
    r->age = block_number;
    sm->resident_count++;
    sm->resident_threads += (uint64_t)sm->rows_per_block * ROW_LANES;
    if (sm->home)
        home_launch(sm, r->first_row, sm->rows_per_block);
    trace_block_start(sm->trace, now, sm->index, block_number);
    sm->first_cycle_of_new = now + 1 + sm->config->launch_latency_cycles;
    sm->ops->launch(sm->div, b);
    sm_called(sm);
    sm->first_cycle_of_new = 0;
    sm->next = now + 1;
}

/* ---- the cycle ---- */

static void charge(struct sm *sm, uint64_t cycles, int kind)
{
    sm->stats.resident_thread_cycles += cycles * sm->resident_threads;
    *(kind == IDLE_MEMORY  ? &sm->stats.idle_memory_cycles
      : kind == IDLE_STALL ? &sm->stats.stall_cycles
                           : &sm->stats.idle_cycles) += cycles;
}

void sm_settle(struct sm *sm, uint64_t now)
{
    if (now <= sm->settled)
        return;
    charge(sm, now - sm->settled, sm->idle_kind);
    if (sm->resident_count)
        trace_stall(sm->trace, sm->settled, now, sm->index, idle_reasons[sm->idle_kind]);
    sm->stats.cycles += now - sm->settled;
    sm->settled = now;
}

/* What the mechanism holds, for the trace, wherever it may have changed; the trace keeps what did. */
static void note_state(struct sm *sm)
{
    if (!sm->ops->dump || !trace_wants(sm->trace, sm->now, sm->index))
        return;
    struct text state = {0};
    sm->ops->dump(sm->div, &state);
    trace_state(sm->trace, sm->now, sm->index, -1, state.data ? state.data : "");
    text_free(&state);
}

static void take_event(struct sm *sm, const struct event *e)
{
    struct strand *s;
    switch (e->kind) {
    case EVENT_TICK:
        if (sm->tick_cycle <= sm->now) {
            sm->tick_cycle = SM_NEVER;
            sm->idle_ticks++;
            sm->ops->tick(sm->div);
            sm_called(sm);
        }
        return;
    case EVENT_ROOM:
        return;
    case EVENT_FETCHED:
        fetch_done(sm, e->index, e->generation);
        return;
    default:
        s = strand_if_current(sm, e->index, e->generation);
        if (!s)
            return;
    }
    if (e->kind == EVENT_RESOLVE) {
        issue_resolve(sm, s);
    } else if (e->kind == EVENT_DONE) {
        if (sm->states[s->id].drains)
            strand_drain(sm, s);
        else
            issue_complete(sm, s);
    } else if (sm->states[s->id].wake_at == e->cycle) {
        strand_wake(sm, s);
    }
}

static bool ports_take(struct sm *sm, uint32_t ports)
{
    for (; ports; ports &= ports - 1)
        if (!mem_can_take(sm->mem, sm->index, (enum mem_kind)bits_lowest(ports), sm->now))
            return false;
    return true;
}

/* Bits of the classes that have ready strands, and whose unit or memory port cannot take an instruction now. */
static uint32_t blocked_classes(struct sm *sm)
{
    uint32_t blocked = 0;
    for (uint32_t left = sm->ready_classes; left; left &= left - 1) {
        int c = bits_lowest(left);
        bool busy = !sm->ideal && sm->unit_next[sm->plans->class[c].unit] > sm->now;
        if (busy || (sm->class_ports[c] && !ports_take(sm, sm->class_ports[c])))
            blocked |= 1u << c;
    }
    return blocked;
}

/* Home slots of the slices that the strand takes. */
static uint64_t slices_of(const struct sm *sm, const struct strand *s)
{
    uint32_t lanes = sm->slice_lanes;
    if (!sm->is_sliced)
        return UINT64_MAX;
    if (sm->has_gangs)
        return sm->states[s->id].slices;
    uint64_t slice = (UINT64_C(1) << lanes) - 1, taken = 0;
    for (uint32_t at = 0; at < sm->config->warp_width; at += lanes)
        if (s->slots >> at & slice)
            taken |= slice << at;
    return taken;
}

/* Issues a strand that fits, and that goes with what the cycle's group sends to memory. Threads issued; 0: there is none;
 * -1: a fault. */
static int issue_one(struct sm *sm, struct sched_ask *ask)
{
    struct strand *s;
    while ((s = sm->policy->pick(sm->sched, ask))) {
        int size = s->syncs ? 0 : s->size;
        const struct plan *p = sm_plan_of(sm, s);
        uint64_t taken = sm->ideal ? 0 : slices_of(sm, s);
        enum issue_result result = issue_strand(sm, s, ask->port);
        if (result == ISSUE_FAULT)
            return -1;
        if (result == ISSUE_REFUSED) {
            ask->blocked |= 1u << p->class;
            continue;
        }
        if (!sm->ideal && !sm->is_sliced && sm->unit_next[p->unit] > sm->now)
            ask->blocked |= sm->plans->classes_of_unit[p->unit];
        if (sm->group.is_open && !sm->merges_accesses) {
            access_send(sm);
            ask->blocked |= blocked_classes(sm);
        }
        sm->policy->issued(sm->sched, ask->port, s, sm->now);
        ask->free_slots &= ~taken;
        return size;
    }
    return 0;
}

/* Home slots of slices whose share of all copies of the unit is busy. */
static uint64_t busy_shares(const struct sm *sm, int unit)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < sm->slices; i++) {
        uint32_t copy = 0;
        while (copy < sm->config->unit_count[unit] && sm->slice_free[unit][copy * sm->slices + i] > sm->now)
            copy++;
        if (copy == sm->config->unit_count[unit])
            slots |= (uint64_t)bits_below(sm->slice_lanes) << i * sm->slice_lanes;
    }
    return slots;
}

/* Says in `ask` which slices' shares of units are busy. */
static void find_busy_shares(struct sm *sm, struct sched_ask *ask)
{
    bool is_busy = false;
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        uint64_t slots = sm->slice_free[u] && sm->slice_last[u] > sm->now ? busy_shares(sm, u) : 0;
        is_busy |= slots != 0;
        for (uint32_t left = sm->slice_free[u] ? sm->plans->classes_of_unit[u] : 0; left; left &= left - 1)
            sm->busy_slots[bits_lowest(left)] = slots;
    }
    ask->busy_slots = is_busy ? sm->busy_slots : NULL;
}

/* As many gangs as may, then a strand on each slice that they left; the first slice is another one in each cycle. Threads
 * issued, -1 after a fault. */
static int issue_gangs(struct sm *sm, struct sched_ask *ask)
{
    int threads = 0, issued = 1;
    ask->pool = 0;
    find_busy_shares(sm, ask);
    for (int gangs = 0; gangs < sm->host.gangs && issued > 0 && sm->pool_ready[ask->port][0]; gangs++) {
        issued = issue_one(sm, ask);
        threads += issued;
    }
    for (uint32_t i = 0; i < sm->slices && issued >= 0; i++) {
        uint32_t slice = (uint32_t)(sm->now + i) % sm->slices;
        ask->pool = 1 + (int)slice;
        if (!(ask->free_slots >> slice * sm->slice_lanes & 1) || !sm->pool_ready[ask->port][ask->pool])
            continue;
        issued = issue_one(sm, ask);
        threads += issued;
    }
    return issued < 0 ? -1 : threads;
}

/* Whether a ready strand's unit and memory port can take an instruction: then it is worth asking for one. */
static bool any_fits(const struct sm *sm, const struct sched_ask *ask)
{
    return sm->ready_classes & ~ask->blocked;
}

/* Issues what a port can; returns threads issued, -1 after a fault. */
static int issue_port(struct sm *sm, struct sched_ask *ask)
{
    int threads = 0, most = sm->ideal ? (int)sm->config->warp_width : INT32_MAX;
    ask->free_slots = sm->ideal ? UINT64_MAX : sm->all_slots;
    if (sm->has_gangs)
        return issue_gangs(sm, ask);
    while (sm->port_ready[ask->port] && threads < most && ask->free_slots && any_fits(sm, ask)) {
        uint64_t syncs = sm->stats.syncs;
        int issued = issue_one(sm, ask);
        if (issued < 0)
            return -1;
        if (!issued && sm->stats.syncs == syncs)
            return threads;
        threads += issued;
    }
    return threads;
}

/* The next port's group takes units of its own. */
static void end_group(struct sm *sm, struct sched_ask *ask)
{
    if (!sm->is_sliced)
        return;
    memset(sm->group_copy, SM_NO_COPY, sizeof sm->group_copy);
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        if (sm->unit_next[u] > sm->now)
            ask->blocked |= sm->plans->classes_of_unit[u];
}

static int issue_cycle(struct sm *sm)
{
    struct sched_ask ask = {.blocked = blocked_classes(sm), .now = sm->now};
    int total = 0;
    sm->issuing = true;
    for (uint32_t port = 0; port < sm->config->schedulers; port++) {
        ask.port = (int)port;
        int threads = issue_port(sm, &ask);
        if (threads < 0)
            return -1;
        sm->stats.issue_slots += threads > 0 ? sm->config->warp_width : 0;
        total += threads;
        end_group(sm, &ask);
    }
    access_send(sm);
    if (sm->ideal && total)
        sm->ideal_free = sm->now + sm->passes;
    return total;
}

/* The cycle at which it can do anything again, but for memory's events; what waits for memory ports is noted. */
static uint64_t find_next(struct sm *sm)
{
    uint64_t next = wheel_next(&sm->wheel);
    sm->waits_for = 0;
    for (uint32_t left = sm->ready_classes; left; left &= left - 1) {
        int c = bits_lowest(left);
        uint64_t unit = sm->ideal ? sm->ideal_free : sm->unit_next[sm->plans->class[c].unit];
        uint32_t held = 0;
        for (uint32_t ports = sm->class_ports[c]; ports; ports &= ports - 1) {
            enum mem_kind kind = (enum mem_kind)bits_lowest(ports);
            if (mem_kind_free(sm->mem, sm->index, kind, sm->now + 1) > sm->now + 1)
                held |= 1u << kind;
        }
        sm->waits_for |= held;
        if (!held)
            next = sm_earlier(next, sm_later(unit, sm->now + 1));
    }
    return next;
}

static void count_cycle(struct sm *sm, int threads)
{
    if (threads > 0) {
        int class = (threads - 1) / 4;
        sm->stats.issued_cycles[class < SM_WIDTH_CLASSES ? class : SM_WIDTH_CLASSES - 1]++;
        sm->stats.resident_thread_cycles += sm->resident_threads;
    } else if (sm->has_synced) {
        sm->stats.sync_cycles++;
        sm->stats.resident_thread_cycles += sm->resident_threads;
    } else {
        charge(sm, 1, sm->idle_kind);
        if (sm->resident_count)
            trace_stall(sm->trace, sm->now, sm->now + 1, sm->index, idle_reasons[sm->idle_kind]);
    }
    sm->settled = sm->now + 1;
    sm->stats.cycles++;
}

/* Only then is the memory system asked for them: one that runs ahead must not make it come along. */
static bool waits_for_replies(const struct sm *sm)
{
    return sm->memory_pending || sm->fetches;
}

enum sm_progress sm_cycle(struct sm *sm, uint64_t now, bool alone)
{
    struct event e;
    if (now > sm->settled)
        sm_settle(sm, now);
    sm->now = sm->host.now = sm->open = now;
    sm->was_called &= sm->is_stopped;
    sm->is_stopped = false;
    while (wheel_next(&sm->wheel) <= now) {
        wheel_take(&sm->wheel, &e);
        take_event(sm, &e);
    }
    if (waits_for_replies(sm) && mem_next_reply(sm->mem, sm->index) <= now)
        access_take_replies(sm);
    if (sm->fetches)
        fetch_cycle(sm);
    if (sm->trace)
        note_state(sm);
    if (alone && sm->ready_classes & sm->plans->port_classes) {
        sm->is_stopped = true; /* it goes on from here */
        return SM_STOPPED;
    }
    bool had_ready = sm->ready_count > 0;
    sm->has_synced = false;
    int threads = had_ready && sm->ideal_free <= now ? issue_cycle(sm) : 0;
    if (threads < 0)
        return SM_FAULT;
    sm->idle_kind = had_ready ? IDLE_STALL : sm->memory_pending ? IDLE_MEMORY : IDLE_NOTHING;
    count_cycle(sm, threads);
    bool issued = threads > 0 || sm->has_synced;
    sm->open = now + 1;
    sm->issuing = false;
    strands_evaluate_listed(sm);
    if (!issued && sm->ops->idle && !sm->host.never_idle && (!sm->was_idle || sm->was_called)) {
        sm->ops->idle(sm->div);
        sm_called(sm);
    }
    sm->was_idle = !issued;
    if (issued || sm->memory_pending)
        sm->idle_ticks = 0;
    if (sm->trace)
        note_state(sm);
    sm->next = find_next(sm);
    if (issued && sm->ops->idle && !sm->host.never_idle) /* the first idle cycle is to be seen */
        sm->next = now + 1;
    sm->idle_kind = sm->ready_count ? IDLE_STALL : sm->memory_pending ? IDLE_MEMORY : IDLE_NOTHING;
    return SM_DONE;
}

bool sm_is_alone(const struct sm *sm)
{
    return !sm->memory_pending && !sm->fetches && !(sm->ready_classes & sm->plans->port_classes);
}

enum sm_heed sm_heeds(const struct sm *sm)
{
    return sm->waits_for || sm->fetches ? SM_HEEDS_ALL : sm->memory_pending ? SM_HEEDS_REPLIES : SM_HEEDS_NOTHING;
}

uint64_t sm_next(struct sm *sm, uint64_t until)
{
    if (sm->is_stopped)
        return sm->now;
    if (sm->idle_ticks > SM_MAX_IDLE_TICKS) /* a mechanism that waits for itself is no progress */
        return SM_NEVER;
    uint64_t next = sm->fetches ? sm_earlier(sm->next, fetch_next(sm)) : sm->next;
    if (next <= sm->now + 1)
        return sm->now + 1;
    if (sm_heeds(sm) == SM_HEEDS_NOTHING)
        return next;
    uint32_t kinds = sm->waits_for | (sm->fetches && fetch_waits(sm) ? 1u << MEM_INSTRUCTION : 0);
    uint64_t news =
        mem_next_news(sm->mem, sm->index, waits_for_replies(sm), kinds, sm->now, sm_earlier(until, next));
    return sm_earlier(next, news);
}

/* ---- for others to look at ---- */

uint64_t sm_now(const struct sm *sm)
{
    return sm->now;
}

uint64_t sm_last_end(const struct sm *sm)
{
    return sm->last_end;
}

const struct sm_stats *sm_counters(const struct sm *sm)
{
    return &sm->stats;
}

const void *sm_mechanism_counters(struct sm *sm)
{
    sm->host.now = sm->settled; /* for what is counted by time */
    return sm->ops->counters ? sm->ops->counters(sm->div) : NULL;
}

int sm_strand_top(const struct sm *sm)
{
    return sm->strand_top;
}

const struct strand *sm_strand(const struct sm *sm, int32_t id)
{
    return sm->states[id].in_use ? &sm->strands[id] : NULL;
}

int sm_row_count(const struct sm *sm)
{
    return sm->resident_capacity * sm->rows_per_block;
}

const struct row *sm_row(const struct sm *sm, int32_t row)
{
    return sm->residents[sm->row_resident[row]].in_use ? sm->rows[row] : NULL;
}

const struct block *sm_row_block(const struct sm *sm, int32_t row)
{
    return sm->row_blocks[row];
}

int32_t sm_strand_of(const struct sm *sm, int32_t row, int lane)
{
    return strand_of_thread(sm, row, lane);
}

bool sm_comes(const struct sm *sm, int32_t row, int lane, uint64_t since)
{
    int32_t id = strand_of_thread(sm, row, lane);
    return (id >= 0 && sm->states[id].drains) || sm->ops->comes(sm->div, row, lane, since);
}

void sm_why(const struct sm *sm, int32_t strand, struct text *out)
{
    if (sm->states[strand].drains)
        text_printf(out, "until its instructions are done");
    else if (sm->ops->why)
        sm->ops->why(sm->div, &sm->strands[strand], out);
}

int32_t sm_where(const struct sm *sm, int32_t row, int lane)
{
    return sm->ops->where ? sm->ops->where(sm->div, row, lane) : PC_NONE;
}

void sm_dump_mechanism(const struct sm *sm, struct text *out)
{
    if (sm->ops->dump)
        sm->ops->dump(sm->div, out);
}
