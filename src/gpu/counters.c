/*
 * Counters of a launch: sums over multiprocessors (SMs) and their mechanisms, and the share of this launch in the
 * memory system's counters, which go on counting from launch to launch. Also the two reports made while a launch runs:
 * intervals of simulated time, and progress by host time.
 */
#include "gpu/internal.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t counters_blocks_done(const struct gpu *g)
{
    uint64_t total = 0;
    for (int i = 0; i < g->sm_count; i++)
        total += sm_counters(g->sms[i])->blocks;
    return total;
}

uint64_t counters_warp_instructions(const struct gpu *g)
{
    uint64_t total = 0;
    for (int i = 0; i < g->sm_count; i++)
        total += sm_counters(g->sms[i])->warp_instructions;
    return total;
}

bool counters_report_progress(struct gpu *g)
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

/* Scalar instructions are counted by PC, as all are. */
static void add_scalar_counters(const struct gpu *g, struct sm_stats *sm)
{
    const struct scalar_facts *facts = &g->prepared->scalar;
    const int32_t count = facts->is_scalar && !(g->run->mechanism->flags & DIV_LEAST_TIME) ? g->site_count : 0;
    for (int32_t pc = 0; pc < count; pc++)
        sm->scalar_instructions += facts->is_scalar[pc] ? g->sites[pc].issues : 0;
    sm->scalar_registers = count ? (uint64_t)facts->scalar_registers : 0;
    sm->private_registers = count ? (uint64_t)facts->private_registers : 0;
}

/* Brings every SM's counters up to the cycle, and adds them and those of the SM's mechanism up. */
static void add_sm_counters(struct gpu *g, uint64_t cycle, struct sm_stats *sm, void *mechanism)
{
    const struct div_ops *ops = g->run->mechanism;
    for (int i = 0; i < g->sm_count; i++) {
        sm_settle(g->sms[i], cycle);
        stat_add(&sm_stat_owner, sm, sm_counters(g->sms[i]));
        if (ops->stats)
            stat_add(ops->stats, mechanism, sm_mechanism_counters(g->sms[i]));
    }
    sm->idle_cycles += g->idle_sm_count * (cycle - g->start - 1);
    add_scalar_counters(g, sm);
}

/* Copies the memory system's counters, less what they were before the launch. Gives the number of owners. */
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

void counters_note_memory(struct gpu *g)
{
    struct stat_value now[MEM_OWNERS];
    int count;
    mem_stats(g->mem, now, MEM_OWNERS, &count);
    for (int i = 0; i < count; i++) {
        g->memory_before[i] = xmalloc(now[i].owner->bytes);
        memcpy(g->memory_before[i], now[i].values, now[i].owner->bytes);
    }
}

void counters_free(void *counters[MEM_OWNERS])
{
    for (int i = 0; i < MEM_OWNERS; i++) {
        free(counters[i]);
        counters[i] = NULL;
    }
}

/* Lists all counters: those of SMs and mechanism where the caller has them, then copies of the memory system's.
 * Gives the number of parts. */
static int list_counters(const struct gpu *g, struct sm_stats *sm, void *mechanism, void *memory[MEM_OWNERS],
                         struct stat_value *parts)
{
    int count = 0;
    parts[count++] = (struct stat_value){&sm_stat_owner, sm};
    if (g->run->mechanism->stats)
        parts[count++] = (struct stat_value){g->run->mechanism->stats, mechanism};
    return count + memory_counters(g, memory, parts + count);
}

void counters_report_interval(struct gpu *g)
{
    const struct gpu_watch *watch = &g->run->watch;
    const struct stat_owner *owner = g->run->mechanism->stats;
    struct sm_stats sm = {0};
    void *mechanism = owner ? xcalloc(1, owner->bytes) : NULL;
    void *memory[MEM_OWNERS] = {NULL};
    struct stat_value parts[GPU_MAX_PARTS];
    add_sm_counters(g, g->now + 1, &sm, mechanism);
    struct stat_result so_far = {parts, list_counters(g, &sm, mechanism, memory, parts)};
    watch->interval(watch->context, g->now - g->start, &so_far);
    counters_free(memory);
    free(mechanism);
    g->interval_at = g->now + watch->every_cycles - (g->now - g->start) % watch->every_cycles;
}

void counters_gather(struct gpu *g, struct gpu_result *result)
{
    const struct div_ops *ops = g->run->mechanism;
    if (ops->stats)
        result->mechanism = xcalloc(1, ops->stats->bytes);
    add_sm_counters(g, g->end + 1, &result->sm, result->mechanism); /* the last cycle counts too */
    result->cycles = g->end - g->start;
    result->launch.warp_instructions = result->sm.warp_instructions;
    result->launch.thread_instructions = result->sm.thread_instructions;
    result->launch.branches = result->sm.branches;
    result->launch.divergent_branches = result->sm.divergent_branches;
    result->part_count = list_counters(g, &result->sm, result->mechanism, result->memory_counters, result->parts);
}
