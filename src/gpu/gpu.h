/* A launch on a machine: blocks are dispatched to multiprocessors as they have room; multiprocessors and memory
 * system run in order of cycle until the last block has ended. */
#ifndef HEDDLE_GPU_GPU_H
#define HEDDLE_GPU_GPU_H

#include "base/storage.h"
#include "device/launch.h"
#include "div/contract/div.h"
#include "exec/code.h"
#include "exec/site.h"
#include "gpu/machine.h"
#include "gpu/skip.h"
#include "mem/mem.h"
#include "sm/stats.h"
#include "stat/stat.h"

enum { GPU_MAX_PARTS = 12 };

struct crew;
struct gpu_progress;
struct sm_observer;

/* Callbacks to whoever watches a launch while it runs. */
struct gpu_watch {
    void *context; /* the watcher's; given to each callback */
    /* `interval` is called after each multiple of `every_cycles` (0: never), at the end of the window that holds
     * that cycle, with all counters so far; `cycle` is the cycle it is called at. */
    uint64_t every_cycles;
    void (*interval)(void *context, uint64_t cycle, const struct stat_result *so_far);
    /* Called about every 50 ms of host time, unless NULL. Returns false to stop the launch. */
    bool (*progress)(void *context, const struct gpu_progress *so_far);
};

/* How far a launch has come; `cycle` counts from its start. */
struct gpu_progress {
    uint64_t cycle, warp_instructions, thread_instructions, blocks_done, blocks;
};

/* What is kept from launch to launch: the caches, and the clock of the memory system. */
struct gpu_kept {
    struct mem *mem;            /* NULL before the first launch */
    uint64_t cycle;             /* core cycle at which the last launch ended */
    struct ideal_memory *ideal; /* NULL before the first launch under a mechanism with DIV_IDEAL_LANES */
    struct crew *crew;          /* host threads of the last launch that had several; NULL: none had */
    struct storage storage;     /* what the multiprocessors of a launch are kept in */
};
void gpu_kept_free(struct gpu_kept *kept);

/* How to run a launch: on which machine, under which mechanism with which knobs. */
struct gpu_run {
    const struct machine *machine;
    const struct div_ops *mechanism;
    const void *mechanism_knobs; /* structure of the mechanism's knob table; NULL if the mechanism has no knobs */
    /* [branch] likely-convergence points from a profile; NULL: those that the analysis guesses */
    const int32_t *likely;
    /* convergence barriers for mechanisms with DIV_BARRIERS; NULL: those placed at post-dominators */
    const struct barrier_plan *barriers;
    int profiled_launches; /* for reports: `likely` comes from so many earlier launches of this run */
    bool is_uncompacted;   /* for reports: the knobs switch off that the mechanism compacts warps */
    /* visit every cycle instead of skipping idle ones: for tests, since all statistics must stay the same */
    bool visit_every_cycle;
    int threads;         /* host threads that may run multiprocessors side by side; 0 or 1: the caller alone */
    struct trace *trace; /* NULL: no trace */
    const struct sm_observer *observer; /* follows the issues of one multiprocessor; NULL: nobody does */
    const struct gpu_skipper *skipper;  /* chooses blocks to execute without time; NULL: all blocks are timed */
    struct gpu_kept *kept;              /* NULL: the launch starts with empty caches */
    struct gpu_watch watch;
};

struct gpu_result {
    struct launch_result launch;
    uint64_t cycles; /* core cycles of the launch */
    /* the part of `cycles` from the end of the last thread until the last store or atomic was done */
    uint64_t drain_cycles;
    uint64_t windows;            /* that were run (gpu/windows.c): what the host did, no figure of the machine */
    int blocks_per_sm;           /* that a multiprocessor can hold at a time */
    const char *occupancy_limit; /* the resource that keeps blocks_per_sm from being more */
    struct gpu_skipped skipped;  /* blocks that took no time: all other figures are of the timed blocks alone */
    struct sm_stats sm;
    void *mechanism; /* the mechanism's counters, as its `stats` describes them; NULL if it has none; owned */
    struct stat_value parts[GPU_MAX_PARTS]; /* all counters, for printers; they point into this structure */
    int part_count;
    void *memory_counters[MEM_OWNERS]; /* the memory system's counters, of this launch alone; owned */
    struct site *sites;                /* [PC] counters by instruction of the program; owned */
    int site_count;
    char *deadlock; /* the report of who waits for what; NULL unless the launch ended with such a fault; owned */
};

/* Blocks of the launch that all multiprocessors of the machine hold together; 0: a block does not fit. */
uint64_t gpu_wave_blocks(const struct gpu_run *run, const struct launch *launch, const struct program *program);

void gpu_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                struct gpu_result *result);
void gpu_result_free(struct gpu_result *result);

#endif
