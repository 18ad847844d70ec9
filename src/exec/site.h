/*
 * Sites: what happened at one PC of a program, in a whole launch.
 *
 * A machine counts over all its multiprocessors; the functional engine counts if the launch asks for it
 * (launch.sites), where a cohort's instruction is an issue.
 */
#ifndef HEDDLE_EXEC_SITE_H
#define HEDDLE_EXEC_SITE_H

#include <stdint.h>

struct site {
    uint64_t issues;       /* warp instructions */
    uint64_t threads;      /* thread instructions */
    uint64_t diverged;     /* issues whose threads left for more than one place */
    uint64_t taken;        /* threads that a control instruction did not send to the next PC */
    uint64_t transactions; /* lines of memory, or passes over the banks of shared memory; machines alone count them */
};

/* The functional engine counts runs: instructions that follow each other, which the same threads executed. While it
 * runs, issues and threads of a site are differences to the site before, so that a run changes only the site at its
 * start and the one behind its end. `sites` has one element more than the program has instructions. `runs`: how many
 * runs of this kind are added. */
static inline void site_add_runs(struct site *sites, int32_t from, int32_t end, uint64_t threads, uint64_t runs)
{
    sites[from].issues += runs;
    sites[from].threads += runs * threads;
    sites[end].issues -= runs;
    sites[end].threads -= runs * threads;
}

/* Adds the differences up, once all runs are counted. */
static inline void site_sum_runs(struct site *sites, int32_t count)
{
    for (int32_t pc = 1; pc <= count; pc++) {
        sites[pc].issues += sites[pc - 1].issues;
        sites[pc].threads += sites[pc - 1].threads;
    }
}

static inline void site_add(struct site *into, const struct site *from)
{
    into->issues += from->issues;
    into->threads += from->threads;
    into->diverged += from->diverged;
    into->taken += from->taken;
    into->transactions += from->transactions;
}

#endif
