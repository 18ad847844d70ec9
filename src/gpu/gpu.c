/* The clock of the whole machine, and the dispatch of blocks. */
#include "gpu/gpu.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/engine.h"
#include "gpu/livelock.h"
#include "gpu/occupancy.h"
#include "mem/clock.h"
#include "recon/place_barriers.h"
#include "sm/plan.h"
#include "sm/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How far a multiprocessor may run ahead of the others while it is alone. */
enum { AHEAD_CYCLES = 1024 };

struct gpu {
    const struct gpu_run *run;
    struct engine *engine;
    struct program plain; /* the program with post-dominators alone as meeting places */
    struct mem *mem;
    struct divider by_quantum; /* the length of a window */
    struct plans *plans;
    struct barrier_plan *barriers; /* made for this launch, or NULL */
    struct sm **sms;               /* those that get blocks */
    int sm_count;
    uint64_t idle_sm_count; /* the others, which the launch has no use for */
    uint64_t *due;          /* by multiprocessor: the next cycle at which it can do anything, as far as it knows ... */
    uint64_t *ignores_memory; /* ... and all ones, unless news at its side of the memory system count for it, too */
    int *turns;               /* multiprocessors that may have something to do in the window */
    uint64_t next_block, block_count;
    uint64_t start; /* cycle before the first; the memory system's time goes on from kernel to kernel */
    uint64_t now;   /* all cycles up to here are done */
    uint64_t end;   /* last cycle of the launch */
    void *memory_before[MEM_OWNERS]; /* the memory system's counters when the launch began */
    uint64_t interval_at;            /* cycle at which the next interval is to be reported */
    uint64_t report_ms;              /* host time of the next report of progress */
    struct scene scene;              /* for explanations */
    struct livelock livelock;
};

/* The first blocks: one to each multiprocessor in turn, until none has room. */
static void dispatch_first(struct gpu *g)
{
    bool any = true;
    while (any) {
        any = false;
        for (int i = 0; i < g->sm_count && g->next_block < g->block_count; i++)
            if (sm_has_room(g->sms[i])) {
                sm_launch(g->sms[i], g->next_block++, g->start);
                any = true;
            }
    }
}

static bool is_active(const struct gpu *g, const struct sm *sm)
{
    return sm_resident(sm) || g->next_block < g->block_count;
}

static bool all_done(const struct gpu *g)
{
    for (int i = 0; i < g->sm_count; i++)
        if (is_active(g, g->sms[i]))
            return false;
    return true;
}

/* The last cycle of the window that the cycle lies in. */
static uint64_t window_end(const struct gpu *g, uint64_t cycle)
{
    return (divide(g->by_quantum, cycle) + 1) * g->by_quantum.by - 1;
}

/* The next cycle at which anything can happen; UINT64_MAX: never. Within the next window all are the same: most often
 * slices of the L2 are at work, and nobody else need be asked. */
static uint64_t next_cycle(const struct gpu *g)
{
    if (mem_next_in_slices(g->mem) <= window_end(g, g->now + 1))
        return g->now + 1;
    uint64_t next = mem_next_event(g->mem);
    const uint64_t *due = g->due, *end = due + g->sm_count;
    for (; due < end; due++)
        next = clock_earlier(next, *due);
    return next;
}

/* Lists the multiprocessors that may have something to do up to the end of the window: by themselves, or because
 * something happens at their side of the memory system. Without branches, since who has cannot be foreseen. What others
 * do in the window reaches none of them before it ends. */
static int list_turns(const struct gpu *g, uint64_t last)
{
    const struct mem_times *memory = mem_times(g->mem);
    const uint64_t *due = g->due, *ignores_memory = g->ignores_memory,
                   until = g->run->visit_every_cycle ? UINT64_MAX : last;
    const int all = g->sm_count;
    int count = 0, *turns = g->turns;
    for (int i = 0; i < all; i++) {
        turns[count] = i;
        count += clock_earlier(due[i], clock_earlier(memory[i].next, memory[i].reply) | ignores_memory[i]) <= until;
    }
    return count;
}

/* Whether one that was listed has something to do: most of what happens at its side of the memory system is nothing to
 * it. */
static bool has_turn(struct gpu *g, int index, uint64_t last)
{
    if (g->run->visit_every_cycle)
        return true;
    if (g->due[index] > last && !g->ignores_memory[index])
        g->due[index] = clock_earlier(g->due[index], mem_next_any_wakeup(g->mem, index, last));
    return g->due[index] <= last;
}

/* Gives the multiprocessor a block if there is one and room for it. False: it has to wait for the window of its cycle. */
static bool refill(struct gpu *g, struct sm *sm, uint64_t last)
{
    if (g->next_block >= g->block_count || !sm_has_room(sm))
        return true;
    if (sm_now(sm) > last)
        return false;
    sm_launch(sm, g->next_block++, sm_now(sm));
    return true;
}

/* It did what it can, up to where it wants to go on. */
static bool end_turn(struct gpu *g, int index, uint64_t due)
{
    g->due[index] = due;
    g->ignores_memory[index] = sm_heeds_memory(g->sms[index]) ? 0 : UINT64_MAX;
    return true;
}

/* One that is alone may run ahead of the others, within reason. */
static bool may_run_ahead(const struct gpu *g, const struct sm *sm, uint64_t cycle, uint64_t last)
{
    const struct gpu_run *run = g->run;
    return cycle <= last + AHEAD_CYCLES && !run->visit_every_cycle && !run->watch.every_cycles && sm_is_alone(sm);
}

/* A multiprocessor's cycles of one window, and more as long as it is alone: then its state stays hot. A block that ended
 * makes room for the next one at once. False after a fault. */
static bool run_window(struct gpu *g, int index, uint64_t first, uint64_t last)
{
    struct sm *sm = g->sms[index];
    /* It may have run ahead to where a block ended. A cycle that it stopped in is done first, as if it had not. */
    bool ran_ahead = sm_now(sm) >= first && !sm_is_stopped(sm);
    if (ran_ahead && g->next_block < g->block_count && !refill(g, sm, last))
        return end_turn(g, index, sm_now(sm));
    for (uint64_t t = first; is_active(g, sm); t++) {
        if (!g->run->visit_every_cycle) {
            uint64_t next = sm_next(sm, last);
            t = next > t ? next : t;
        }
        bool ahead = t > last;
        if (ahead && !may_run_ahead(g, sm, t, last))
            return end_turn(g, index, t);
        enum sm_progress progress = sm_cycle(sm, t, ahead);
        if (progress == SM_FAULT)
            return false;
        if (progress == SM_STOPPED)
            return end_turn(g, index, t);
        if (g->livelock.is_watching)
            livelock_observe(&g->livelock, index);
        if (!refill(g, sm, last))
            return end_turn(g, index, sm_now(sm));
    }
    return end_turn(g, index, UINT64_MAX);
}

static uint64_t blocks_done(const struct gpu *g)
{
    uint64_t total = 0;
    for (int i = 0; i < g->sm_count; i++)
        total += sm_counters(g->sms[i])->blocks;
    return total;
}

/* Ends the launch with a fault of the whole machine, and says where everyone is. */
static struct fault *fault_of(struct gpu *g, struct gpu_result *result, enum fault_kind kind)
{
    struct fault *f = &result->launch.fault;
    f->kind = kind;
    f->kernel = g->engine->launch->kernel->name;
    result->deadlock = deadlock_explain(&g->scene, kind);
    return f;
}

static bool fault_deadlock(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = fault_of(g, result, FAULT_DEADLOCK);
    snprintf(f->detail, sizeof f->detail, "under %s nothing can run and nothing is under way", g->run->mechanism->name);
    return false;
}

/* Threads that only repeat themselves: for ever, or until others do what they are not let do. */
static bool fault_livelock(struct gpu *g, struct gpu_result *result)
{
    bool held = deadlock_holds_back(&g->scene);
    struct fault *f = fault_of(g, result, held ? FAULT_LIVELOCK : FAULT_ENDLESS);
    if (held)
        snprintf(f->detail, sizeof f->detail,
                 "threads spin for ever on memory that does not change, and %s holds others back until they are done",
                 g->run->mechanism->name);
    else
        snprintf(f->detail, sizeof f->detail, "threads spin for ever on memory that does not change");
    deadlock_name_spinner(&g->scene, f);
    return false;
}

static bool fault_limit(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = fault_of(g, result, FAULT_LIMIT);
    snprintf(f->detail, sizeof f->detail, "the limit of %llu warp instructions is reached; raise it with --limit",
             (unsigned long long)g->engine->limit);
    return false;
}

static bool fault_stopped(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = fault_of(g, result, FAULT_STOPPED);
    snprintf(f->detail, sizeof f->detail, "at cycle %llu, with %llu of %llu blocks done",
             (unsigned long long)(g->now - g->start), (unsigned long long)blocks_done(g),
             (unsigned long long)g->block_count);
    return false;
}

static uint64_t issued(const struct gpu *g)
{
    uint64_t total = 0;
    for (int i = 0; i < g->sm_count; i++)
        total += sm_counters(g->sms[i])->warp_instructions;
    return total;
}

/* Tells who watches, if 50 ms have passed since; false: it wants to stop. */
static bool report_progress(struct gpu *g)
{
    const struct gpu_watch *watch = &g->run->watch;
    struct timespec t;
    if (!watch->progress)
        return true;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    if (ms < g->report_ms)
        return true;
    g->report_ms = ms + 50;
    struct gpu_progress p = {.cycle = g->now - g->start, .blocks = g->block_count};
    for (int i = 0; i < g->sm_count; i++) {
        const struct sm_stats *s = sm_counters(g->sms[i]);
        p.warp_instructions += s->warp_instructions;
        p.thread_instructions += s->thread_instructions;
        p.blocks_done += s->blocks;
    }
    return watch->progress(watch->context, &p);
}

/* Settles all at a cycle, and adds up their counters. */
static void add_counters(struct gpu *g, uint64_t cycle, struct sm_stats *sm, void *mechanism)
{
    const struct div_ops *ops = g->run->mechanism;
    for (int i = 0; i < g->sm_count; i++) {
        sm_settle(g->sms[i], cycle);
        stat_add(&sm_stat_owner, sm, sm_counters(g->sms[i]));
        if (ops->stats)
            stat_add(ops->stats, mechanism, sm_mechanism_counters(g->sms[i]));
    }
    sm->idle_cycles += g->idle_sm_count * (cycle - g->start - 1);
}

/* Copies of the memory system's counters, less those of the launches before. */
static int memory_counters(const struct gpu *g, void *into[MEM_OWNERS], struct stat_value *parts)
{
    struct stat_value now[MEM_OWNERS];
    int count;
    mem_stats(g->mem, now, MEM_OWNERS, &count);
    for (int i = 0; i < count; i++) {
        into[i] = xcalloc(1, now[i].owner->bytes);
        stat_difference(now[i].owner, into[i], now[i].values, g->memory_before[i]);
        parts[i] = (struct stat_value){now[i].owner, into[i]};
    }
    return count;
}

static void note_memory_before(struct gpu *g)
{
    struct stat_value now[MEM_OWNERS];
    int count;
    mem_stats(g->mem, now, MEM_OWNERS, &count);
    for (int i = 0; i < count; i++) {
        g->memory_before[i] = xmalloc(now[i].owner->bytes);
        memcpy(g->memory_before[i], now[i].values, now[i].owner->bytes);
    }
}

static void free_counters(void *counters[MEM_OWNERS])
{
    for (int i = 0; i < MEM_OWNERS; i++) {
        free(counters[i]);
        counters[i] = NULL;
    }
}

/* Multiprocessors' and the mechanism's counters, then the memory system's, which are copied. */
static int list_counters(const struct gpu *g, struct sm_stats *sm, void *mechanism, void *memory[MEM_OWNERS],
                         struct stat_value *parts)
{
    int count = 0;
    parts[count++] = (struct stat_value){&sm_stat_owner, sm};
    if (g->run->mechanism->stats)
        parts[count++] = (struct stat_value){g->run->mechanism->stats, mechanism};
    return count + memory_counters(g, memory, parts + count);
}

static void report_interval(struct gpu *g)
{
    const struct gpu_watch *watch = &g->run->watch;
    const struct stat_owner *owner = g->run->mechanism->stats;
    struct sm_stats sm = {0};
    void *mechanism = owner ? xcalloc(1, owner->bytes) : NULL;
    void *memory[MEM_OWNERS] = {NULL};
    struct stat_value parts[GPU_MAX_PARTS];
    add_counters(g, g->now + 1, &sm, mechanism);
    struct stat_result so_far = {parts, list_counters(g, &sm, mechanism, memory, parts)};
    watch->interval(watch->context, g->now - g->start, &so_far);
    free_counters(memory);
    free(mechanism);
    g->interval_at = g->now + watch->every_cycles - (g->now - g->start) % watch->every_cycles;
}

/*
 * Multiprocessors run one after the other for a window no longer than the crossbar's latency, in which nothing that one
 * does can reach another; then the memory system catches up. Windows begin at multiples of that latency, whatever
 * happens, so that the order in which multiprocessors get blocks and touch memory is a function of the launch alone.
 */
static bool run_cycles(struct gpu *g, struct gpu_result *result)
{
    uint64_t windows = 0;
    dispatch_first(g);
    for (int i = 0; i < g->sm_count; i++)
        end_turn(g, i, g->start + 1);
    while (!all_done(g)) {
        uint64_t next = next_cycle(g);
        if (next == UINT64_MAX)
            return fault_deadlock(g, result);
        uint64_t first = g->run->visit_every_cycle || next <= g->now ? g->now + 1 : next;
        uint64_t last = window_end(g, first);
        mem_advance(g->mem, first - 1);
        int turns = list_turns(g, last);
        for (int i = 0; i < turns; i++)
            if (has_turn(g, g->turns[i], last) && !run_window(g, g->turns[i], first, last))
                return false;
        mem_advance(g->mem, last);
        g->now = last;
        if (g->now >= g->interval_at && !all_done(g))
            report_interval(g);
        if ((++windows & 0x1f) == 0) {
            if (issued(g) > g->engine->limit)
                return fault_limit(g, result);
            livelock_check(&g->livelock, issued(g));
            if (!report_progress(g))
                return fault_stopped(g, result);
        }
        g->scene.waiting_blocks = g->block_count - g->next_block;
        if (g->livelock.is_watching && livelock_is_certain(&g->livelock))
            return fault_livelock(g, result);
    }
    return true;
}

/* The cycle at which the last block ended, or where multiprocessors were stopped. */
static uint64_t last_thread(const struct gpu *g, bool finished)
{
    uint64_t end = 0;
    for (int i = 0; i < g->sm_count; i++) {
        uint64_t own = finished ? sm_last_end(g->sms[i]) : sm_now(g->sms[i]);
        end = own > end ? own : end;
    }
    return end;
}

/* Memory comes to the end of the window that the cycle lies in, also if multiprocessors ran ahead to there. */
static void catch_up(struct gpu *g, uint64_t cycle)
{
    uint64_t last = window_end(g, cycle);
    while (g->now < last) {
        uint64_t next = mem_next_event(g->mem);
        if (next <= g->now) /* an answer to a load whose threads ended */
            next = g->now + 1;
        g->now = next < last ? window_end(g, next) : last;
        mem_advance(g->mem, g->now);
    }
}

/* What is still under way arrives; answers that nobody waits for any more are dropped. */
static void drain_memory(struct gpu *g)
{
    struct mem_reply reply;
    for (uint64_t next; (next = mem_next_event(g->mem)) != UINT64_MAX;) {
        g->now = next > g->now ? next : g->now;
        mem_advance(g->mem, g->now);
        for (int i = 0; i < g->sm_count; i++)
            while (mem_take_reply(g->mem, i, g->now, &reply))
                ;
    }
}

/* The launch ends when what its threads wrote is there for the next one: with its last store or atomic, if that is later
 * than its last thread. Nobody waits for those of one that was stopped. */
static void end_launch(struct gpu *g, struct gpu_result *result, bool finished)
{
    uint64_t threads = last_thread(g, finished);
    catch_up(g, threads);
    g->end = threads;
    if (!finished)
        return;
    drain_memory(g);
    uint64_t written = mem_last_written(g->mem);
    if (written > threads) {
        g->end = written;
        result->drain_cycles = written - threads;
    }
}

static void gather_statistics(struct gpu *g, struct gpu_result *result)
{
    const struct div_ops *ops = g->run->mechanism;
    if (ops->stats)
        result->mechanism = xcalloc(1, ops->stats->bytes);
    add_counters(g, g->end + 1, &result->sm, result->mechanism); /* the last cycle counts */
    result->cycles = g->end - g->start;
    result->launch.warp_instructions = result->sm.warp_instructions;
    result->launch.thread_instructions = result->sm.thread_instructions;
    result->launch.branches = result->sm.branches;
    result->launch.divergent_branches = result->sm.divergent_branches;
    result->part_count = list_counters(g, &result->sm, result->mechanism, result->memory_counters, result->parts);
}

/* The memory system: as the last launch left it, or new. Time goes on there, so that what is still under way is. */
static void take_memory(struct gpu *g)
{
    const struct machine *m = g->run->machine;
    struct gpu_kept *kept = g->run->kept;
    if (kept && kept->mem) {
        g->mem = kept->mem;
        g->start = g->now = kept->cycle + m->gpu.kernel_latency_cycles;
        mem_advance(g->mem, g->start);
        mem_flush(g->mem);
    } else {
        g->mem = mem_create(&m->mem, (int)m->gpu.sm_count);
    }
    g->by_quantum = divider_make(mem_quantum(g->mem));
    note_memory_before(g);
}

static void leave_memory(struct gpu *g)
{
    struct gpu_kept *kept = g->run->kept;
    free_counters(g->memory_before);
    if (kept && g->mem) {
        drain_memory(g);
        kept->mem = g->mem;
        kept->cycle = g->now;
    } else {
        mem_destroy(g->mem);
    }
}

void gpu_kept_free(struct gpu_kept *kept)
{
    mem_destroy(kept->mem);
    kept->mem = NULL;
}

static bool set_up(struct gpu *g, const struct launch *launch, const struct code *code, struct gpu_result *result)
{
    const struct machine *m = g->run->machine;
    g->engine = engine_open(launch, code, &result->launch);
    if (!g->engine)
        return false;
    g->plain = program_plain(code_program(code));
    const struct program *program = m->sm.reconvergence == SM_MEET_POST_DOMINATORS ? &g->plain : code_program(code);
    struct occupancy_need need = {.threads = launch->block[0] * launch->block[1] * launch->block[2],
                                  .registers = (uint32_t)program->register_count,
                                  .shared_bytes =
                                      program->layout->dynamic_shared_offset + launch->dynamic_shared_bytes};
    struct occupancy occupancy = occupancy_of(m, &need);
    result->blocks_per_sm = (int)occupancy.blocks;
    result->occupancy_limit = occupancy_limit_name(occupancy.limit);
    if (!occupancy.blocks) {
        struct text why = {0};
        occupancy_explain(m, &need, &occupancy, &why);
        result->launch.fault.kind = FAULT_LAUNCH;
        result->launch.fault.kernel = launch->kernel->name;
        snprintf(result->launch.fault.detail, sizeof result->launch.fault.detail, "%s", why.data ? why.data : "");
        text_free(&why);
        return false;
    }
    g->block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    g->sm_count = g->block_count < m->gpu.sm_count ? (int)g->block_count : (int)m->gpu.sm_count;
    g->idle_sm_count = m->gpu.sm_count - (uint64_t)g->sm_count;
    take_memory(g);
    result->site_count = program->insn_count;
    result->sites = xcalloc((size_t)program->insn_count + 1, sizeof *result->sites);
    g->plans = plans_create(code, &m->sm);
    if (g->run->mechanism->flags & DIV_BARRIERS && !g->run->barriers)
        g->barriers = barriers_place(program);
    g->interval_at = g->run->watch.every_cycles ? g->start + g->run->watch.every_cycles : UINT64_MAX;
    struct sm_setup setup = {.config = &m->sm,
                             .mechanism = g->run->mechanism,
                             .mechanism_knobs = g->run->mechanism_knobs,
                             .likely = g->run->likely,
                             .barriers = g->barriers ? g->barriers : g->run->barriers,
                             .scheduler = sched_find(sm_scheduler_names[m->sm.scheduler]),
                             .engine = g->engine,
                             .program = program,
                             .plans = g->plans,
                             .start = g->start,
                             .mem = g->mem,
                             .memory = &m->mem,
                             .blocks = (int)occupancy.blocks,
                             .sites = result->sites,
                             .trace = g->run->trace};
    g->sms = xcalloc((size_t)g->sm_count, sizeof *g->sms);
    g->due = xcalloc((size_t)g->sm_count, sizeof *g->due);
    g->ignores_memory = xcalloc((size_t)g->sm_count, sizeof *g->ignores_memory);
    g->turns = xcalloc((size_t)g->sm_count, sizeof *g->turns);
    for (int i = 0; i < g->sm_count; i++)
        g->sms[i] = sm_create(&setup, i);
    g->scene = (struct scene){g->engine, g->run->mechanism, g->sms, g->sm_count, g->mem, 0};
    livelock_start(&g->livelock, &g->scene, result->sites);
    trace_set_origin(g->run->trace, g->start);
    return true;
}

void gpu_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                struct gpu_result *result)
{
    memset(result, 0, sizeof *result);
    struct gpu g = {.run = run};
    if (set_up(&g, launch, code, result)) {
        bool finished = run_cycles(&g, result);
        end_launch(&g, result, finished);
        gather_statistics(&g, result);
        livelock_end(&g.livelock);
    }
    for (int i = 0; g.sms && i < g.sm_count; i++)
        sm_destroy(g.sms[i]);
    free(g.sms);
    free(g.due);
    free(g.ignores_memory);
    free(g.turns);
    plans_destroy(g.plans);
    barrier_plan_destroy(g.barriers);
    leave_memory(&g);
    if (g.engine)
        engine_close(g.engine);
}

void gpu_result_free(struct gpu_result *result)
{
    free_counters(result->memory_counters);
    free(result->mechanism);
    free(result->deadlock);
    free(result->sites);
    memset(result, 0, sizeof *result);
}
