/* Counters of a multiprocessor: names, units and meanings. */
#include "sm/stats.h"

#define SUM(field, name, unit, meaning)                                 \
    {                                                                   \
        name, unit, meaning, offsetof(struct sm_stats, field), STAT_SUM \
    }

static const struct stat_counter counters[] = {
    {"cycles", "cycles", "from the first block's start to the last one's end", offsetof(struct sm_stats, cycles),
     STAT_MAX},
    SUM(warp_instructions, "warp_instructions", "warp instructions", "strand issues"),
    SUM(thread_instructions, "thread_instructions", "thread instructions", "threads of all strand issues"),
    SUM(issue_slots, "issue_slots", "lanes", "lanes of the ports, in the cycles in which they issued"),
    SUM(issued_cycles[0], "W1_4", "cycles", "cycles that issued 1 to 4 threads"),
    SUM(issued_cycles[1], "W5_8", "cycles", "cycles that issued 5 to 8 threads"),
    SUM(issued_cycles[2], "W9_12", "cycles", "cycles that issued 9 to 12 threads"),
    SUM(issued_cycles[3], "W13_16", "cycles", "cycles that issued 13 to 16 threads"),
    SUM(issued_cycles[4], "W17_20", "cycles", "cycles that issued 17 to 20 threads"),
    SUM(issued_cycles[5], "W21_24", "cycles", "cycles that issued 21 to 24 threads"),
    SUM(issued_cycles[6], "W25_28", "cycles", "cycles that issued 25 to 28 threads"),
    SUM(issued_cycles[7], "W29_32", "cycles", "cycles that issued 29 or more threads"),
    SUM(stall_cycles, "Stall", "cycles", "a strand was ready and what it needs was busy"),
    SUM(idle_memory_cycles, "W0_Mem", "cycles", "nothing ready, memory pending"),
    SUM(idle_cycles, "W0_Idle", "cycles", "nothing ready, no memory pending"),
    SUM(sync_cycles, "W0_Sync", "cycles", "cycles that issued nothing but convergence-barrier operations"),
    SUM(syncs, "syncs", "operations",
        "operations on convergence barriers, and explicit pops, that were issued; no warp instructions"),
    SUM(branches, "branches", "warp instructions", "branches that could go more than one way"),
    SUM(divergent_branches, "divergent_branches", "warp instructions", "branches that did"),
    SUM(memory_instructions, "memory_instructions", "warp instructions",
        "loads, stores and atomics to the memory system"),
    SUM(transactions, "transactions", "lines", "lines that they touched"),
    SUM(home_transactions, "home_transactions", "lines",
        "those that static warps would have touched; counted where threads of one may be apart"),
    SUM(shared_instructions, "shared_instructions", "warp instructions", "accesses to shared memory"),
    SUM(shared_passes, "shared_passes", "passes", "passes of the banks that they took"),
    SUM(barriers, "barriers", "warp instructions", "arrivals at block barriers"),
    SUM(blocks, "blocks", "blocks", "blocks run"),
    SUM(fetches, "fetches", "fetches", "requests for instructions that were served"),
    SUM(l0_hits, "l0_hits", "fetches", "of these, those that an L0 instruction cache served"),
    SUM(resident_thread_cycles, "resident_thread_cycles", "threads times cycles", "occupancy"),
};

const struct stat_owner sm_stat_owner = {"sm", counters, sizeof counters / sizeof *counters, sizeof(struct sm_stats)};
