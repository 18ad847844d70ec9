/* A multiprocessor: creation, launch of blocks, and what other folders may look at. The cycle is in cycle.c. */
#include "sm/sm.h"

#include "base/arena.h"
#include "exec/cluster.h"
#include "exec/engine.h"
#include "exec/taping.h"
#include "sm/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- creation ---- */

static void bind_setup(struct sm *sm, const struct sm_setup *setup, int index)
{
    sm->config = setup->config;
    sm->plans = setup->plans;
    sm->ops = setup->mechanism;
    sm->policy = setup->scheduler;
    sm->engine = setup->engine;
    sm->mem = setup->mem;
    sm->cycle.memory = &mem_times(setup->mem)[index];
    sm->ideal_memory = setup->ideal_memory;
    sm->index = index;
    sm->sites = setup->sites;
    sm->trace = setup->trace;
    sm->observer = setup->observer && setup->observer->sm == index ? setup->observer : NULL;
    sm->host.facts.program = setup->program;
    sm->host.facts.likely = setup->likely;
    sm->host.facts.barriers = setup->barriers;
}

/* The most blocks that are on the multiprocessor at one time, which is how many places for blocks it needs. The
 * dispatcher gives the first blocks, or clusters, out one by one to all multiprocessors in turn (gpu/dispatch.h), so a
 * grid that fits on the machine at once leaves all with about equally many. */
static int most_blocks(const struct sm_setup *setup)
{
    uint32_t cluster[3];
    launch_cluster(setup->engine->launch, cluster);
    uint64_t size = (uint64_t)cluster[0] * cluster[1] * cluster[2], clusters = (setup->grid_blocks + size - 1) / size;
    uint64_t each = (clusters + (uint64_t)setup->sm_count - 1) / (uint64_t)setup->sm_count * size;
    return each < (uint64_t)setup->blocks ? (int)each : setup->blocks;
}

/* Opens the parts whose sizes do not depend on the mechanism. */
static void open_parts(struct sm *sm, const struct sm_setup *setup)
{
    const uint32_t *n = setup->engine->launch->block;
    int rows_per_block = (int)((n[0] * n[1] * n[2] + ROW_LANES - 1) / ROW_LANES);
    int blocks = most_blocks(setup), rows = blocks * rows_per_block, threads = rows * ROW_LANES;
    sm->now = setup->start;
    sm->cycle.settled = sm->cycle.counted = setup->start + 1;
    sm->cycle.next = sm->cycle.tick_at = SM_NEVER;
    wheel_open(&sm->wheel, setup->start);
    units_open(&sm->units, sm->config, setup->storage);
    for (int i = 0; i < setup->plans->class_count; i++)
        sm->units.of_class[i] = (uint8_t)setup->plans->class[i].unit;
    sm->units.classes_of = setup->plans->classes_of_unit;
    if (sm->traits.least_time) {
        sm->units.passes = 1; /* a mechanism may need fewer passes than a whole strand (scc) */
        limits_open(&sm->limits, sm->config, blocks);
        sm->limits.has_one_block = setup->grid_blocks <= (uint64_t)setup->sm_count;
    }
    residents_open(&sm->residents, blocks, rows_per_block, setup->storage);
    strand_table_open(&sm->strands, threads, setup->storage);
    thread_map_open(&sm->map, rows, setup->storage);
    readiness_open(&sm->ready, threads, setup->storage);
    flights_open(&sm->flights);
    host_open(sm);
    step_init(&sm->step, setup->engine);
    sm->step.rows = sm->residents.rows;
    sm->step.row_blocks = sm->residents.row_blocks;
    sm->step.released = releases_take;
    sm->step.context = sm;
    if (sm->traits.has_async) {
        async_open(&sm->async, rows, sm->config->unit_count[SM_TENSOR]);
        copies_open(sm, rows);
    }
}

/* The traits that follow from the machine and the mechanism's flags. A fetch for each thread of ideal lanes would be no
 * bound, so ideal lanes have every instruction at hand. */
static void find_first_traits(struct sm *sm)
{
    struct sm_traits *t = &sm->traits;
    t->every_commit = sm->ops->flags & DIV_EVERY_INSTRUCTION;
    t->mixes_blocks = sm->ops->flags & DIV_MIXES_BLOCKS;
    t->ideal = sm->ops->flags & DIV_IDEAL_LANES;
    t->least_time = t->ideal && sm->ops->flags & DIV_LEAST_TIME;
    t->fetches = sm->config->fetch == SM_FETCH_CACHE && !t->ideal;
    t->is_traced = sm->trace || sm->observer;
    t->is_taped = sm->engine->taping;
    t->sets_cost = sm->ops->issue_cost;
    t->has_async = sm->plans->has_async;
    /* A replay has no values that could be compared. */
    bool is_replay = sm->engine->taping && !sm->engine->taping->keep;
    t->checks_scalar = sm->config->scalar == SM_SCALAR_CHECKED && !t->ideal && !is_replay;
}

/* Cuts the lanes as the mechanism asked in `create`, or as the machine says, and finds the remaining traits. */
static void cut_slices(struct sm *sm, struct storage *storage)
{
    struct sm_traits *t = &sm->traits;
    uint32_t width = sm->config->warp_width;
    uint32_t wanted = sm->wants.slice_lanes ? (uint32_t)sm->wants.slice_lanes : sm->config->slice_lanes;
    t->pairs = sm->wants.pairing != DIV_PAIR_NONE;
    if (t->pairs) /* any two disjoint sets of lanes are slices for each other */
        wanted = 1;
    uint32_t lanes = wanted < width ? wanted : width, slices = width / lanes;
    t->has_lanes = sm->wants.lane_threads > 0;
    t->is_sliced = slices > 1 && !t->ideal && !t->has_lanes;
    t->has_gangs = t->is_sliced && sm->wants.gangs;
    t->has_pools = t->has_gangs || t->has_lanes;
    t->merges_accesses = (t->ideal && !t->least_time) || t->is_sliced;
    t->syncs = sm->ops->sync && !sm->wants.never_syncs;
    t->heeds_idle = sm->ops->idle && !sm->wants.never_idle;
    t->spills = sm->wants.spills;
    units_cut(&sm->units, lanes, slices, t->has_gangs, storage);
    if (t->has_lanes) {
        warp_lanes_open(&sm->lanes, sm->config, (uint32_t)sm->wants.lane_threads);
        readiness_open_lanes(&sm->ready, storage);
    }
}

static void find_shortcuts(struct sm *sm)
{
    const struct sm_traits *t = &sm->traits;
    struct sm_shortcuts *c = &sm->shortcuts;
    bool shared = t->ideal || t->is_sliced || t->has_pools || t->fetches || t->is_traced || t->syncs || t->has_async;
    const struct sm_traits gangs = sm_traits_of_gangs(t), pairs = sm_traits_of_pairs(t), lanes = sm_traits_of_lanes(t);
    c->gangs_only = !memcmp(&gangs, t, sizeof gangs);
    c->pairs_only = !memcmp(&pairs, t, sizeof pairs);
    c->lanes_only = !memcmp(&lanes, t, sizeof lanes);
    const struct sm_traits ideal = sm_traits_of_ideal();
    c->ideal_only = !memcmp(&ideal, t, sizeof ideal);
    c->whole_only = !t->ideal && !t->is_sliced && !t->has_pools && !t->is_traced && !t->has_async && !t->spills;
    bool is_plain = !shared && !t->merges_accesses && !t->spills;
    c->plain_cycle = is_plain && !t->heeds_idle;
    c->idle_only = is_plain && t->heeds_idle;
    bool checked = t->checks_scalar || t->is_taped;
    c->plain_issue = !shared && !t->every_commit && !t->mixes_blocks && !t->sets_cost && !checked;
    c->commits_issue = !shared && t->every_commit && !t->sets_cost && !checked;
    c->lists_ready = t->has_pools || t->pairs || sm->map.bundles.rows;
    c->awaits_code = t->ideal && sm->config->fetch == SM_FETCH_CACHE;
    c->awaits_more = c->awaits_code || t->has_async || sm->map.bundles.rows;
    c->fetches_syncs = t->syncs && sm->wants.code_syncs;
    c->never_alone = t->fetches || c->awaits_code;
    c->tells_parts = sm->ops->memory && !sm->wants.whole_loads && !sm->wants.ready_parts;
    c->tells_ready = sm->ops->memory && !sm->wants.whole_loads && sm->wants.ready_parts && t->has_gangs;
    /* The port does not pick the strand again in the cycle, since its lanes are taken, and nothing but registers can
     * keep the strand from issuing next. With tells_ready, the mechanism hears of strands in the order of
     * evaluation. */
    c->stays_ready = sm->policy->in_place && !t->ideal && !t->fetches && !t->every_commit && !c->tells_ready;
}

/* Ideal lanes know no warps: instead of a scoreboard by warp they have the exact scoreboard. */
static void open_scoreboard(struct sm *sm, struct storage *storage)
{
    enum sm_scoreboard kind = (enum sm_scoreboard)sm->config->scoreboard;
    if (sm->traits.ideal && (kind == SM_SCOREBOARD_WARP || kind == SM_SCOREBOARD_DUAL))
        kind = SM_SCOREBOARD_EXACT;
    const struct scoreboard_setup setup = {
        .kind = kind,
        .is_off = sm->traits.every_commit,
        .rows = residents_row_count(&sm->residents),
        .planes = sm->host.facts.program->plane_count,
        .warp_lanes = sm->wants.slice_lanes ? sm->units.slice_lanes : sm->config->warp_width,
        .storage = storage,
    };
    scoreboard_open(&sm->scoreboard, &setup);
}

/* Whether simple instructions issue as sm/simple.h says. */
static void find_simple(struct sm *sm)
{
    const struct sm_traits *t = &sm->traits;
    const struct scoreboard *b = &sm->scoreboard;
    struct sm_shortcuts *c = &sm->shortcuts;
    bool is_watched = t->is_traced || t->is_taped || t->checks_scalar;
    bool is_one_block = !t->mixes_blocks || t->every_commit;
    c->defers_lanes = !t->ideal && !is_watched && !t->every_commit && !t->sets_cost;
    c->issues_simple = !t->ideal && !is_watched && is_one_block && !t->sets_cost && (b->is_plain || b->is_off);
    /* With the memory stage inline every instruction waits for memory ports. */
    const bool is_aside = sm->config->memory_stage == SM_MEMORY_ASIDE;
    c->has_lone = is_aside;
    sm->map.bundles.has_easy = sm->map.bundles.rows && b->is_plain && !c->awaits_code && is_aside;
    c->waits_for_registers = c->stays_ready && b->is_plain && !t->syncs;
    /* See readiness_wake(): no strand that wakes up is evaluated again, which could ask for an instruction, or tell the
     * mechanism. */
    c->wakes_as_bits = sm->policy->in_place && !b->by_warp && !t->fetches && !c->tells_ready && !t->has_async &&
                       !sm->host.facts.bundles;
    c->counts_iterations = sm->static_lines && static_lines_has_loops(sm->static_lines);
}

/* Whether the multiprocessor is of the most frequent case, when all else about it is known. */
static void find_swift(struct sm *sm)
{
    struct sm_shortcuts *c = &sm->shortcuts;
    const struct sm_traits *t = &sm->traits;
    const struct scoreboard *b = &sm->scoreboard;
    c->evaluates_swiftly = (b->is_plain || b->is_off) && c->wakes_as_bits && !t->syncs && !c->awaits_more &&
                           sm->ready.order && !c->lists_ready;
    c->passes_branches = c->evaluates_swiftly && b->is_plain && sm->ops->pass && sm->host.facts.slots_are_lanes;
    bool is_known = c->plain_cycle || c->idle_only ||
                    ((c->gangs_only || c->pairs_only || c->lanes_only) && !t->fetches && !t->syncs);
    c->is_swift = is_known && c->issues_simple && (c->waits_for_registers || (t->every_commit && c->plain_cycle)) &&
                  c->wakes_as_bits && sm->ready.order && sm->ready.greed && !c->awaits_more;
}

/* A multiprocessor of zeros, but for the outcomes of a step: there is room for many, and they are written before they
 * are read. */
static struct sm *make_sm(struct storage *storage)
{
    struct sm *sm = storage_alloc(storage, sizeof *sm);
    char *after = (char *)sm->step.outcome + sizeof sm->step.outcome;
    memset(sm, 0, offsetof(struct sm, step.outcome));
    memset(after, 0, (size_t)((char *)(sm + 1) - after));
    return sm;
}

struct sm *sm_create(const struct sm_setup *setup, int index)
{
    struct sm *sm = make_sm(setup->storage);
    bind_setup(sm, setup, index);
    find_first_traits(sm);
    open_parts(sm, setup);
    if (!sm->traits.ideal && !div_is_in_step(sm->ops, setup->mechanism_knobs))
        sm->static_lines = static_lines_create(sm, setup->memory);
    bundles_open(sm);
    sm->div = sm->ops->create(&sm->host, setup->mechanism_knobs, &sm->wants);
    sm->host.facts.slots_are_lanes &= sm->wants.lane_map == DIV_LANES_MACHINE;
    cut_slices(sm, setup->storage);
    find_shortcuts(sm);
    open_scoreboard(sm, setup->storage);
    find_simple(sm);
    if (sm->traits.fetches)
        sm->fetch = fetch_create(sm);
    int pools = sm->traits.has_lanes ? (int)sm->lanes.per_port : sm->traits.has_gangs ? (int)sm->units.slices : 0;
    sm->sched = sm->policy->create(&(struct sched_setup){.ports = (int)sm->config->schedulers,
                                                         .pools = 1 + pools,
                                                         .group = (int)sm->config->scheduler_group,
                                                         .now = &sm->now});
    sm->cycle.ask = (struct sched_ask){.is_whole = true, .free_slots = sm->units.all_slots};
    if (sm->policy->order)
        sm->ready.order = sm->policy->order(sm->sched);
    if (sm->policy->greed)
        sm->ready.greed = sm->policy->greed(sm->sched);
    find_swift(sm);
    sm->marks = storage_calloc(setup->storage, (size_t)sm->host.facts.program->insn_count + 1, 1);
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
    static_lines_destroy(sm->static_lines);
    scoreboard_close(&sm->scoreboard);
    wheel_close(&sm->wheel);
    residents_close(&sm->residents);
    strand_table_close(&sm->strands);
    warp_lanes_close(&sm->lanes);
    flights_close(&sm->flights);
    async_close(&sm->async);
    copies_close(&sm->copies);
    vec_free(&sm->spill.moves);
    limits_close(&sm->limits);
    bundles_close(sm);
    posted_close(&sm->step.posted);
}

/* ---- blocks ---- */

bool sm_has_room(const struct sm *sm, int blocks)
{
    return sm->residents.count + blocks <= sm->residents.capacity &&
           residents_has_free(&sm->residents, blocks, sm->now);
}

int sm_resident(const struct sm *sm)
{
    return sm->residents.count;
}

struct block *sm_launch(struct sm *sm, uint64_t block_number, uint64_t now, uint64_t delay)
{
    int place = residents_find_free(&sm->residents, sm->now);
    sm_settle(sm, now);
    sm->now = sm->host.now = now;
    sm->ready.open = now + 1;
    cycle_charge_residents(sm);
    struct resident *r = residents_start(&sm->residents, place, sm->engine, sm->host.facts.program, block_number);
    if (sm->static_lines)
        static_lines_launch(sm, r->first_row, sm->residents.rows_per_block);
    if (sm->traits.least_time)
        limits_start_block(&sm->limits, place);
    if (sm->host.facts.bundles)
        bundles_start_block(sm, place);
    trace_block_start(sm->trace, now, sm->index, block_number);
    sm->strands.first_cycle_of_new = now + 1 + sm->config->launch_latency_cycles + delay;
    sm->ops->launch(sm->div, place);
    sm_called(sm);
    sm->strands.first_cycle_of_new = 0;
    sm->cycle.next = now + 1;
    return r->block;
}

bool sm_let_go(struct sm *sm, uint64_t now)
{
    struct engine *e = sm->engine;
    bool any = false;
    for (int place = 0; place < sm->residents.capacity; place++) {
        struct resident *r = &sm->residents.at[place];
        if (!r->in_use || !cluster_is_open(r->block))
            continue;
        any = true;
        sm_settle(sm, now);
        sm->now = sm->host.now = now;
        sm->ready.open = now + 1;
        e->listener = &sm->step.listener;
        e->block = r->block;
        cluster_let_go(e);
    }
    if (any) {
        releases_deliver(sm);
        sm->cycle.next = now + 1;
    }
    return any;
}

/* ---- turns: what the clock of the GPU asks for ---- */

bool sm_is_stopped(const struct sm *sm)
{
    return sm->cycle.is_stopped;
}

bool sm_is_alone(const struct sm *sm)
{
    return !sm->flights.pending && !sm->shortcuts.never_alone && !spill_waits(&sm->spill) &&
           !copies_wait(&sm->copies) && !(sm->ready.classes & sm->plans->port_classes);
}

bool sm_heeds_memory(const struct sm *sm)
{
    return cycle_heeds_memory(sm);
}

uint64_t sm_next(struct sm *sm, uint64_t until)
{
    const struct cycle_state *c = &sm->cycle;
    if (c->is_stopped)
        return sm->now;
    if (c->idle_ticks > CYCLE_MOST_IDLE_TICKS)
        return SM_NEVER;
    uint64_t next = sm->traits.fetches ? sm_earlier(c->next, fetch_next(sm)) : c->next;
    if (next <= sm->now + 1)
        return sm->now + 1;
    /* Ask the memory system only where its wake-ups count: an SM that runs ahead must not advance the memory clock. */
    if (!sm_heeds_memory(sm))
        return next;
    bool waits_for_replies = sm->flights.pending || sm->traits.fetches;
    uint32_t kinds = c->waits_for | (sm->traits.fetches && fetch_waits(sm) ? 1u << MEM_INSTRUCTION : 0);
    uint64_t wakeup = mem_next_wakeup(sm->mem, sm->index, waits_for_replies, kinds, sm->now, sm_earlier(until, next));
    return sm_earlier(next, wakeup);
}

void sm_begin_turn(struct sm *sm, struct engine *engine, struct site *sites, bool is_own)
{
    sm->engine = sm->step.engine = engine;
    sm->sites = sites;
    engine->posted = is_own ? NULL : &sm->step.posted;
}

uint64_t sm_unpublished(const struct sm *sm)
{
    return posted_first(&sm->step.posted);
}

bool sm_is_late(const struct sm *sm)
{
    return sm->now < sm->step.posted.late_before;
}

bool sm_awaits_results(const struct sm *sm)
{
    return sm->step.posted.results;
}

uint64_t sm_publish(struct sm *sm, uint64_t until, bool late)
{
    struct posted *p = &sm->step.posted;
    posted_apply(p, until, late);
    const uint64_t changed = p->changed;
    p->changed = 0;
    return changed;
}

/* ---- for other folders to look at ---- */

uint64_t sm_now(const struct sm *sm)
{
    return sm->now;
}

uint64_t sm_last_end(const struct sm *sm)
{
    return sm->residents.last_end;
}

const struct limits_meters *sm_limits(const struct sm *sm)
{
    return sm->traits.least_time ? &sm->limits.all : NULL;
}

const struct sm_stats *sm_counters(struct sm *sm)
{
    if (sm->static_lines)
        static_lines_settle(sm);
    cycle_charge_residents(sm);
    return &sm->stats;
}

const void *sm_mechanism_counters(struct sm *sm)
{
    sm->host.now = sm->cycle.settled; /* for counters that add up time */
    return sm->ops->counters ? sm->ops->counters(sm->div) : NULL;
}

int sm_strand_top(const struct sm *sm)
{
    return sm->strands.top;
}

const struct strand *sm_strand(const struct sm *sm, int32_t id)
{
    return sm->strands.state[id].in_use ? &sm->strands.at[id] : NULL;
}

int sm_row_count(const struct sm *sm)
{
    return residents_row_count(&sm->residents);
}

const struct row *sm_row(const struct sm *sm, int32_t row)
{
    return residents_of_row(&sm->residents, row)->in_use ? sm->residents.rows[row] : NULL;
}

const struct block *sm_row_block(const struct sm *sm, int32_t row)
{
    return sm->residents.row_blocks[row];
}

uint64_t sm_slots(const struct sm *sm, int32_t row, uint32_t lanes)
{
    return thread_map_slots(sm, row, lanes);
}

int32_t sm_strand_of(const struct sm *sm, int32_t row, int lane)
{
    return thread_map_find(sm, row, lane);
}

bool sm_comes(const struct sm *sm, int32_t row, int lane, uint64_t since)
{
    int32_t id = thread_map_find(sm, row, lane);
    return (id >= 0 && sm->strands.state[id].drains) || sm->ops->comes(sm->div, row, lane, since);
}

void sm_why(const struct sm *sm, int32_t strand, struct text *out)
{
    if (sm->strands.state[strand].drains)
        text_printf(out, "until its instructions are done");
    else if (sm->ops->why)
        sm->ops->why(sm->div, &sm->strands.at[strand], out);
}

bool sm_awaits_copies(const struct sm *sm)
{
    return sm->copies.under_way;
}

bool sm_is_kept_by_copies(const struct sm *sm, int32_t strand)
{
    return copies_keep(&sm->copies, &sm->strands.at[strand]);
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
