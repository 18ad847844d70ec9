/*
 * A slice of the L2, in cycles of the crossbar's clock. Its DRAM channel may be shared with other slices (dram.h).
 *
 * Requests wait in a queue and look up the tags in order, one every l2_interval cycles. A hit is answered l2_latency
 * cycles later. A miss takes a miss register and asks the channel; the line that comes back is put into the cache and
 * answers every request that waits for it, l2_fill_latency cycles later. A request that finds no miss register, no room
 * in the channel or no room for its reply stays at the head of the queue, and those behind it wait.
 *
 * The cache is write-back: a dirty line is written to the channel when it is evicted. A write of whole lines or
 * sectors needs nothing from DRAM; a write of part of a sector fetches the rest first (l2_write_miss = fetch).
 *
 * Atomics are performed here: those of lanes that share a word one after the other, every atomic_interval cycles. A
 * line serves one atomic packet at a time; the next atomic for the line waits at the head of the queue.
 */
#ifndef HEDDLE_MEM_SLICE_H
#define HEDDLE_MEM_SLICE_H

#include "base/text.h"
#include "mem/atomics.h"
#include "mem/cache.h"
#include "mem/crossbar.h"
#include "mem/dram.h"
#include "mem/mshr.h"
#include "mem/response.h"
#include "mem/sm_port.h"

/* Why the request at the head of the queue waits. */
enum mem_slice_stall {
    SLICE_GOES,     /* it does not wait */
    SLICE_NO_MSHR,  /* all miss registers are taken */
    SLICE_NO_MERGE, /* the line's miss register has as many targets as it can hold */
    SLICE_NO_DRAM,  /* the channel's queue is full */
    SLICE_NO_REPLY, /* the queue of replies is full */
    SLICE_ATOMIC,   /* an atomic is in progress on the line */
    SLICE_STALLS
};

/* Fields that every request needs come first: with many slices, only those stay in the host's cache. */
struct mem_slice {
    struct crossbar *crossbar;
    struct crossbar_port *port; /* this slice's port of the crossbar */
    struct dram *dram;          /* the channel, which other slices may share */
    struct dram_client *client; /* what the channel keeps for this slice */
    uint32_t index;             /* number of this slice */
    uint32_t most_input;        /* capacity of the queue of requests, in packets */
    uint32_t most_output;       /* capacity of the queue of replies, in packets */
    uint32_t reply_sm;          /* SM of the first reply */
    uint64_t link_free;         /* first cycle at which the link for replies is free */
    struct cache cache;
    uint64_t tags_free; /* first cycle at which the tags are free */
    /* cycle in which there will be room for the reply to a request that was looked up and answered ahead of that cycle.
     * It is in `input` no more, but keeps its place in the queue until then. CLOCK_NEVER: there is none */
    uint64_t answered;
    enum mem_slice_stall stall; /* of the request at the head of the queue */
    unsigned line_shift;        /* log2 of bytes per line */
    struct ring input;          /* requests that wait for their lookup */
    /* replies that wait; time: crossbar cycle from which on they may leave. Before the first of them stand those that
     * were sent last, maybe ahead of the slice's time; time: cycle at which they leave, and their room with them */
    struct response_queue output;
    const struct mem_config *config;
    struct sm_port *sm_ports;      /* [sm] where replies go */
    int64_t found;                 /* place of the line that a lookup found last */
    uint64_t stalled_since;        /* cycle of the stall, also of that of a request that was answered ahead */
    uint64_t replies, reply_bytes; /* sent so far; the bytes of their data */
    struct l2_stats stats;         /* but for accesses and reads, which follow from the others */
    uint64_t done_time;            /* cycle at which the first finished read comes back from the channel; CLOCK_NEVER */
    bool fill_started;             /* the read that came back is in the cache, and its targets are being answered */
    int32_t fill_node;             /* the target that is answered next */
    uint64_t atomic_free;          /* SLICE_ATOMIC: cycle at which the line is free */
    struct mshr mshr;
    struct packet *target;                     /* [node of mshr] the request that waits */
    struct clock_ratio to_memory, from_memory; /* crossbar cycles to memory cycles, and back */
    uint64_t *stall_cycles[SLICE_STALLS];      /* [stall] counter of the stall's cycles */
    uint64_t going_cycles;                     /* what stall_cycles[SLICE_GOES] counts, for nobody */
    uint32_t dram_client;                      /* number of this slice among those of the channel */
    unsigned sector_shift;                     /* log2 of bytes per sector */
    uint64_t written;                          /* cycle at which the last write or atomic was done */
    struct atomics atomics;
} __attribute__((aligned(64)));

/* `storage`, which was never started anew, keeps what is not freed before the whole memory system. */
void mem_slice_open(struct mem_slice *s, const struct mem_config *config, struct crossbar *x, struct sm_port *sm_ports,
                    struct dram *dram, uint32_t index, struct storage *storage);
void mem_slice_close(struct mem_slice *s);
/* Does everything that happens in all slices of the crossbar up to and including cycle `until`, and sends the replies
 * of the next `lead` cycles of the crossbar. */
void mem_slice_run_all(struct mem_slice *slices, uint64_t until);
/* Adds the slice's counters to those of the whole machine. Everything up to cycle k must have been done. */
void mem_slice_count(const struct mem_slice *s, uint64_t k, struct mem_counters *stats);
void mem_slice_dump(const struct mem_slice *s, struct text *out);

#endif
