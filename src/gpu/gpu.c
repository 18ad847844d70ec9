/* The clock of the whole machine, and the dispatch of blocks. */
#include "gpu/gpu.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/engine.h"
#include "gpu/occupancy.h"
#include "sm/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct gpu {
    const struct gpu_run *run;
    struct engine *engine;
    struct mem *mem;
    struct sm **sms;
    int sm_count;
    uint64_t next_block, block_count, now;
    int next_sm; /* round robin over multiprocessors that have room */
    uint64_t report_ms; /* host time of the next report of progress */
};

/* Gives blocks to multiprocessors with room, one each in turn. */
static void dispatch(struct gpu *g)
{
    for (int tried = 0; g->next_block < g->block_count && tried < g->sm_count;) {
        struct sm *sm = g->sms[g->next_sm];
        g->next_sm = (g->next_sm + 1) % g->sm_count;
        if (!sm_has_room(sm)) {
            tried++;
            continue;
        }
        sm_launch(sm, g->next_block++, g->now);
        tried = 0;
    }
}

static bool all_done(const struct gpu *g)
{
    if (g->next_block < g->block_count)
        return false;
    for (int i = 0; i < g->sm_count; i++)
        if (sm_resident(g->sms[i]))
            return false;
    return true;
}

static uint64_t next_cycle(const struct gpu *g)
{
    uint64_t next = mem_next_event(g->mem);
    for (int i = 0; i < g->sm_count; i++) {
        uint64_t own = sm_next(g->sms[i]), reply = mem_next_reply(g->mem, i);
        next = own < next ? own : next;
        next = reply < next ? reply : next;
    }
    return next;
}

static bool fault_deadlock(struct gpu *g, struct gpu_result *result)
{
    struct text t = {0};
    for (int i = 0; i < g->sm_count; i++)
        if (sm_resident(g->sms[i]))
            sm_dump(g->sms[i], &t);
    mem_dump(g->mem, &t);
    struct fault *f = &result->launch.fault;
    f->kind = FAULT_DEADLOCK;
    f->kernel = g->engine->launch->kernel->name;
    snprintf(f->detail, sizeof f->detail, "under %s nothing can run and nothing is under way",
             g->run->mechanism->name);
    result->deadlock = text_take(&t);
    return false;
}

static bool fault_endless(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = &result->launch.fault;
    f->kind = FAULT_ENDLESS;
    f->kernel = g->engine->launch->kernel->name;
    snprintf(f->detail, sizeof f->detail,
             "the limit of %llu warp instructions is reached; raise it with --limit",
             (unsigned long long)g->engine->limit);
    return false;
}

static bool fault_stopped(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = &result->launch.fault;
    f->kind = FAULT_STOPPED;
    f->kernel = g->engine->launch->kernel->name;
    snprintf(f->detail, sizeof f->detail, "at cycle %llu", (unsigned long long)g->now);
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
    struct gpu_progress p = {.cycle = g->now, .blocks = g->block_count};
    for (int i = 0; i < g->sm_count; i++) {
        const struct sm_stats *s = sm_counters(g->sms[i]);
        p.warp_instructions += s->warp_instructions;
        p.thread_instructions += s->thread_instructions;
        p.blocks_done += s->blocks;
    }
    return watch->progress(watch->context, &p);
}

static bool run_cycles(struct gpu *g, struct gpu_result *result)
{
    uint64_t steps = 0;
    dispatch(g);
    while (!all_done(g)) {
        uint64_t next = g->run->visit_every_cycle ? g->now + 1 : next_cycle(g);
        if (next_cycle(g) == UINT64_MAX && g->next_block >= g->block_count)
            return fault_deadlock(g, result);
        g->now = next > g->now ? next : g->now + 1;
        mem_advance(g->mem, g->now);
        for (int i = 0; i < g->sm_count; i++) {
            if (!g->run->visit_every_cycle && sm_next(g->sms[i]) > g->now &&
                mem_next_reply(g->mem, i) > g->now)
                continue;
            if (!sm_cycle(g->sms[i], g->now))
                return false;
        }
        if (g->next_block < g->block_count)
            dispatch(g);
        if ((++steps & 0xfff) == 0) {
            if (issued(g) > g->engine->limit)
                return fault_endless(g, result);
            if (!report_progress(g))
                return fault_stopped(g, result);
        }
    }
    return true;
}

static void gather_statistics(struct gpu *g, struct gpu_result *result)
{
    const struct div_ops *ops = g->run->mechanism;
    if (ops->stats)
        result->mechanism = xcalloc(1, ops->stats->bytes);
    for (int i = 0; i < g->sm_count; i++) {
        sm_settle(g->sms[i], g->now + 1); /* the last cycle counts */
        stat_add(&sm_stat_owner, &result->sm, sm_counters(g->sms[i]));
        if (ops->stats)
            stat_add(ops->stats, result->mechanism, sm_mechanism_counters(g->sms[i]));
    }
    result->cycles = g->now;
    result->launch.warp_instructions = result->sm.warp_instructions;
    result->launch.thread_instructions = result->sm.thread_instructions;
    result->launch.branches = result->sm.branches;
    result->launch.divergent_branches = result->sm.divergent_branches;
    result->parts[result->part_count++] = (struct stat_value){&sm_stat_owner, &result->sm};
    if (ops->stats)
        result->parts[result->part_count++] = (struct stat_value){ops->stats, result->mechanism};
    int count = 0;
    mem_stats(g->mem, result->parts + result->part_count, GPU_MAX_PARTS - result->part_count, &count);
    result->part_count += count;
}

static bool set_up(struct gpu *g, const struct launch *launch, const struct code *code,
                   struct gpu_result *result)
{
    const struct machine *m = g->run->machine;
    g->engine = engine_open(launch, code, &result->launch);
    if (!g->engine)
        return false;
    const struct program *program = code_program(code);
    struct occupancy_need need = {
        .threads = launch->block[0] * launch->block[1] * launch->block[2],
        .registers = (uint32_t)program->register_count,
        .shared_bytes = program->layout->dynamic_shared_offset + launch->dynamic_shared_bytes};
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
    if (g->run->mechanism->flags & DIV_WARP_BARRIERS)
        g->engine->barrier_warp_width = (int)m->sm.warp_width;
    g->sm_count = (int)m->gpu.sm_count;
    g->block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    g->mem = result->mem = mem_create(&m->mem, g->sm_count);
    result->site_count = program->insn_count;
    result->sites = xcalloc((size_t)program->insn_count + 1, sizeof *result->sites);
    struct sm_setup setup = {.config = &m->sm,
                             .mechanism = g->run->mechanism,
                             .mechanism_knobs = g->run->mechanism_knobs,
                             .scheduler = sched_find(sm_scheduler_names[m->sm.scheduler]),
                             .engine = g->engine,
                             .mem = g->mem,
                             .blocks = (int)occupancy.blocks,
                             .sites = result->sites,
                             .trace = g->run->trace};
    g->sms = xcalloc((size_t)g->sm_count, sizeof *g->sms);
    for (int i = 0; i < g->sm_count; i++)
        g->sms[i] = sm_create(&setup, i);
    return true;
}

void gpu_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                struct gpu_result *result)
{
    memset(result, 0, sizeof *result);
    struct gpu g = {.run = run};
    if (set_up(&g, launch, code, result)) {
        run_cycles(&g, result);
        gather_statistics(&g, result);
    }
    for (int i = 0; g.sms && i < g.sm_count; i++)
        sm_destroy(g.sms[i]);
    free(g.sms);
    if (g.engine)
        engine_close(g.engine);
}

void gpu_result_free(struct gpu_result *result)
{
    mem_destroy(result->mem);
    free(result->mechanism);
    free(result->deadlock);
    free(result->sites);
    memset(result, 0, sizeof *result);
}
