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
 * cycle, and only the queue's count follows later, when somebody wants to know. The lookups of a port go on
 * in one run for as long as nothing arrives. Most lines that arrive are not the last of their access; which
 * are is worked out when they set out, so that multiprocessors need not ask for replies at each.
 */
#ifndef HEDDLE_MEM_FRONT_H
#define HEDDLE_MEM_FRONT_H

#include "mem/cache.h"
#include "mem/coalesce.h"
#include "mem/crossbar.h"
#include "mem/mshr.h"
#include "mem/replies.h"

/* An access some of whose lanes are not back. */
struct front_access {
    uint64_t lanes;  /* all of them */
    uint64_t issued; /* cycle */
    uint64_t ready;  /* latest of the parts that are known */
    uint32_t ticket;
    uint32_t left;   /* transactions */
    uint32_t coming; /* of those, that have a packet in `arrival` */
    uint32_t next_free;
    uint8_t port;
    bool wants_reply, wants_parts, all_hit;
};

/* What waits for a line. */
struct front_target {
    uint64_t lanes;
    uint32_t access;
};

/* What a transaction does at its port. */
enum front_way {
    FRONT_LOOK_UP, /* in the cache */
    FRONT_ASK,     /* the L2, past the cache */
    FRONT_WRITE    /* through */
};

struct front_port {
    struct port_stats *stats;
    struct transaction *transaction; /* [COALESCE_MAX] */
    int at, count;                   /* transactions: next, and how many */
    uint64_t next;                   /* cycle of the next one; free from here on if there is none */
    uint64_t absent; /* line of a stalled one that is neither in the cache nor asked for; CACHE_EMPTY */
    uint64_t stalled_since;
    enum mem_stall stall; /* why the next one waits; MEM_NO_STALL: it does not */
    enum front_way way;   /* of the access at the port */
    uint32_t access;
    bool is_atomic;
    bool is_whole; /* lines are fetched whole */
    uint8_t index;
    unsigned line_shift, sector_shift, sectors; /* sectors: of a line */
    uint32_t latency_cycles;
    struct packet read;                             /* of a whole line: what is the same in all */
    uint64_t *stall_cycles[MEM_NO_WRITE_QUEUE + 1]; /* where they are counted */
    uint64_t going_cycles;                          /* not in a stall: nobody's */
    struct cache cache;
    struct mshr mshr;
    struct front_target *target; /* [node of mshr] */
    const struct mem_cache_config *config;
};

/* A packet that has its time to leave for the crossbar; until then it is in the queue. */
struct front_departure {
    uint64_t k; /* crossbar cycle */
    uint16_t data_bytes;
    bool is_read;
    bool waited; /* for a place in the crossbar */
};

#define FRONT_STALLED (UINT64_C(1) << 63) /* later than any cycle */

/* When a multiprocessor's side wants to be looked at; of all of them side by side, since they are asked every
 * cycle. */
struct front_times {
    uint64_t next;      /* nothing happens before, except that packets leave */
    uint64_t reply;     /* of the first one that was made */
    uint64_t may_reply; /* none other is due before */
    /* First cycle at which the port may take an access; while it is stalled, FRONT_STALLED and the number of
     * transactions that are left. */
    uint64_t free[PORT_COUNT];
};

struct front {
    struct front_times *times; /* the owner's */
    const struct mem_config *config;
    struct crossbar *crossbar;
    struct clock_ratio to_crossbar, from_crossbar;
    uint32_t sm;
    unsigned active; /* ports that hold an access, as bits */
    struct front_port port[PORT_COUNT];

    struct ring queue; /* without a place in the crossbar; time: core cycle from which they may leave */
    struct front_departure *departure; /* ring of those that have one */
    uint32_t departure_mask, departure_head, departure_count;
    uint32_t reads_queued, writes_queued; /* as of the departures that front_count_departures() took */
    uint64_t link_free;                   /* crossbar cycle */
    uint64_t *place_free; /* ring of places in the crossbar: core cycles from which they are free, in order */
    uint32_t place_mask, place_head, place_count;
    struct ring arrival;       /* from the crossbar; core cycles */
    uint64_t first_completion; /* of those that make a reply; CLOCK_NEVER */
    bool is_unsure; /* others may make one too: a part was found elsewhere after they had set out */

    struct front_access *access;
    uint32_t access_capacity, free_access;
    struct replies replies;
    unsigned interleave_shift;
    struct divider by_channels;
};

void front_open(struct front *f, const struct mem_config *config, struct mem_counters *stats,
                struct crossbar *x, struct front_times *times, uint32_t sm);
void front_close(struct front *f);

static inline enum mem_port front_port_of(enum mem_kind kind)
{
    static const uint8_t port[] = {
        [MEM_LOAD] = PORT_DATA,         [MEM_STORE] = PORT_DATA,      [MEM_ATOMIC] = PORT_DATA,
        [MEM_CONSTANT] = PORT_CONSTANT, [MEM_TEXTURE] = PORT_TEXTURE, [MEM_INSTRUCTION] = PORT_INSTRUCTION};
    return (enum mem_port)port[kind];
}

/* All that happens up to and including the cycle; something does: see struct front_times. */
void front_advance(struct front *f, uint64_t cycle);
/* Counters of packets that have left by the cycle. */
void front_count_departures(struct front *f, uint64_t cycle);
/* The front must have been brought up to `now`. */
bool front_issue(struct front *f, uint64_t now, const struct mem_access *access, int *transactions);

/* The front must have been brought up to `now`. */
static inline bool front_take_reply(struct front *f, uint64_t now, struct mem_reply *reply)
{
    if (f->times->reply > now)
        return false;
    *reply = replies_take(&f->replies);
    f->times->reply = replies_first_cycle(&f->replies);
    return true;
}

/* From the crossbar: a packet arrives; a place becomes free. At core cycles not yet advanced to. */
void front_receive(struct front *f, uint64_t cycle, const struct packet *p);
/* What front_free_place() does if a packet waits for the place. */
void front_give_place(struct front *f);

static inline void front_free_place(struct front *f, uint64_t cycle)
{
    /* Slices free places in order of time, so these are in order too. */
    f->place_free[(f->place_head + f->place_count++) & f->place_mask] = cycle;
    if (f->queue.count)
        front_give_place(f);
}

#endif
