/*
 * Lookups: what the transactions of an access do at their cache port, one per core cycle.
 *
 * A read that hits is ready a hit latency later. A read that misses takes a miss register, or joins the one that waits
 * for its line, and takes an entry of the miss queue. A load that bypasses the cache, and an atomic, each take a miss
 * register that no other access can join; an atomic also drops the line from the cache. A store takes an entry of the
 * write queue and updates the line, or drops it (l1d_store), if the cache holds it; a store never brings a line in. A
 * transaction that lacks a register or an entry stalls the port until it has both.
 *
 * The path of a read of a whole line that hits is inline; other cases are calls. The functions change the given port,
 * the SM's queues to the crossbar and its accesses in flight; they never touch another port.
 */
#ifndef HEDDLE_MEM_LOOKUP_H
#define HEDDLE_MEM_LOOKUP_H

#include "base/inline.h"
#include "mem/sm_port.h"

/* The transaction joins miss register `entry`, which waits for its line. */
enum mem_stall lookup_merge(struct cache_port *port, const struct transaction *t, int32_t entry);
/* A transaction of any route but CACHE_PORT_LOOK_UP. */
enum mem_stall lookup_other(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                            uint64_t cycle);
/* A transaction of any route, after a stall. */
enum mem_stall lookup_again(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                            uint64_t cycle);

/* A new request to the L2 that reads the whole line. The caller changes the fields that differ for its transaction. */
static inline struct packet *lookup_new_request(struct sm_port *sm_port, const struct cache_port *port, uint64_t line,
                                                uint32_t token)
{
    struct packet *p = outbound_new(&sm_port->out);
    outbound_fill_in(&sm_port->out, p, &port->read, line << port->line_shift, token);
    return p;
}

/* A read of a whole line that is neither in the cache nor in a miss register: asks the L2 for the line. */
static ALWAYS_INLINE enum mem_stall lookup_ask_line(struct sm_port *sm_port, struct cache_port *port,
                                                    const struct transaction *t, struct cache_key key, uint64_t cycle)
{
    struct outbound_queue *reads = &sm_port->out.reads;
    if (mshr_is_full(&port->mshr))
        return MEM_NO_MSHR;
    if (outbound_free_from(reads) > cycle)
        return MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, key, t->line, 1, false);
    port->target[entry] = (struct cache_port_target){t->lanes, port->access};
    port->stats->misses++;
    lookup_new_request(sm_port, port, t->line, (uint32_t)entry);
    outbound_enqueue(&sm_port->out, reads, cycle, 0);
    return MEM_NO_STALL;
}

static inline void lookup_hit(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                              uint64_t cycle)
{
    port->stats->hits++;
    inflight_finish_part(&sm_port->inflight, port->access, t->lanes, cycle + port->latency_cycles, true);
}

/* A read where lines are fetched whole. */
static ALWAYS_INLINE enum mem_stall lookup_line(struct sm_port *sm_port, struct cache_port *port,
                                                const struct transaction *t, uint64_t cycle)
{
    const struct cache_key key = cache_key_of(&port->cache, t->line);
    int64_t place = cache_find_key(&port->cache, key, t->line);
    if (place != CACHE_NOWHERE) {
        cache_touch(&port->cache, place);
        lookup_hit(sm_port, port, t, cycle);
        return MEM_NO_STALL;
    }
    int32_t entry = mshr_find(&port->mshr, key, t->line, 1);
    if (entry >= 0)
        return lookup_merge(port, t, entry);
    enum mem_stall stall = mshr_is_full(&port->mshr) ? MEM_NO_MSHR : lookup_ask_line(sm_port, port, t, key, cycle);
    if (stall) {
        port->absent = t->line;
        port->absent_key = key;
    }
    return stall;
}

/* True while the stalled transaction still lacks what it waits for: no lookup is needed. */
static inline bool lookup_still_lacks(const struct sm_port *sm_port, const struct cache_port *port, uint64_t cycle)
{
    return port->stall == MEM_NO_MSHR          ? mshr_is_full(&port->mshr)
           : port->stall == MEM_NO_MISS_QUEUE  ? outbound_free_from(&sm_port->out.reads) > cycle
           : port->stall == MEM_NO_WRITE_QUEUE ? outbound_free_from(&sm_port->out.writes) > cycle
                                               : false;
}

/* Tries the stalled transaction again, after something happened at the SM. False: it stays stalled. */
static inline bool lookup_resume(struct sm_port *sm_port, struct cache_port *port, uint64_t cycle)
{
    if (lookup_still_lacks(sm_port, port, cycle))
        return false;
    const struct transaction *t = &port->transaction[port->at];
    enum mem_stall stall = port->absent == t->line ? lookup_ask_line(sm_port, port, t, port->absent_key, cycle)
                                                   : lookup_again(sm_port, port, t, cycle);
    if (stall == port->stall)
        return false;
    *port->stall_cycles[port->stall] += cycle - port->stalled_since;
    port->stall = stall;
    port->stalled_since = cycle;
    if (stall)
        return false;
    port->absent = CACHE_EMPTY;
    return true;
}

/* The first cycle at which a transaction that stalls so can be tried again, if that is known; CLOCK_NEVER. */
static inline uint64_t lookup_known_end(const struct sm_port *sm_port, enum mem_stall stall)
{
    return stall < MEM_NO_MISS_QUEUE    ? CLOCK_NEVER
           : stall == MEM_NO_MISS_QUEUE ? outbound_free_from(&sm_port->out.reads)
                                        : outbound_free_from(&sm_port->out.writes);
}

/* Looks up the port's transactions from number `at` on, one per cycle from `cycle` on, until one stalls for longer, all
 * are done, or cycle `last` is past. */
static ALWAYS_INLINE void lookup_run_from(struct sm_port *sm_port, struct cache_port *port, int at, uint64_t cycle,
                                          uint64_t last)
{
    const int count = port->count;
    uint64_t stalled = 0;
    last = clock_earlier(last, cycle + port->latency_cycles - 1); /* no hit is ready before this run ends */
    for (; at < count && cycle <= last; at++, cycle++) {
        const struct transaction *t = &port->transaction[at];
        enum mem_stall stall = port->route == CACHE_PORT_LOOK_UP ? lookup_line(sm_port, port, t, cycle)
                                                                 : lookup_other(sm_port, port, t, cycle);
        if (stall) {
            const uint64_t end = lookup_known_end(sm_port, stall);
            if (end <= last) { /* the same transaction again at cycle `end` */
                *port->stall_cycles[stall] += end - cycle;
                port->absent = CACHE_EMPTY; /* the lookup is made anew */
                cycle = end - 1;
                at--;
                continue;
            }
            port->stall = stall;
            port->stalled_since = cycle;
            stalled = SM_PORT_STALLED - cycle;
            break;
        }
    }
    port->at = at;
    port->next = cycle;
    sm_port->free[port->index] = cycle + stalled + (uint64_t)(count - at);
    if (at == count)
        sm_port->active &= ~(1u << port->index);
}

/* Looks up the port's next transaction if it is due by `cycle`, or tries it again if it is stalled; then the
 * transactions behind it, one per cycle up to cycle `last`. */
static ALWAYS_INLINE void lookup_run(struct sm_port *sm_port, struct cache_port *port, uint64_t cycle, uint64_t last)
{
    if (!port->stall && port->next <= cycle)
        lookup_run_from(sm_port, port, port->at, cycle, last);
    else if (port->stall && lookup_resume(sm_port, port, cycle))
        lookup_run_from(sm_port, port, port->at + 1, cycle + 1, last);
}

/* The core cycle at which the port's next transaction can be tried, as far as is known now. */
static inline uint64_t lookup_next(const struct sm_port *sm_port, const struct cache_port *port)
{
    return port->stall ? clock_earlier(lookup_known_end(sm_port, port->stall), response_first(&sm_port->arrival)->time)
                       : port->next;
}

#endif
