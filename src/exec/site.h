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

static inline void site_add(struct site *into, const struct site *from)
{
    into->issues += from->issues;
    into->threads += from->threads;
    into->diverged += from->diverged;
    into->taken += from->taken;
    into->transactions += from->transactions;
}

#endif
