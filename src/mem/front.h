/*
 * A multiprocessor's side of the memory system: four ports with their caches and miss registers, the queue to
 * the crossbar, and the replies. In core cycles.
 *
 * A port takes one access and looks up its transactions one a cycle, from the cycle of issue on. A read that
 * hits is ready a hit latency later. One that misses takes a miss register (or joins one) and a place in the
 * miss queue, and leaves for the crossbar in the next cycle at the earliest; when the line is there, all its
 * targets are ready. Loads that pass the cache by, and atomics, take a miss register to themselves; an atomic
 * throws the line out. Stores write through: they take a place in the write queue and change the line, or
 * throw it out, if the cache holds it; they never bring one in. A transaction that lacks something stays at
 * the port until it has it.
 *
 * A front runs ahead of the rest on its own, as far as what reaches it is known: see crossbar.h.
 */
#ifndef HEDDLE_MEM_FRONT_H
#define HEDDLE_MEM_FRONT_H

#include "mem/cache.h"
#include "mem/coalesce.h"
#include "mem/crossbar.h"
#include "mem/mshr.h"

/* An access some of whose lanes are not back. */
struct front_access {
    uint64_t lanes;  /* all of them */
    uint64_t issued; /* cycle */
    uint64_t ready;  /* latest of the parts that are known */
    uint32_t ticket;
    uint32_t left; /* transactions */
    uint32_t next_free;
    uint8_t port;
    bool wants_reply, wants_parts, all_hit;
};

/* What waits for a line. */
struct front_target {
    uint64_t lanes;
    uint32_t access;
};

struct front_port {
    struct cache cache;
    struct mshr mshr;
    struct front_target *target; /* [node of mshr] */
    const struct mem_cache_config *config;
    struct port_stats *stats;
    unsigned line_shift, sector_shift, sectors; /* sectors: of a line */
    enum mem_kind kind;                         /* of the access at the port */
    uint32_t access;
    bool bypasses;
    int at, count;        /* transactions: next, and how many */
    uint64_t next;        /* cycle of the next one; free from here on if there is none */
    enum mem_stall stall; /* why the next one waits; MEM_NO_STALL: it does not */
    uint64_t stalled_since;
    struct transaction *transaction; /* [COALESCE_MAX] */
};

/* Replies, a heap by cycle; of equal cycles in the order in which they were made. */
struct front_reply {
    uint64_t order;
    struct mem_reply reply;
};

/* When a multiprocessor's side wants to be looked at; of all of them side by side, since they are asked every
 * cycle. */
struct front_times {
    uint64_t next;             /* nothing happens before */
    uint64_t reply;            /* of the first one that was made */
    uint64_t free[PORT_COUNT]; /* first cycle at which the port may take an access; CLOCK_NEVER while it is
                                  stalled */
};

struct front {
    struct front_times *times; /* the owner's */
    const struct mem_config *config;
    struct crossbar *crossbar;
    struct clock_ratio to_crossbar, from_crossbar;
    uint32_t sm;
    unsigned active; /* ports that hold an access, as bits */
    struct front_port port[PORT_COUNT];

    struct ring queue; /* to the crossbar; time: core cycle from which it may leave */
    uint32_t reads_queued, writes_queued;
    uint64_t link_free;             /* crossbar cycle */
    uint64_t leave_at, leave_cycle; /* of the first of the queue: crossbar cycle; core cycle */
    uint32_t places;                /* in the crossbar that were never used */
    uint64_t *place_free;           /* core cycles at which used ones become free, in order */
    uint32_t place_head, place_count;
    struct ring arrival; /* from the crossbar; core cycles */

    struct front_access *access;
    uint32_t access_capacity, free_access;
    struct front_reply *reply;
    uint32_t reply_count, reply_capacity;
    uint64_t reply_order;
    unsigned interleave_shift;
};

void front_open(struct front *f, const struct mem_config *config, struct mem_counters *stats,
                struct crossbar *x, struct front_times *times, uint32_t sm);
void front_close(struct front *f);

static inline enum mem_port front_port_of(enum mem_kind kind)
{
    return kind == MEM_CONSTANT      ? PORT_CONSTANT
           : kind == MEM_TEXTURE     ? PORT_TEXTURE
           : kind == MEM_INSTRUCTION ? PORT_INSTRUCTION
                                     : PORT_DATA;
}

/* All that happens up to and including the cycle. */
void front_advance(struct front *f, uint64_t cycle);
/* The front must have been brought up to `now`. */
bool front_issue(struct front *f, uint64_t now, const struct mem_access *access, int *transactions);
bool front_take_reply(struct front *f, uint64_t now, struct mem_reply *reply);

/* From the crossbar: a packet arrives; a place becomes free. At core cycles not yet advanced to. */
void front_receive(struct front *f, uint64_t cycle, const struct packet *p);
void front_free_place(struct front *f, uint64_t cycle);

#endif
