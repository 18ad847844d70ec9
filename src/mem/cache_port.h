/*
 * A cache port: one of an SM's four first-level caches (data, constant, texture, instruction) with its miss registers
 * and the access whose transactions are being looked up.
 *
 * The structure only. mem/lookup.h moves it through time; mem/sm_port.h owns it.
 */
#ifndef HEDDLE_MEM_CACHE_PORT_H
#define HEDDLE_MEM_CACHE_PORT_H

#include "mem/cache.h"
#include "mem/coalesce.h"
#include "mem/config.h"
#include "mem/mshr.h"
#include "mem/packet.h"
#include "mem/stats.h"

/* A part of an access that waits for a line. */
struct cache_port_target {
    uint64_t lanes;  /* lanes of the access that need the line */
    uint32_t access; /* its index among the accesses in flight */
};

/* What the transactions of an access do at the port. */
enum cache_port_route {
    CACHE_PORT_LOOK_UP,         /* look up the cache, which fetches whole lines */
    CACHE_PORT_LOOK_UP_SECTORS, /* look up the cache, which fetches single sectors */
    CACHE_PORT_ASK,             /* ask the L2 and leave the cache aside: atomics, loads that bypass the L1 */
    CACHE_PORT_WRITE,           /* write through to the L2 */
    CACHE_PORT_TOGETHER         /* each transaction what the part of the access does that it belongs to */
};

/* With CACHE_PORT_TOGETHER: one of the accesses that were issued together. */
struct cache_port_part {
    enum cache_port_route route;
    uint32_t access; /* its index among the accesses in flight */
    bool is_atomic;
};

/* Fields that every transaction needs come first: with many SMs, only those stay in the host's cache. */
struct cache_port {
    struct transaction *transaction; /* [COALESCE_MAX] transactions of the access at the port */
    int at, count;                   /* index of the next transaction, and the number of transactions */
    uint64_t next;                   /* core cycle of the next transaction's lookup, unless it is stalled */
    uint64_t absent; /* line of a stalled transaction that is neither in the cache nor in a miss register, where lines
                        are fetched whole: the transaction need not look again. CACHE_EMPTY: unknown */
    struct cache_key absent_key; /* of that line */
    uint64_t stalled_since;      /* core cycle */
    enum mem_stall stall;        /* why the next transaction waits; MEM_NO_STALL if it does not */
    enum cache_port_route route; /* of the access at the port */
    uint32_t access;             /* index of the access at the port, among the accesses in flight */
    uint32_t latency_cycles;     /* of a hit, in core cycles */
    struct mshr mshr;
    struct cache_port_target *target; /* [node of mshr] */
    struct cache cache;
    struct port_stats *stats;                       /* the SM's own */
    struct packet read;                             /* a request for a whole line, but for address, slice and token */
    unsigned line_shift, sector_shift, sectors;     /* log2 of bytes per line and per sector; sectors per line */
    uint8_t index;                                  /* enum mem_port */
    bool is_atomic;                                 /* the access at the port is atomic */
    bool is_banked;                                 /* lines of an access are looked up together: mem/banked.h */
    uint8_t banks, bank_ports;                      /* with is_banked: banks, and lookups of a bank per cycle */
    bool is_whole;                                  /* lines are fetched whole, not in sectors */
    uint64_t *stall_cycles[MEM_NO_WRITE_QUEUE + 1]; /* [enum mem_stall] the counter of the stall's cycles */
    const struct mem_cache_config *config;
    struct cache_port_part part[MEM_MAX_PARTS]; /* with CACHE_PORT_TOGETHER */
    uint64_t joined;                            /* accesses so far that came together with another, but the first */
} __attribute__((aligned(64)));

/* What it keeps is in `storage`, which was never started anew, and is freed with it. */
void cache_port_open(struct cache_port *port, const struct mem_config *config, struct port_stats *stats, int index,
                     uint32_t sm, struct storage *storage);

/* The sectors in which the touched thirty-seconds of a line lie, as a mask; 1 if lines are fetched whole. */
unsigned cache_port_sectors(const struct cache_port *port, uint32_t touched);

/* How many bytes the touched thirty-seconds of a line are. */
static inline uint16_t cache_port_bytes(const struct cache_port *port, uint32_t touched)
{
    unsigned parts = touched == UINT32_MAX ? 32 : (unsigned)__builtin_popcount(touched);
    return (uint16_t)(parts << port->line_shift >> 5);
}

#endif
