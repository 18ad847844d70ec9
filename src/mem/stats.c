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
    PORT(issued, "accesses", "Accesses that the cache ports took from multiprocessors."),
    PORT(transactions, "lines", "Transactions, one per line, that the accesses were coalesced into."),
    PORT(joint_lookups, "lines",
         "Transactions looked up in the cycle of an earlier one of the same access, in another bank or through another "
         "port."),
    PORT(accesses, "lines", "Lines that reads looked up: hits and misses."),
    PORT(hits, "lines", "Lines that reads found in the cache."),
    PORT(misses, "lines", "Lines that reads did not find in the cache, merges included."),
    PORT(merges, "lines", "Lines that reads did not find in the cache and that a miss register already waited for."),
    PORT(stores, "lines", "Lines written through to the L2."),
    PORT(store_hits, "lines", "Lines written through to the L2 that were in the cache."),
    PORT(bypasses, "lines", "Lines read from the L2 without a lookup of the cache."),
    PORT(atomics, "lines", "Lines of atomic operations."),
    PORT(replies, "accesses", "Accesses whose replies were all made."),
    PORT(latency_cycles, "core cycles",
         "Time from issue to the last lane's data, summed over all accesses with replies."),
    {"longest_cycles", "core cycles", "Time from issue to the last lane's data, of the slowest access.",
     offsetof(struct port_stats, longest_cycles), STAT_MAX},
    PORT(busy_cycles, "core cycles", "Cycles in which a cache port looked up a line."),
    PORT(bank_stall_cycles, "core cycles",
         "Cycles in which a cache port looked up a further line of an access, because the line lies in the bank of an "
         "earlier one."),
    PORT(send_stall_cycles, "core cycles",
         "Cycles in which a cache port looked up a further line of an access, because the line could not leave the "
         "cache in the cycle of an earlier one; only of a data cache with several banks or ports."),
    PORT(mshr_stall_cycles, "core cycles", "Cycles in which a cache port waited for a miss register."),
    PORT(merge_stall_cycles, "core cycles",
         "Cycles in which a cache port waited because the miss register of its line could hold no more targets."),
    PORT(miss_queue_stall_cycles, "core cycles",
         "Cycles in which a cache port waited for the queue of reads to the crossbar."),
    PORT(write_queue_stall_cycles, "core cycles",
         "Cycles in which a cache port waited for the queue of writes to the crossbar."),
};

static const struct stat_counter crossbar_counters[] = {
    CROSSBAR(requests, "packets", "Packets from multiprocessors to the L2."),
    CROSSBAR(request_bytes, "bytes", "Bytes from multiprocessors to the L2."),
    CROSSBAR(replies, "packets", "Packets from the L2 to multiprocessors."),
    CROSSBAR(reply_bytes, "bytes", "Bytes from the L2 to multiprocessors."),
    CROSSBAR(queue_full, "packets",
             "Packets that waited because their multiprocessor had as many packets in the crossbar as it may."),
};

static const struct stat_counter l2_counters[] = {
    L2(accesses, "lines", "Lines looked up: hits and misses."),
    L2(hits, "lines", "Lines found in the L2; a write that needs nothing from DRAM counts as a hit."),
    L2(misses, "lines", "Lines not found in the L2, merges included."),
    L2(merges, "lines", "Lines not found in the L2 that a miss register already waited for."),
    L2(reads, "lines", "Lines looked up by reads."),
    L2(writes, "lines", "Lines looked up by writes."),
    L2(atomics, "lines", "Lines looked up by atomic operations."),
    L2(writebacks, "lines", "Dirty lines written to DRAM."),
    L2(lost_dirty, "lines", "Lines that were dirty when the L2 was emptied between kernels."),
    L2(mshr_stall_cycles, "crossbar cycles", "Cycles in which a slice waited for a miss register."),
    L2(merge_stall_cycles, "crossbar cycles",
       "Cycles in which a slice waited because the miss register of its line could hold no more targets."),
    L2(dram_stall_cycles, "crossbar cycles", "Cycles in which a slice waited for room in its DRAM channel's queue."),
    L2(reply_stall_cycles, "crossbar cycles", "Cycles in which a slice waited for room for a reply."),
    L2(atomic_stall_cycles, "crossbar cycles",
       "Cycles in which a slice waited for an atomic operation in progress on the same line."),
};

static const struct stat_counter dram_counters[] = {
    DRAM(reads, "requests", "Reads served."),
    DRAM(writes, "requests", "Writes served."),
    DRAM(bytes, "bytes", "Bytes read and written."),
    DRAM(row_hits, "requests", "Requests served from a row that was already open."),
    DRAM(row_misses, "requests", "Requests for which a row was opened."),
    DRAM(activates, "commands", "Commands that opened a row."),
    DRAM(precharges, "commands", "Commands that closed a row."),
    DRAM(bus_cycles, "memory cycles", "Cycles in which a channel's data bus was busy."),
    {"deepest_queue", "requests", "Most requests in the queue of any one channel at a time.",
     offsetof(struct dram_stats, deepest_queue), STAT_MAX},
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
