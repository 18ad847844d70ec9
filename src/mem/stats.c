/* The names, units and meanings of the memory system's counters. */
#include "mem/stats.h"

#define ROWS(table) table, sizeof(table) / sizeof *(table)
#define PORT(field, unit, meaning)                                          \
    {                                                                       \
#field, unit, meaning, offsetof(struct port_stats, field), STAT_SUM \
    }
#define CROSSBAR(field, unit, meaning)                                          \
    {                                                                           \
#field, unit, meaning, offsetof(struct crossbar_stats, field), STAT_SUM \
    }
#define L2(field, unit, meaning)                                          \
    {                                                                     \
#field, unit, meaning, offsetof(struct l2_stats, field), STAT_SUM \
    }
#define DRAM(field, unit, meaning)                                          \
    {                                                                       \
#field, unit, meaning, offsetof(struct dram_stats, field), STAT_SUM \
    }

static const struct stat_counter port_counters[] = {
    PORT(issued, "accesses", "taken from multiprocessors"),
    PORT(transactions, "lines", "that the accesses made"),
    PORT(accesses, "lines", "looked up by reads: hits and misses"),
    PORT(hits, "lines", "found by reads"),
    PORT(misses, "lines", "not found by reads, merges among them"),
    PORT(merges, "lines", "not found but already asked for"),
    PORT(stores, "lines", "written through"),
    PORT(store_hits, "lines", "written through that the cache held"),
    PORT(bypasses, "lines", "read past the cache"),
    PORT(atomics, "lines", "of atomic operations"),
    PORT(replies, "accesses", "answered"),
    PORT(latency_cycles, "core cycles", "from issue to the last lane's data, over all answered accesses"),
    {"longest_cycles", "core cycles", "from issue to the last lane's data, of the slowest access",
     offsetof(struct port_stats, longest_cycles), STAT_MAX},
    PORT(busy_cycles, "core cycles", "in which the port looked up a line"),
    PORT(mshr_stall_cycles, "core cycles", "in which the port waited for a miss register"),
    PORT(merge_stall_cycles, "core cycles", "in which the port waited for a line with all its targets taken"),
    PORT(miss_queue_stall_cycles, "core cycles", "in which the port waited for the queue of reads"),
    PORT(write_queue_stall_cycles, "core cycles", "in which the port waited for the queue of writes"),
};

static const struct stat_counter crossbar_counters[] = {
    CROSSBAR(requests, "packets", "to the L2"),
    CROSSBAR(request_bytes, "bytes", "to the L2"),
    CROSSBAR(replies, "packets", "from the L2"),
    CROSSBAR(reply_bytes, "bytes", "from the L2"),
    CROSSBAR(queue_full, "packets", "that had to wait until others of their multiprocessor had reached the L2"),
};

static const struct stat_counter l2_counters[] = {
    L2(accesses, "lines", "looked up: hits and misses"),
    L2(hits, "lines", "found; a whole line written counts as found"),
    L2(misses, "lines", "not found, merges among them"),
    L2(merges, "lines", "not found but already asked for"),
    L2(reads, "lines", "looked up by reads"),
    L2(writes, "lines", "looked up by writes"),
    L2(atomics, "lines", "looked up by atomic operations"),
    L2(writebacks, "lines", "dirty, written to DRAM to make room"),
    L2(lost_dirty, "lines", "dirty when the cache was emptied between kernels"),
    L2(mshr_stall_cycles, "crossbar cycles", "in which slices waited for a miss register"),
    L2(merge_stall_cycles, "crossbar cycles", "in which slices waited for a line with all its targets taken"),
    L2(dram_stall_cycles, "crossbar cycles", "in which slices waited for their channel's queue"),
    L2(reply_stall_cycles, "crossbar cycles", "in which slices waited for room for a reply"),
    L2(atomic_stall_cycles, "crossbar cycles", "in which slices waited for an atomic operation on the same line"),
};

static const struct stat_counter dram_counters[] = {
    DRAM(reads, "requests", "served"),
    DRAM(writes, "requests", "served"),
    DRAM(bytes, "bytes", "read and written"),
    DRAM(row_hits, "requests", "served from a row that was open already"),
    DRAM(row_misses, "requests", "for which a row was opened"),
    DRAM(activates, "commands", "that opened a row"),
    DRAM(precharges, "commands", "that closed a row"),
    DRAM(bus_cycles, "memory cycles", "in which channels moved data"),
    {"deepest_queue", "requests", "at one channel at a time, at most", offsetof(struct dram_stats, deepest_queue),
     STAT_MAX},
};

const struct stat_owner mem_port_owner[PORT_COUNT] = {
    {"l1d", ROWS(port_counters), sizeof(struct port_stats)},
    {"constant", ROWS(port_counters), sizeof(struct port_stats)},
    {"texture", ROWS(port_counters), sizeof(struct port_stats)},
    {"instruction", ROWS(port_counters), sizeof(struct port_stats)},
};
const struct stat_owner mem_crossbar_owner = {"crossbar", ROWS(crossbar_counters), sizeof(struct crossbar_stats)};
const struct stat_owner mem_l2_owner = {"l2", ROWS(l2_counters), sizeof(struct l2_stats)};
const struct stat_owner mem_dram_owner = {"dram", ROWS(dram_counters), sizeof(struct dram_stats)};
