/* A multiprocessor: storage, blocks, and the cycle. */
#include "sm/sm.h"

#include "base/arena.h"
#include "base/bits.h"
#include "sm/internal.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_NOTHING, IDLE_MEMORY, IDLE_STALL };

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
    sm->strand_of = xmalloc(threads * sizeof *sm->strand_of);
    memset(sm->strand_of, -1, threads * sizeof *sm->strand_of);
    sm->strand_capacity = (int)threads;
    sm->strands = xcalloc(threads, sizeof *sm->strands);
    sm->states = xcalloc(threads, sizeof *sm->states);
    sm->free_strands = xcalloc(threads, sizeof *sm->free_strands);
    sm->reject = xcalloc(SCHED_MAX_STRANDS / 64, sizeof *sm->reject);
    sm->pending = xcalloc(rows * (size_t)sm->plane_count, sizeof *sm->pending);
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
        sm->needs[u] = xcalloc(SCHED_MAX_STRANDS / 64, sizeof *sm->needs[u]);
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        sm->unit_free[u] = xcalloc(sm->config->unit_count[u] ? sm->config->unit_count[u] : 1, sizeof *sm->unit_free[u]);
}

struct sm *sm_create(const struct sm_setup *setup, int index)
{
    struct sm *sm = xcalloc(1, sizeof *sm);
    sm->config = setup->config;
    sm->ops = setup->mechanism;
    sm->policy = setup->scheduler;
    sm->engine = setup->engine;
    sm->mem = setup->mem;
    sm->index = index;
    sm->sites = setup->sites;
    sm->trace = setup->trace;
    sm->free_write = -1;
    sm->next = UINT64_MAX;
    sm->host.program = setup->engine->program;
    scoreboard_prepare(sm);
    allocate(sm, setup);
    strands_init(sm);
    step_init(&sm->step, setup->engine);
    sm->step.rows = sm->rows;
    sm->step.row_blocks = sm->row_blocks;
    sm->step.released = strands_released;
    sm->step.context = sm;
    sm->sched = sm->policy->create((int)sm->config->schedulers);
    sm->div = sm->ops->create(&sm->host, setup->mechanism_knobs);
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
    for (int b = 0; b < sm->resident_capacity; b++)
        block_destroy(sm->residents[b].block);
    for (int i = 0; i < sm->strand_capacity; i++)
        free(sm->states[i].outcome);
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        free(sm->unit_free[u]);
        free(sm->needs[u]);
    }
    free(sm->residents);
    free(sm->rows);
    free(sm->row_blocks);
    free(sm->row_resident);
    free(sm->strand_of);
    free(sm->strands);
    free(sm->states);
    free(sm->free_strands);
    free(sm->reject);
    free(sm->pending);
    free(sm->checks);
    free(sm->marks);
    free(sm->writes);
    free(sm->events.data);
    free(sm);
}

static int free_resident(const struct sm *sm)
{
    for (int b = 0; b < sm->resident_capacity; b++)
        if (!sm->residents[b].in_use && !sm->residents[b].writes)
            return b;
    return -1;
}

bool sm_has_room(const struct sm *sm)
{
    return free_resident(sm) >= 0;
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
    block_start(r->block, sm->engine->launch, sm->host.program, block_number);
    for (int i = 0; i < r->block->row_count; i++)
        r->block->rows[i].cohort_count = 0; /* the mechanism makes strands instead */
    r->in_use = true;
    r->age = block_number;
    sm->resident_count++;
    trace_block_start(sm->trace, now, sm->index, block_number);
    sm->ops->launch(sm->div, b);
    if (sm->next > now + 1)
        sm->next = now + 1;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t sm_next(const struct sm *sm)
{
    /* When a port is stalled, only the memory system knows, and perhaps not before its next event. */
    uint64_t next = sm->next;
    for (unsigned left = sm->refused_kinds; left; left &= left - 1)
        next = smaller(next, mem_kind_free(sm->mem, sm->index, (enum mem_kind)bits_lowest(left), sm->now + 1));
    return next;
}

static void charge(struct sm *sm, uint64_t cycles)
{
    sm->stats.resident_thread_cycles +=
        cycles * (uint64_t)sm->resident_count * (uint64_t)sm->rows_per_block * ROW_LANES;
    switch (sm->idle_kind) {
    case IDLE_MEMORY:
        sm->stats.idle_memory_cycles += cycles;
        break;
    case IDLE_STALL:
        sm->stats.stall_cycles += cycles;
        break;
    default:
        sm->stats.idle_cycles += cycles;
        break;
    }
}

void sm_settle(struct sm *sm, uint64_t now)
{
    if (now > sm->settled) {
        charge(sm, now - sm->settled);
        sm->settled = now;
        sm->stats.cycles = now;
    }
}

static void take_events(struct sm *sm)
{
    while (event_next(&sm->events) <= sm->now) {
        struct event e = event_pop(&sm->events);
        switch (e.kind) {
        case EVENT_WRITE_BACK:
            scoreboard_end(sm, e.index);
            break;
        case EVENT_RESOLVE:
            issue_resolve(sm, e.index, e.generation);
            break;
        case EVENT_WAKE:
            if (sm->states[e.index].in_use && sm->strands[e.index].generation == e.generation)
                strand_evaluate(sm, &sm->strands[e.index]);
            break;
        }
    }
    struct mem_reply reply;
    while (mem_take_reply(sm->mem, sm->index, sm->now, &reply))
        if (reply.is_last) {
            sm->memory_pending--;
            scoreboard_end(sm, (int32_t)reply.ticket);
        }
}

/* The bound: any W ready threads a cycle, each a strand of its own. */
static int picks_per_port(const struct sm *sm)
{
    return sm->ops->flags & DIV_IDEAL_LANES ? (int)sm->config->warp_width : 1;
}

/* Strands that need this unit are not asked any more in this cycle. Says whether there are any. */
static bool rule_out(struct sm *sm, int unit)
{
    bool any = false;
    for (int w = 0; w * 64 < sm->strand_top; w++) {
        any |= (sm->needs[unit][w] & ~sm->reject[w]) != 0;
        sm->reject[w] |= sm->needs[unit][w];
    }
    return any;
}

/* Issues what it can; returns threads issued, -1 after a fault. */
static int issue_cycle(struct sm *sm, bool *refused)
{
    int widest = 0;
    memset(sm->reject, 0, (size_t)(sm->strand_top + 63) / 64 * sizeof *sm->reject);
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        if (issue_free_copy(sm, (uint32_t)u) < 0)
            *refused |= rule_out(sm, u);
    for (uint32_t port = 0; port < sm->config->schedulers; port++) {
        for (int left = picks_per_port(sm); left > 0 && sm->ready_count;) {
            struct strand *s = sm->policy->pick(sm->sched, (int)port, sm->reject, sm->now);
            if (!s)
                break;
            int threads = threads_size(&s->threads), unit = sm->states[s->id].unit;
            enum issue_result result = issue_strand(sm, s);
            if (result == ISSUE_FAULT)
                return -1;
            sm->reject[s->id / 64] |= 1ull << (s->id % 64); /* one issue a strand and cycle */
            if (result == ISSUE_REFUSED) {
                rule_out(sm, unit);
                *refused = true;
                continue;
            }
            if (issue_free_copy(sm, (uint32_t)unit) < 0)
                rule_out(sm, unit);
            sm->policy->issued(sm->sched, (int)port, s, sm->now);
            widest += threads;
            left--;
        }
    }
    return widest;
}

static void count_cycle(struct sm *sm, int threads, bool refused)
{
    sm->stats.resident_thread_cycles += (uint64_t)sm->resident_count * (uint64_t)sm->rows_per_block * ROW_LANES;
    if (threads > 0) {
        int class = (threads - 1) / 4;
        sm->stats.issued_cycles[class < SM_WIDTH_CLASSES ? class : SM_WIDTH_CLASSES - 1]++;
    } else if (refused) {
        sm->stats.stall_cycles++;
    } else if (sm->memory_pending) {
        sm->stats.idle_memory_cycles++;
    } else {
        sm->stats.idle_cycles++;
    }
    sm->settled = sm->now + 1;
    sm->stats.cycles = sm->settled;
}

static uint64_t first_unit_free(const struct sm *sm)
{
    uint64_t first = UINT64_MAX;
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        for (uint32_t i = 0; i < sm->config->unit_count[u]; i++)
            if (sm->unit_free[u][i] > sm->now && sm->unit_free[u][i] < first)
                first = sm->unit_free[u][i];
    return first;
}

bool sm_cycle(struct sm *sm, uint64_t now)
{
    sm_settle(sm, now);
    sm->now = sm->host.now = now;
    sm->next = UINT64_MAX;
    sm->refused_kinds = 0;
    take_events(sm);
    bool refused = false;
    bool lanes_busy = sm->ideal_free > now;
    int threads = sm->ready_count && !lanes_busy ? issue_cycle(sm, &refused) : 0;
    refused |= lanes_busy && sm->ready_count;
    if (threads > 0 && sm->ops->flags & DIV_IDEAL_LANES)
        sm->ideal_free = now + sm_passes(sm->config);
    if (threads < 0)
        return false;
    count_cycle(sm, threads, refused);
    uint64_t next = smaller(event_next(&sm->events), mem_next_reply(sm->mem, sm->index));
    if (sm->ready_count && threads > 0)
        next = now + 1;
    else if (lanes_busy && sm->ready_count)
        next = smaller(next, sm->ideal_free);
    else if (sm->ready_count) /* refused: a unit or the memory port must become free first */
        next = smaller(next, first_unit_free(sm));
    sm->next = next <= now ? now + 1 : next;
    sm->idle_kind = refused ? IDLE_STALL : sm->memory_pending ? IDLE_MEMORY : IDLE_NOTHING;
    return true;
}

const struct sm_stats *sm_counters(const struct sm *sm)
{
    return &sm->stats;
}

const void *sm_mechanism_counters(const struct sm *sm)
{
    return sm->ops->counters ? sm->ops->counters(sm->div) : NULL;
}

void sm_dump(const struct sm *sm, struct text *out)
{
    text_printf(out, "multiprocessor %d, cycle %llu: %d blocks, %d strands, %d ready, %d accesses under way\n", sm->index,
                (unsigned long long)sm->now, sm->resident_count, sm->live_strands, sm->ready_count, sm->memory_pending);
    int shown = 0;
    for (int i = 0; i < sm->strand_top && shown < 8; i++) {
        const struct strand *s = &sm->strands[i];
        if (!sm->states[i].in_use)
            continue;
        shown++;
        text_printf(out, "  strand %d at pc %d (line %d), %d threads%s%s%s\n", s->id, s->pc,
                    sm->host.program->insns[s->pc].line, threads_size(&s->threads), s->held ? ", held" : "",
                    s->parked ? ", parked" : "", sm->states[i].resolving ? ", resolving" : "");
    }
    if (sm->ops->dump)
        sm->ops->dump(sm->div, out);
}
