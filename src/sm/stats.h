/* Counters of a multiprocessor. */
#ifndef HEDDLE_SM_STATS_H
#define HEDDLE_SM_STATS_H

#include "stat/stat.h"

enum { SM_WIDTH_CLASSES = 8 };

struct sm_stats {
    uint64_t cycles;
    uint64_t warp_instructions, thread_instructions;
    uint64_t issue_slots;                     /* lanes offered: W in each cycle that a port issues */
    uint64_t issued_cycles[SM_WIDTH_CLASSES]; /* W1-4 ... W29-32: by threads that issued */
    uint64_t stall_cycles;                    /* ready, but what it needs is busy */
    uint64_t idle_memory_cycles;              /* W0_Mem: nothing ready, memory pending */
    uint64_t idle_cycles;                     /* W0_Idle: nothing ready otherwise */
    uint64_t syncs, sync_cycles;              /* convergence-barrier operations; cycles that issued nothing else */
    uint64_t branches, divergent_branches;
    uint64_t memory_instructions, transactions;
    uint64_t home_transactions; /* what static warps would have made of them: see static_lines.c */
    uint64_t shared_instructions, shared_passes;
    uint64_t barriers;
    uint64_t blocks;
    uint64_t resident_thread_cycles;
    uint64_t fetches, l0_hits;
};

extern const struct stat_owner sm_stat_owner;

/* What happened at one PC, over all multiprocessors. */
struct sm_site {
    uint64_t issues, threads; /* warp and thread instructions */
    uint64_t diverged;        /* issues whose threads left for more than one place */
    uint64_t taken;           /* of a branch: threads that did not go to the next PC */
    uint64_t transactions;    /* lines, or passes over the banks of shared memory */
};

#endif
