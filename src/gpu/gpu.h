/*
 * A launch on a described machine: blocks dispatched to multiprocessors as they have room, all of them and
 * the memory system run in order of cycle, until the last block is done.
 */
#ifndef HEDDLE_GPU_GPU_H
#define HEDDLE_GPU_GPU_H

#include "div/div.h"
#include "exec/code.h"
#include "exec/launch.h"
#include "gpu/machine.h"
#include "sm/stats.h"
#include "stat/stat.h"

enum { GPU_MAX_PARTS = 12 };

/* How to run: which machine, which mechanism with which knobs. */
struct gpu_run {
    const struct machine *machine;
    const struct div_ops *mechanism;
    const void *mechanism_knobs; /* as the mechanism's knob table says; NULL if it has none */
    bool visit_every_cycle;      /* for tests: must give the same statistics */
};

struct gpu_result {
    struct launch_result launch;
    uint64_t cycles;
    int blocks_per_sm;
    const char *occupancy_limit; /* what keeps it from being more */
    struct sm_stats sm;
    void *mechanism; /* the mechanism's counters, or NULL; owned */
    struct stat_value
        parts[GPU_MAX_PARTS]; /* all counters, for printers; they point into this and into `mem` */
    int part_count;
    struct mem *mem; /* kept for its counters; owned */
    char *deadlock;  /* who waits for what, if it came to that; owned */
};

void gpu_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                struct gpu_result *result);
void gpu_result_free(struct gpu_result *result);

extern const struct stat_formula gpu_formulas[];
extern const int gpu_formula_count;

#endif
