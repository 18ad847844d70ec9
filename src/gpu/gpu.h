/*
 * A launch on a described machine: blocks dispatched to multiprocessors as they have room, all of them and
 * the memory system run in order of cycle, until the last block is done.
 */
#ifndef HEDDLE_GPU_GPU_H
#define HEDDLE_GPU_GPU_H

#include "device/launch.h"
#include "div/contract/div.h"
#include "exec/code.h"
#include "gpu/machine.h"
#include "mem/mem.h"
#include "sm/stats.h"
#include "stat/stat.h"

enum { GPU_MAX_PARTS = 12 };

struct gpu_progress;

/* Who watches a launch while it runs. */
struct gpu_watch {
    void *context;
    /* Called after each multiple of `every_cycles` (0: never), at the end of the window it lies in, with all
     * counters so far; `cycle` says where that is. */
    uint64_t every_cycles;
    void (*interval)(void *context, uint64_t cycle, const struct stat_result *so_far);
    /* Called about every 50 ms of host time; NULL: nobody. Returns false to stop the launch. */
    bool (*progress)(void *context, const struct gpu_progress *so_far);
};

struct gpu_progress {
    uint64_t cycle, warp_instructions, thread_instructions, blocks_done, blocks;
};

/* What stays from launch to launch: the caches, and the clock that they count by. */
struct gpu_kept {
    struct mem *mem; /* NULL before the first launch */
    uint64_t cycle;  /* at which the last launch left it */
};
void gpu_kept_free(struct gpu_kept *kept);

/* How to run: which machine, which mechanism with which knobs. */
struct gpu_run {
    const struct machine *machine;
    const struct div_ops *mechanism;
    const void *mechanism_knobs; /* as the mechanism's knob table says; NULL if it has none */
    const int32_t *likely;       /* by branch: likely-convergence points of a profile; NULL: those of the analysis */
    const struct barrier_plan *barriers; /* for mechanisms with DIV_BARRIERS; NULL: those of post-dominators */
    bool visit_every_cycle;              /* for tests: must give the same statistics */
    struct trace *trace;                 /* NULL: none */
    struct gpu_kept *kept;               /* NULL: each launch finds its caches empty */
    struct gpu_watch watch;
};

struct gpu_result {
    struct launch_result launch;
    uint64_t cycles;
    uint64_t drain_cycles; /* of those: after the last thread, until the last store or atomic was done */
    int blocks_per_sm;
    const char *occupancy_limit; /* what keeps it from being more */
    struct sm_stats sm;
    void *mechanism;                        /* the mechanism's counters, or NULL; owned */
    struct stat_value parts[GPU_MAX_PARTS]; /* all counters, for printers; they point into this */
    int part_count;
    void *memory_counters[MEM_OWNERS]; /* of this launch alone; owned */
    struct sm_site *sites;             /* by PC, as many as the program has instructions; owned */
    int site_count;
    char *deadlock; /* who waits for what, if it came to that; owned */
};

void gpu_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                struct gpu_result *result);
void gpu_result_free(struct gpu_result *result);

#endif
