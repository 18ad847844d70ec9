/*
 * A slice of the L2 and its DRAM channel, in the crossbar's clock.
 *
 * Requests wait in a queue and look up the tags in order, one every l2_interval cycles. Hits are answered
 * l2_latency cycles later. Misses take a miss register and go to the channel; what comes back is put into the
 * cache and answers all who waited. A request that finds no register, no room in the channel or no room for
 * its reply stays where it is, and those behind it wait. The cache writes back: a dirty line goes to the
 * channel when it must leave. A write of a whole line (or of whole sectors) needs nothing from DRAM; one of a
 * part fetches the rest first, by default. Atomics are done here: the lanes on one word one after the other,
 * atomic_interval cycles each, and a line serves one atomic packet at a time; the next one for it waits at
 * the head of the queue.
 */
#ifndef HEDDLE_MEM_SLICE_H
#define HEDDLE_MEM_SLICE_H

#include "base/text.h"
#include "mem/cache.h"
#include "mem/crossbar.h"
#include "mem/dram.h"
#include "mem/mshr.h"
#include "mem/sm_port.h"

enum { SLICE_ATOMIC_LINES = 16 }; /* lines with an atomic in progress */

enum mem_slice_stall {
    SLICE_GOES,
    SLICE_NO_MSHR,
    SLICE_NO_MERGE,
    SLICE_NO_DRAM,
    SLICE_NO_REPLY,
    SLICE_ATOMIC,
    SLICE_STALLS
};

struct mem_slice {
    const struct mem_config *config;
    struct l2_stats *stats;
    struct crossbar *crossbar;
    struct crossbar_port *port; /* this slice's */
    struct sm_port *sm_ports;   /* [sm] where replies go */
    uint32_t index;
    unsigned line_shift, sector_shift;
    uint8_t all_sectors;
    struct clock_ratio to_core, to_memory, from_memory;
    struct cache cache;
    struct mshr mshr;
    struct packet *target; /* [node of mshr] */
    struct ring input, output;
    struct dram dram;
    uint32_t most_input, most_output;
    int64_t found; /* place of the line found last */
    uint64_t tags_free, link_free;
    uint64_t reply_at; /* the first reply may leave, if its multiprocessor's port is free; CLOCK_NEVER */
    uint32_t reply_sm;
    uint64_t work_at;   /* nothing but a reply, or a request from the crossbar, is due before */
    uint64_t done_time; /* of the first read that came back from the channel; CLOCK_NEVER */
    bool fill_started;  /* it is in the cache; its targets are being answered */
    int32_t fill_node;  /* next of them */
    enum mem_slice_stall stall;
    uint64_t stalled_since, atomic_free;
    uint64_t *stall_cycles[SLICE_STALLS]; /* where they are counted */
    uint64_t going_cycles;                /* not in a stall: nobody's */
    struct divider by_slices;
    uint64_t written; /* cycle at which the last write or atomic was done */
    uint64_t atomic_line[SLICE_ATOMIC_LINES], atomic_until[SLICE_ATOMIC_LINES];
};

void mem_slice_open(struct mem_slice *s, const struct mem_config *config, struct mem_counters *stats,
                    struct crossbar *x, struct sm_port *sm_ports, uint32_t index);
void mem_slice_close(struct mem_slice *s);
/* All that happens in all slices of the crossbar up to and including cycle `until`. */
void mem_slice_run_all(struct mem_slice *slices, uint64_t until);
void mem_slice_dump(const struct mem_slice *s, struct text *out);

#endif
