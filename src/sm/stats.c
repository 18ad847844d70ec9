/* Counters of a multiprocessor: names, units and meanings for people. */
#include "sm/stats.h"

#define SUM(field, name, unit, meaning)                                 \
    {                                                                   \
        name, unit, meaning, offsetof(struct sm_stats, field), STAT_SUM \
    }

static const struct stat_counter counters[] = {
    {"cycles", "cycles", "Cycles from the start of the first block to the end of the last.",
     offsetof(struct sm_stats, cycles), STAT_MAX},
    SUM(warp_instructions, "warp_instructions", "warp instructions", "Instructions issued, one per strand and issue."),
    SUM(thread_instructions, "thread_instructions", "thread instructions",
        "Instructions issued, one per thread of the strand and issue."),
    SUM(issue_slots, "issue_slots", "lanes", "Lanes offered: the warp width for each port and cycle that issued."),
    SUM(issued_cycles[0], "W1_4", "cycles", "Cycles that issued 1 to 4 threads."),
    SUM(issued_cycles[1], "W5_8", "cycles", "Cycles that issued 5 to 8 threads."),
    SUM(issued_cycles[2], "W9_12", "cycles", "Cycles that issued 9 to 12 threads."),
    SUM(issued_cycles[3], "W13_16", "cycles", "Cycles that issued 13 to 16 threads."),
    SUM(issued_cycles[4], "W17_20", "cycles", "Cycles that issued 17 to 20 threads."),
    SUM(issued_cycles[5], "W21_24", "cycles", "Cycles that issued 21 to 24 threads."),
    SUM(issued_cycles[6], "W25_28", "cycles", "Cycles that issued 25 to 28 threads."),
    SUM(issued_cycles[7], "W29_32", "cycles", "Cycles that issued 29 or more threads."),
    SUM(stall_cycles, "Stall", "cycles",
        "Cycles that issued nothing although a strand was ready: its unit or memory port was busy."),
    SUM(idle_memory_cycles, "W0_Mem", "cycles",
        "Cycles in which no strand was ready and memory accesses were in flight."),
    SUM(idle_cycles, "W0_Idle", "cycles", "Cycles in which no strand was ready and no memory access was in flight."),
    SUM(sync_cycles, "W0_Sync", "cycles",
        "Cycles that issued nothing but operations on convergence barriers or stacks."),
    SUM(syncs, "syncs", "operations",
        "Operations on convergence barriers, explicit pops of a stack, and instructions of a call-return stack, that "
        "issued; they are no warp instructions, except of a program that --lower ptxas changed."),
    SUM(branches, "branches", "warp instructions", "Branches issued that can go to more than one place."),
    SUM(divergent_branches, "divergent_branches", "warp instructions", "Branches issued whose threads diverged."),
    SUM(memory_instructions, "memory_instructions", "warp instructions",
        "Loads, stores and atomics issued to the memory system."),
    SUM(transactions, "transactions", "lines", "Lines that accesses to the memory system touched."),
    SUM(home_transactions, "home_transactions", "lines",
        "Lines that static warps would have touched with these accesses; counted under mechanisms that may run the "
        "threads of "
        "a static warp apart."),
    SUM(shared_instructions, "shared_instructions", "warp instructions", "Accesses issued to shared memory."),
    SUM(shared_passes, "shared_passes", "passes", "Passes over the banks that accesses to shared memory took."),
    SUM(shared_stall_cycles, "shared_stall_cycles", "cycles",
        "Passes over the banks of shared memory beyond the first of each access, for which the banks take no other "
        "access."),
    SUM(scalar_instructions, "scalar_instructions", "warp instructions",
        "Instructions that a scalar unit executed for all threads of the strand; only with sm.scalar=yes."),
    {"scalar_registers", "registers",
     "Registers of 32 bits that the kernel needs once per warp, in a scalar register file; only with sm.scalar=yes.",
     offsetof(struct sm_stats, scalar_registers), STAT_MAX},
    {"private_registers", "registers",
     "Registers of 32 bits that the kernel needs in every thread beside its scalar registers; only with sm.scalar=yes.",
     offsetof(struct sm_stats, private_registers), STAT_MAX},
    SUM(barriers, "barriers", "warp instructions", "Block-barrier instructions issued."),
    SUM(blocks, "blocks", "blocks", "Blocks that ended."),
    SUM(fetches, "fetches", "fetches", "Requests for instructions that were served."),
    SUM(l0_hits, "l0_hits", "fetches", "Requests for instructions that an L0 instruction cache served."),
    SUM(l0_misses, "l0_misses", "fetches",
        "Requests for instructions that an L0 instruction cache did not have, and the L1 served."),
    SUM(decodes, "decodes", "instructions", "Instructions decoded; a gang's are decoded once for all members."),
    SUM(buffer_fills, "buffer_fills", "instructions",
        "Decoded instructions written into instruction buffers; a gang's are written once per slice."),
    SUM(resident_thread_cycles, "resident_thread_cycles", "threads times cycles",
        "Resident threads, counted in whole rows of 32, summed over all cycles."),
};

const struct stat_owner sm_stat_owner = {"sm", counters, sizeof counters / sizeof *counters, sizeof(struct sm_stats)};
