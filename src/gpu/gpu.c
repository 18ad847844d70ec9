/* A launch on a machine: setting it up, running it, taking it down; and the memory system kept between launches. */
#include "gpu/gpu.h"

#include "base/arena.h"
#include "base/crew.h"
#include "base/diag.h"
#include "exec/cluster.h"
#include "gpu/hands.h"
#include "gpu/internal.h"
#include "gpu/lead.h"
#include "gpu/occupancy.h"
#include "mem/ideal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the memory system as the last launch left it, or makes a new one. Its time goes on from launch to launch,
 * so that requests still in flight keep their cycles. */
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
        g->mem = mem_create_closed(&m->mem, (int)m->gpu.sm_count);
    }
    mem_open_sms(g->mem, g->sm_count);
    g->by_quantum = divider_make(mem_quantum(g->mem));
    counters_note_memory(g);
}

/* As take_memory(), for the ideal memory. With ideal lanes it brings instructions, and data where every access takes
 * its least time. */
static void take_ideal_memory(struct gpu *g)
{
    const struct machine *m = g->run->machine;
    struct gpu_kept *kept = g->run->kept;
    if (!(g->run->mechanism->flags & DIV_IDEAL_LANES))
        return;
    if (kept && kept->ideal) {
        g->ideal = kept->ideal;
    } else {
        g->ideal = ideal_memory_create(&m->mem, (int)m->gpu.sm_count);
    }
    ideal_memory_start(g->ideal, m->sm.warp_width * m->sm.schedulers);
}

static void leave_ideal_memory(struct gpu *g)
{
    if (g->run->kept)
        g->run->kept->ideal = g->ideal ? g->ideal : g->run->kept->ideal;
    else
        ideal_memory_destroy(g->ideal);
}

static void leave_memory(struct gpu *g)
{
    struct gpu_kept *kept = g->run->kept;
    counters_free(g->memory_before);
    if (kept && g->mem) {
        windows_drain_memory(g);
        kept->mem = g->mem;
        kept->cycle = g->now;
    } else {
        mem_destroy(g->mem);
    }
}

void gpu_kept_free(struct gpu_kept *kept)
{
    mem_destroy(kept->mem);
    ideal_memory_destroy(kept->ideal);
    crew_destroy(kept->crew);
    storage_free(&kept->storage);
    *kept = (struct gpu_kept){0};
}

/* Ends the launch before it starts. */
static bool refuse(const struct launch *launch, struct gpu_result *result, const char *why)
{
    struct fault *fault = &result->launch.fault;
    fault->kind = FAULT_LAUNCH;
    fault->kernel = launch->kernel->name;
    snprintf(fault->detail, sizeof fault->detail, "%s", why);
    return false;
}

/* The dispatcher gives all blocks of a cooperative launch to multiprocessors in the first cycle. False, with the fault
 * in the result, if the machine has no room for all of them. */
static bool check_cooperative(const struct machine *m, const struct launch *launch, uint64_t blocks,
                              struct gpu_result *result)
{
    uint64_t room = (uint64_t)result->blocks_per_sm * m->gpu.sm_count;
    if (!launch->is_cooperative || blocks <= room)
        return true;
    char why[200];
    snprintf(why, sizeof why,
             "a cooperative launch of %llu blocks does not fit on '%.60s', which holds %llu of them at once",
             (unsigned long long)blocks, m->name, (unsigned long long)room);
    return refuse(launch, result, why);
}

/* False, with the fault in the result, if the machine has no room for all blocks of a cluster at once. */
static bool check_cluster(const struct machine *m, const struct launch *launch, int size, struct gpu_result *result)
{
    uint64_t room = (uint64_t)result->blocks_per_sm * m->gpu.sm_count;
    if ((uint64_t)size <= room)
        return true;
    char why[320];
    snprintf(why, sizeof why, "a cluster of %d blocks does not fit on '%.60s', which holds %llu of them at once", size,
             m->name, (unsigned long long)room);
    return refuse(launch, result, why);
}

static struct occupancy_need need_of(const struct launch *launch, const struct program *program)
{
    return (struct occupancy_need){.threads = launch->block[0] * launch->block[1] * launch->block[2],
                                   .registers = (uint32_t)program->register_count,
                                   .shared_bytes =
                                       program->layout->dynamic_shared_offset + launch->dynamic_shared_bytes};
}

uint64_t gpu_wave_blocks(const struct gpu_run *run, const struct launch *launch, const struct program *program)
{
    struct occupancy_need need = need_of(launch, program);
    return (uint64_t)occupancy_of(run->machine, &need).blocks * run->machine->gpu.sm_count;
}

/* How many blocks a multiprocessor holds. 0: a block does not fit, and the result has the fault. */
static int find_occupancy(const struct machine *m, const struct launch *launch, const struct program *program,
                          struct gpu_result *result)
{
    struct occupancy_need need = need_of(launch, program);
    struct occupancy occupancy = occupancy_of(m, &need);
    result->blocks_per_sm = (int)occupancy.blocks;
    result->occupancy_limit = occupancy_limit_name(occupancy.limit);
    if (!occupancy.blocks) {
        struct text why = {0};
        occupancy_explain(m, &need, &occupancy, &why);
        refuse(launch, result, why.data ? why.data : "");
        text_free(&why);
    }
    return result->blocks_per_sm;
}

/* The machine's scheduler. Under the bound every thread is a strand of its own: a scheduler whose hardware takes time
 * for each strand would delay threads that other mechanisms issue together. */
static const struct sched_ops *scheduler_of(const struct gpu *g)
{
    const struct sched_ops *s = sched_find(sm_scheduler_names[g->run->machine->sm.scheduler]);
    return g->run->mechanism->flags & DIV_LEAST_TIME && s->without_time ? sched_find(s->without_time) : s;
}

static void create_sms(struct gpu *g, int blocks_per_sm)
{
    const struct machine *m = g->run->machine;
    struct sm_setup setup = {.config = &m->sm,
                             .mechanism = g->run->mechanism,
                             .mechanism_knobs = g->run->mechanism_knobs,
                             .likely = g->run->likely,
                             .barriers = g->prepared->barriers,
                             .scheduler = scheduler_of(g),
                             .program = g->prepared->program,
                             .plans = g->prepared->plans,
                             .grid_blocks = g->block_count,
                             .sm_count = (int)m->gpu.sm_count,
                             .start = g->start,
                             .mem = g->mem,
                             .memory = &m->mem,
                             .ideal_memory = g->ideal,
                             .blocks = blocks_per_sm,
                             .trace = g->run->trace,
                             .observer = g->run->observer,
                             .engine = g->engine,
                             .sites = g->hands.at[0].sites,
                             .storage = g->storage};
    g->sms = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *g->sms);
    g->due = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *g->due);
    g->ignores_memory = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *g->ignores_memory);
    g->window.turns = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *g->window.turns);
    g->window.stopped_in = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *g->window.stopped_in);
    g->window.own_turns = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *g->window.own_turns);
    for (int i = 0; i < g->sm_count; i++)
        g->sms[i] = sm_create(&setup, i);
}

/* False: the launch cannot start, and the result has the fault. */
static bool set_up(struct gpu *g, const struct launch *launch, const struct code *code, struct gpu_result *result)
{
    const struct machine *m = g->run->machine;
    g->engine = engine_open(launch, code, &result->launch);
    if (!g->engine)
        return false;
    const struct program *program = code_program(code);
    if (!find_occupancy(m, launch, program, result))
        return false;
    g->block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    g->cluster_size = cluster_size(launch, code);
    if (!check_cooperative(m, launch, g->block_count, result) || !check_cluster(m, launch, g->cluster_size, result))
        return false;
    g->spreads = g->cluster_size > result->blocks_per_sm;
    g->sm_count = g->block_count < m->gpu.sm_count ? (int)g->block_count : (int)m->gpu.sm_count;
    g->idle_sm_count = m->gpu.sm_count - (uint64_t)g->sm_count;
    take_memory(g);
    take_ideal_memory(g);
    result->site_count = program->insn_count;
    result->sites = xcalloc((size_t)program->insn_count + 1, sizeof *result->sites);
    g->sites = result->sites;
    g->site_count = result->site_count;
    g->prepared = prepared_take(g->run, code);
    g->wave_blocks = (uint64_t)result->blocks_per_sm * m->gpu.sm_count;
    g->ask_at = g->run->skipper ? g->wave_blocks : UINT64_MAX;
    g->interval_at = g->run->watch.every_cycles ? g->start + g->run->watch.every_cycles : UINT64_MAX;
    hands_open(g, result->sites);
    lead_open(g, launch);
    create_sms(g, result->blocks_per_sm);
    g->scene = (struct deadlock_scene){g->engine, g->run->mechanism, g->sms, g->sm_count, g->mem, 0};
    livelock_start(&g->livelock, &g->scene, result->sites);
    trace_set_origin(g->run->trace, g->start);
    return true;
}

void gpu_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                struct gpu_result *result)
{
    memset(result, 0, sizeof *result);
    struct gpu g = {.run = run, .result = result};
    g.storage = run->kept ? &run->kept->storage : &g.own_storage;
    g.storage->is_dense = true;
    if (set_up(&g, launch, code, result)) {
        bool finished = windows_run(&g, result);
        windows_end_launch(&g, result, finished);
        hands_gather(&g);
        counters_gather(&g, result);
        livelock_end(&g.livelock);
    }
    skip_end(&g);
    for (int i = 0; g.sms && i < g.sm_count; i++)
        sm_destroy(g.sms[i]);
    lead_close(&g);
    hands_close(&g);
    prepared_leave(g.prepared);
    leave_memory(&g);
    leave_ideal_memory(&g);
    if (g.engine)
        engine_close(g.engine);
    storage_restart(g.storage);
    storage_free(&g.own_storage);
}

void gpu_result_free(struct gpu_result *result)
{
    counters_free(result->memory_counters);
    free(result->mechanism);
    free(result->deadlock);
    free(result->sites);
    memset(result, 0, sizeof *result);
}
