/* The counters of the memory system, by owner. There is one structure per owner for the whole machine: all
 * multiprocessors, slices and channels add to it. mem/stats.c describes each counter. */
#ifndef HEDDLE_MEM_STATS_H
#define HEDDLE_MEM_STATS_H

#include "mem/config.h"
#include "stat/stat.h"

/* A first-level cache and its port, over all multiprocessors. A transaction is one line of one access. */
struct port_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t stores, store_hits;
    uint64_t bypasses, atomics;
    uint64_t issued, transactions, joint_lookups;
    uint64_t replies, latency_cycles, longest_cycles;
    uint64_t busy_cycles, bank_stall_cycles, send_stall_cycles, mshr_stall_cycles, merge_stall_cycles,
        miss_queue_stall_cycles, write_queue_stall_cycles;
};

struct crossbar_stats {
    uint64_t requests, request_bytes, replies, reply_bytes;
    uint64_t queue_full; /* packets that found all places of their multiprocessor in the crossbar taken */
};

struct l2_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t reads, writes, atomics;
    uint64_t writebacks, lost_dirty;
    uint64_t mshr_stall_cycles, merge_stall_cycles, dram_stall_cycles, reply_stall_cycles, atomic_stall_cycles;
};

struct dram_stats {
    uint64_t reads, writes, bytes;
    uint64_t row_hits, row_misses, activates, precharges;
    uint64_t bus_cycles, deepest_queue;
};

struct mem_counters {
    struct port_stats port[PORT_COUNT];
    struct crossbar_stats crossbar;
    struct l2_stats l2;
    struct dram_stats dram;
};

extern const struct stat_owner mem_port_owner[PORT_COUNT];
extern const struct stat_owner mem_crossbar_owner, mem_l2_owner, mem_dram_owner;

#endif
