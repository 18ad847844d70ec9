/* Counters of a multiprocessor. */
#ifndef HEDDLE_SM_STATS_H
#define HEDDLE_SM_STATS_H

#include "stat/stat.h"

enum { SM_WIDTH_CLASSES = 8 };

/* stats.c describes each counter for users. */
struct sm_stats {
    uint64_t cycles;                          /* from the start of the first block to the end of the last */
    uint64_t warp_instructions;               /* instructions issued, one per strand and issue */
    uint64_t thread_instructions;             /* instructions issued, one per thread of the strand and issue */
    uint64_t issue_slots;                     /* lanes offered: W for each port and cycle that issued */
    uint64_t issued_cycles[SM_WIDTH_CLASSES]; /* cycles that issued, by threads: 1 to 4, ... 25 to 28, 29 or more */
    uint64_t stall_cycles;                    /* a strand was ready, but its unit or memory port was busy */
    uint64_t idle_memory_cycles;              /* no strand was ready, and memory accesses were in flight */
    uint64_t idle_cycles;                     /* no strand was ready, and no memory access was in flight */
    uint64_t syncs;                           /* operations of the mechanism on barriers and stacks */
    uint64_t sync_cycles;                     /* cycles that issued nothing but such operations */
    uint64_t branches, divergent_branches;
    uint64_t memory_instructions, transactions;
    uint64_t home_transactions; /* transactions that static warps would have made: see static_lines.c */
    uint64_t shared_instructions, shared_passes;
    uint64_t shared_stall_cycles;                 /* passes over the banks beyond the first of each access */
    uint64_t scalar_instructions;                 /* warp instructions that scalar units executed */
    uint64_t scalar_registers, private_registers; /* of the kernel, with sm.scalar: see flow/scalar.h */
    uint64_t barriers;
    uint64_t blocks;
    uint64_t resident_thread_cycles;
    uint64_t fetches, l0_hits, l0_misses;
    uint64_t decodes;      /* instructions that were decoded */
    uint64_t buffer_fills; /* decoded instructions written into a buffer: one per slice of a gang */
};

extern const struct stat_owner sm_stat_owner;

#endif
