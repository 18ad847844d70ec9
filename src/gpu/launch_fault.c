/*
 * Faults of the whole machine: a launch that ends because nothing can run, because threads repeat themselves for ever,
 * because it reached the limit of instructions, or because the user stopped it. gpu/deadlock.h writes the report.
 */
#include "gpu/internal.h"

#include <stdio.h>

/* Puts the fault and the report of where the threads are into the result; the caller adds the detail. */
static struct fault *begin_fault(struct gpu *g, struct gpu_result *result, enum fault_kind kind)
{
    struct fault *f = &result->launch.fault;
    f->kind = kind;
    f->kernel = g->engine->launch->kernel->name;
    result->deadlock = deadlock_explain(&g->scene, kind);
    return f;
}

bool launch_fault_deadlock(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = begin_fault(g, result, FAULT_DEADLOCK);
    snprintf(f->detail, sizeof f->detail, "under %s nothing can run and nothing is in flight", g->run->mechanism->name);
    return false;
}

/* Threads repeat themselves: FAULT_LIVELOCK if the mechanism holds other threads back, who might change memory; else
 * FAULT_ENDLESS. */
bool launch_fault_livelock(struct gpu *g, struct gpu_result *result)
{
    bool held = deadlock_holds_back(&g->scene);
    struct fault *f = begin_fault(g, result, held ? FAULT_LIVELOCK : FAULT_ENDLESS);
    if (held)
        snprintf(f->detail, sizeof f->detail,
                 "threads spin for ever on memory that does not change, and %s holds other threads back until they "
                 "leave the loop",
                 g->run->mechanism->name);
    else
        snprintf(f->detail, sizeof f->detail, "threads spin for ever on memory that does not change");
    deadlock_name_spinner(&g->scene, f);
    return false;
}

bool launch_fault_limit(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = begin_fault(g, result, FAULT_LIMIT);
    snprintf(f->detail, sizeof f->detail, "the limit of %llu warp instructions is reached; raise it with --limit",
             (unsigned long long)g->engine->limit);
    return false;
}

bool launch_fault_stopped(struct gpu *g, struct gpu_result *result)
{
    struct fault *f = begin_fault(g, result, FAULT_STOPPED);
    snprintf(f->detail, sizeof f->detail, "at cycle %llu, with %llu of %llu blocks done",
             (unsigned long long)(g->now - g->start), (unsigned long long)counters_blocks_done(g),
             (unsigned long long)g->block_count);
    return false;
}
