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
 * A front runs ahead of the rest on its own, as far as what reaches it is known: see crossbar.h. When a
 * packet leaves is known as soon as it has a place in the crossbar: it is sent at once, to leave at its
 * cycle. The lookups of a port go on in one run for as long as nothing arrives.
 */
#ifndef HEDDLE_MEM_SM_PORT_H
#define HEDDLE_MEM_SM_PORT_H

#include "mem/cache.h"
#include "mem/coalesce.h"
#include "mem/crossbar.h"
#include "mem/mshr.h"
#include "mem/replies.h"

/* An access some of whose lanes are not back. */
struct sm_port_access {
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
struct sm_port_target {
    uint64_t lanes;
    uint32_t access;
};

/* What a transaction does at its port. */
enum sm_port_route {
    SM_PORT_LOOK_UP,         /* in the cache, whole lines */
    SM_PORT_LOOK_UP_SECTORS, /* in the cache */
    SM_PORT_ASK,             /* the L2, past the cache */
    SM_PORT_WRITE            /* through */
};

/* What every transaction needs is first, here and below: of many fronts, that is all that stays in the host's cache. */
struct cache_port {
    struct transaction *transaction; /* [COALESCE_MAX] */
    int at, count;                   /* transactions: next, and how many */
    uint64_t next;                   /* cycle of the next one, if it is not stalled */
    uint64_t absent;                 /* line of a stalled one, whole, neither in the cache nor asked for; CACHE_EMPTY */
    uint64_t stalled_since;
    enum mem_stall stall;     /* why the next one waits; MEM_NO_STALL: it does not */
    enum sm_port_route route; /* of the access at the port */
    uint32_t access;
    uint32_t latency_cycles;
    struct mshr mshr;
    struct sm_port_target *target; /* [node of mshr] */
    struct cache cache;
    struct port_stats *stats;
    struct packet read;                         /* of a whole line: what is the same in all */
    unsigned line_shift, sector_shift, sectors; /* sectors: of a line */
    uint8_t index;
    bool is_atomic;
    bool is_whole;                                  /* lines are fetched whole */
    uint64_t *stall_cycles[MEM_NO_WRITE_QUEUE + 1]; /* where they are counted */
    const struct mem_cache_config *config;
};

/* A packet on its way from the queue into the crossbar. */
struct sm_port_departure {
    uint64_t left; /* in the queue until this core cycle; CLOCK_NEVER: as long as it has no place in the crossbar */
    uint16_t data_bytes;
    bool waited; /* for a place in the crossbar */
};

/* The miss queue or the write queue. A packet takes the place of the one `most` before it, if that has left; so all that
 * must be known of the queue are the cycles at which its packets leave. */
struct sm_port_queue {
    struct sm_port_departure *at; /* ring; a packet's number counts on */
    uint32_t mask, most;          /* packets in the queue */
    uint64_t entered, departed;   /* numbers of the next packet, and of the next to get its time to leave */
    uint64_t data_bytes, waited;  /* of all that have theirs */
};

#define SM_PORT_STALLED (UINT64_C(1) << 63) /* later than any cycle */

struct sm_port {
    struct mem_times *times; /* the owner's, with those of the others: they are asked for every window */
    struct ring arrival;     /* from the crossbar; core cycles */
    uint32_t sm;
    unsigned active; /* ports that hold an access, as bits */
    struct sm_port_access *access;
    struct crossbar *crossbar;

    struct ring *outbound;               /* the crossbar's: packets that have a place there, and behind them ... */
    uint32_t sent, places_until, places; /* ... their places: see has_place() */
    uint64_t link_free;                  /* crossbar cycle */
    struct sm_port_queue reads, writes;  /* writes and atomics */
    struct clock_ratio to_crossbar, from_crossbar;
    struct divider by_channels;
    unsigned interleave_shift;
    uint32_t access_capacity, free_access;

    /* First cycle at which the port may take an access; while it is stalled, SM_PORT_STALLED and the number of
     * transactions that are left. */
    uint64_t free[PORT_COUNT];
    struct cache_port port[PORT_COUNT];

    struct ring queue; /* without a place in the crossbar; time: core cycle from which they may leave */
    struct replies replies;
    uint64_t flushed; /* reads that had entered the miss queue when the caches were emptied last */
    const struct mem_config *config;
};

void sm_port_open(struct sm_port *f, const struct mem_config *config, struct mem_counters *stats, struct crossbar *x,
                  struct mem_times *times, uint32_t sm);
void sm_port_close(struct sm_port *f);
/* Empties the caches. */
void sm_port_flush(struct sm_port *f);

static inline enum mem_port mem_port_of(enum mem_kind kind)
{
    static const uint8_t port[] = {
        [MEM_LOAD] = PORT_DATA,         [MEM_STORE] = PORT_DATA,      [MEM_ATOMIC] = PORT_DATA,
        [MEM_CONSTANT] = PORT_CONSTANT, [MEM_TEXTURE] = PORT_TEXTURE, [MEM_INSTRUCTION] = PORT_INSTRUCTION};
    return (enum mem_port)port[kind];
}

/* When one of the ports (as bits) takes an access, of those whose lookups are done. */
static inline uint64_t sm_port_free_from(const struct sm_port *f, unsigned ports)
{
    uint64_t next = CLOCK_NEVER;
    for (unsigned left = ports & ~f->active; left; left &= left - 1)
        next = clock_earlier(next, f->free[__builtin_ctz(left)]);
    return next;
}

/* When the first news are that are known: a reply, if they are wanted, or one of the ports free to take an access. */
static inline uint64_t sm_port_known_wakeup(const struct sm_port *f, bool replies, unsigned ports)
{
    return clock_earlier(replies ? f->times->reply : CLOCK_NEVER, sm_port_free_from(f, ports));
}

/* All that happens up to the first wakeup, but no further than cycle `until`; something does. */
uint64_t sm_port_run_on(struct sm_port *f, bool replies, unsigned ports, uint64_t until);

/* The same, if something does. Gives when the news are, as far as is known. */
static inline uint64_t sm_port_run(struct sm_port *f, bool replies, unsigned ports, uint64_t until)
{
    uint64_t wakeup = sm_port_known_wakeup(f, replies, ports);
    return f->times->next > until || f->times->next >= wakeup ? wakeup : sm_port_run_on(f, replies, ports, until);
}

/* All that happens up to and including the cycle. */
static inline void sm_port_advance(struct sm_port *f, uint64_t cycle)
{
    if (f->times->next <= cycle)
        sm_port_run_on(f, false, 0, cycle);
}

/* Adds what has left by the cycle to the crossbar's requests. */
void sm_port_count_requests(const struct sm_port *f, uint64_t cycle, struct crossbar_stats *stats);
/* Packets that have a place in the crossbar and have not left by the cycle. */
uint32_t sm_port_waiting(const struct sm_port *f, uint64_t cycle);
/* The front must have been brought up to `now`. */
bool sm_port_issue(struct sm_port *f, uint64_t now, const struct mem_access *access, int *transactions);

/* The front must have been brought up to `now`. */
static inline bool sm_port_take_reply(struct sm_port *f, uint64_t now, struct mem_reply *reply)
{
    if (f->times->reply > now)
        return false;
    *reply = replies_take(&f->replies);
    f->times->reply = replies_first_cycle(&f->replies);
    return true;
}

/* From the crossbar: a packet arrives; a place becomes free. At core cycles not yet advanced to. */
void sm_port_receive(struct sm_port *f, uint64_t cycle, const struct packet *p);
/* What sm_port_free_place() does if a packet waits for the place. */
void sm_port_give_place(struct sm_port *f);

/* The place of the packet that the crossbar gave out last is free from the cycle on. Slices take packets in order of
 * time, so the cycles are in order too; they are kept where the packets were. */
static inline void sm_port_free_place(struct sm_port *f, uint64_t cycle)
{
    struct ring *r = f->outbound;
    r->at[(r->head - 1) & r->mask].time = cycle;
    f->places_until++;
    if (f->queue.count)
        sm_port_give_place(f);
}

#endif
