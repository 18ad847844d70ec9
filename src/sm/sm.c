/* A multiprocessor: storage, blocks, and what others may look at. The cycle is in cycle.c. */
#include "sm/sm.h"

#include "base/arena.h"
#include "base/diag.h"
#include "sm/scoreboard.h"

#include <stdlib.h>
#include <string.h>

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
    /* Made by host_create(): most launches use few of them. */
    sm->strands = xmalloc(threads * sizeof *sm->strands);
    sm->states = xmalloc(threads * sizeof *sm->states);
    sm->pending_branches = xmalloc(threads * sizeof *sm->pending_branches);
    sm->free_strands = xmalloc(threads * sizeof *sm->free_strands);
    sm->listed = xmalloc(threads * sizeof *sm->listed);
    for (int b = 0; b < sm->resident_capacity; b++) {
        sm->residents[b].first_row = b * sm->rows_per_block;
        for (int i = 0; i < sm->rows_per_block; i++)
            sm->row_resident[sm->residents[b].first_row + i] = b;
    }
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        sm->unit_free[u] = xcalloc(sm->config->unit_count[u], sizeof *sm->unit_free[u]);
}

/* As the mechanism wants them, or the machine has them. */
static void cut_slices(struct sm *sm)
{
    uint32_t lanes = sm->wants.slice_lanes ? (uint32_t)sm->wants.slice_lanes : sm->config->slice_lanes;
    sm->slice_lanes = lanes < sm->config->warp_width ? lanes : sm->config->warp_width;
    sm->slices = sm->config->warp_width / sm->slice_lanes;
    sm->traits.is_sliced = sm->slices > 1 && !sm->traits.ideal;
    sm->traits.has_gangs = sm->traits.is_sliced && sm->wants.gangs;
    sm->traits.merges_accesses = sm->traits.ideal || sm->traits.is_sliced;
    for (int u = 0; u < SM_UNIT_COUNT && sm->traits.has_gangs; u++)
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

/* Those that are known when the mechanism was made; cut_slices() found some. */
static void find_traits(struct sm *sm)
{
    struct traits *t = &sm->traits;
    t->is_traced = sm->trace;
    t->heeds_idle = sm->ops->idle && !sm->wants.never_idle;
    t->syncs = sm->ops->sync;
    t->sets_cost = sm->ops->issue_cost;
    bool shared = t->ideal || t->is_sliced || t->has_gangs || t->fetches || t->is_traced || t->syncs;
    sm->plain_cycle = !shared && !t->merges_accesses && !t->heeds_idle;
    sm->plain_issue = !shared && !t->every_commit && !t->mixes_blocks && !t->sets_cost;
    sm->commits_issue = !shared && t->every_commit && !t->sets_cost;
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
    sm->traits.every_commit = sm->ops->flags & DIV_EVERY_INSTRUCTION;
    sm->traits.mixes_blocks = sm->ops->flags & DIV_MIXES_BLOCKS;
    sm->traits.ideal = sm->ops->flags & DIV_IDEAL_LANES;
    memset(sm->group_copy, SM_NO_COPY, sizeof sm->group_copy);
    for (int c = 0; c < sm->plans->class_count; c++)
        sm->class_ports[c] = ports_of(sm, &sm->plans->class[c]);
    sm->traits.fetches =
        sm->config->fetch == SM_FETCH_CACHE && !sm->traits.ideal; /* a fetch for each thread is no bound */
    sm->host.facts.program = setup->program;
    sm->host.facts.likely = setup->likely;
    sm->host.facts.barriers = setup->barriers;
    wheel_open(&sm->wheel, setup->start);
    allocate(sm, setup);
    strands_init(sm);
    if (!sm->traits.ideal && !div_is_in_step(sm->ops, setup->mechanism_knobs))
        sm->static_lines = static_lines_create(sm, setup->memory);
    step_init(&sm->step, setup->engine);
    sm->step.rows = sm->rows;
    sm->step.row_blocks = sm->row_blocks;
    sm->step.released = strands_released;
    sm->step.context = sm;
    sm->div = sm->ops->create(&sm->host, setup->mechanism_knobs, &sm->wants);
    sm->tells_parts = sm->ops->memory && !sm->wants.whole_loads;
    cut_slices(sm);
    find_traits(sm);
    /* Nobody asks for another strand of its port in the cycle, and nothing but registers keeps it from the next. */
    sm->stays_ready = sm->policy->in_place && !sm->traits.ideal && !sm->traits.is_sliced && !sm->traits.fetches &&
                      !sm->traits.every_commit;
    scoreboard_open(sm, (size_t)sm_row_count(sm));
    if (sm->traits.fetches)
        sm->fetch = fetch_create(sm);
    sm->sched = sm->policy->create(&(struct sched_setup){.ports = (int)sm->config->schedulers,
                                                         .pools = sm->traits.has_gangs ? 1 + (int)sm->slices : 1,
                                                         .group = (int)sm->config->scheduler_group,
                                                         .now = &sm->now});
    sm->marks = xcalloc((size_t)sm->host.facts.program->insn_count + 1, 1);
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
    scoreboard_close(sm);
    wheel_close(&sm->wheel);
    for (int b = 0; b < sm->resident_capacity; b++)
        block_destroy(sm->residents[b].block);
    for (int i = 0; i < sm->strand_top; i++)
        free(sm->pending_branches[i].outcome);
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
    free(sm->pending_branches);
    free(sm->free_strands);
    free(sm->listed);
    vec_free(&sm->flights);
    free(sm->marks);
    free(sm);
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

/* The storage of a block, when one is resident there for the first time. */
static void make_block(struct sm *sm, struct resident *r)
{
    const struct engine *e = sm->engine;
    r->block = block_create(e->launch, e->program, e->local_bytes);
    for (int i = 0; i < sm->rows_per_block; i++) {
        int32_t row = r->first_row + i;
        sm->rows[row] = &r->block->rows[i];
        sm->rows[row]->number = row;
        sm->row_blocks[row] = r->block;
    }
}

void sm_launch(struct sm *sm, uint64_t block_number, uint64_t now)
{
    int b = free_resident(sm);
    struct resident *r = &sm->residents[b];
    if (!r->block)
        make_block(sm, r);
    sm_settle(sm, now);
    sm->now = sm->host.now = now;
    sm->open = now + 1;
    block_start(r->block, sm->engine->launch, sm->host.facts.program, block_number);
    for (int i = 0; i < r->block->row_count; i++)
        r->block->rows[i].cohort_count = 0; /* the mechanism makes strands instead */
    r->in_use = true;
    r->threads = r->block->live_threads;
    r->age = block_number;
    sm->resident_count++;
    sm->resident_threads += (uint64_t)sm->rows_per_block * ROW_LANES;
    if (sm->static_lines)
        static_lines_launch(sm, r->first_row, sm->rows_per_block);
    trace_block_start(sm->trace, now, sm->index, block_number);
    sm->first_cycle_of_new = now + 1 + sm->config->launch_latency_cycles;
    sm->ops->launch(sm->div, b);
    sm_called(sm);
    sm->first_cycle_of_new = 0;
    sm->next = now + 1;
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
