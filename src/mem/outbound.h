/*
 * An SM's requests on their way to the crossbar: the miss queue (reads), the write queue (writes and atomics) and the
 * link.
 *
 * A request enters its queue when a transaction is looked up. From the next core cycle on the request may leave, as
 * soon as the SM's link is free and one of the SM's crossbar_queue places in the crossbar is free. Requests leave in
 * order of entry. The cycle at which a request leaves is known once the request has a place, so the request is handed
 * to the crossbar at once, stamped with that cycle. Requests without a place wait in `waiting`.
 */
#ifndef HEDDLE_MEM_OUTBOUND_H
#define HEDDLE_MEM_OUTBOUND_H

#include "mem/clock.h"
#include "mem/crossbar.h"

/* When a request leaves its queue. */
struct outbound_departure {
    uint64_t left;       /* core cycle up to which the request is in the queue; CLOCK_NEVER while it has no place */
    uint16_t data_bytes; /* that the request carries */
    bool waited;         /* the request had to wait for a place in the crossbar */
};

/* The miss queue or the write queue. A request takes the queue entry of the request `most` before it, once that one has
 * left. So the queue need only remember the cycles at which its last `most` requests leave. */
struct outbound_queue {
    struct outbound_departure *at; /* ring, indexed by a request's number, which counts up for ever */
    uint32_t mask, most;           /* size of the ring less one; capacity of the queue in requests */
    uint64_t entered;              /* requests that entered so far */
    uint64_t without_place;        /* those of them whose cycle to leave is not known, since they wait for a place */
    uint64_t data_bytes, waited;   /* data and number of requests that waited for a place, over all others */
};

struct outbound {
    const struct crossbar *crossbar;
    struct crossbar_sm *link; /* the crossbar's: requests with a place; behind them: see outbound_has_place() */
    uint32_t sm;              /* number of this SM */
    uint32_t places;          /* requests that the SM may have in the crossbar: crossbar_queue */
    uint32_t sent;            /* requests that got a place so far */
    uint64_t link_free;       /* first crossbar cycle at which the link is free */
    struct outbound_queue reads, writes; /* miss queue; write queue, which atomics use too */
    struct ring waiting; /* requests without a place in the crossbar; time: core cycle from which they may leave */
};

void outbound_open(struct outbound *out, const struct mem_config *config, struct crossbar *x, uint32_t sm);
void outbound_close(struct outbound *out);

/* Adds the requests that have left by the core cycle to the crossbar's counters. */
void outbound_count(const struct outbound *out, uint64_t cycle, struct crossbar_stats *stats);
/* How many requests have a place in the crossbar and have not left by the core cycle. */
uint32_t outbound_with_place(const struct outbound *out, uint64_t cycle);

/* Requests use the SM's places in the crossbar in turn: a request gets the place of the request `places` before it.
 * True if the cycle is known at which that place is free. The cycle stands in the ring where that earlier request
 * stood. */
static inline bool outbound_has_place(const struct outbound *out)
{
    return out->sent != out->link->places_until;
}

/* How many more requests have a place of which it is known when it is free. */
static inline uint32_t outbound_known_places(const struct outbound *out)
{
    return out->link->places_until - out->sent;
}

/* The first core cycle at which the queue can take one more request; CLOCK_NEVER if that is not yet known. */
static inline uint64_t outbound_free_from(const struct outbound_queue *q)
{
    return q->at[(q->entered - q->most) & q->mask].left;
}

/* Gives a request its cycle to leave: not before core cycle `ready`, not before its place and the link are free. The
 * request must stand at the end of the crossbar's ring, have a place, and be the queue's request `number`, of which all
 * before it have a cycle to leave. */
static inline void outbound_depart(struct outbound *out, struct outbound_queue *q, uint64_t number, uint64_t ready,
                                   uint32_t data_bytes)
{
    struct crossbar_sm *link = out->link;
    uint64_t place_free = link->in_flight.at[(out->sent++ - out->places) & link->in_flight.mask].time;
    uint64_t k = clock_first_since(&out->crossbar->from_core, clock_later(ready, place_free));
    k = clock_later(k, out->link_free);
    out->link_free = k + crossbar_send_request(out->crossbar, link, k, data_bytes);
    const bool waited = place_free > ready;
    q->at[number & q->mask] = (struct outbound_departure){
        .left = clock_first_since(&out->crossbar->to_core, k), .data_bytes = (uint16_t)data_bytes, .waited = waited};
    q->data_bytes += data_bytes;
    q->waited += waited;
}

/* Where a new request stands until it leaves: in the crossbar's ring if it has a place there, else in `waiting`.
 * Requests enter the ring in order, so the ring's end is at the number of the request. The caller fills the request in,
 * then calls outbound_enqueue(). */
static inline struct packet *outbound_new(struct outbound *out)
{
    const struct ring *ring = &out->link->in_flight;
    return outbound_has_place(out) ? &ring->at[out->sent & ring->mask].packet : &ring_end(&out->waiting)->packet;
}

/* Fills in a request: a copy of `like` but for the address, what follows from it, and the token. */
static inline void outbound_fill_in(const struct outbound *out, struct packet *p, const struct packet *like,
                                    uint64_t address, uint32_t token)
{
    const struct crossbar_place place = crossbar_place_of(out->crossbar, address);
    *p = *like; /* field by field in place: a copy made elsewhere would be read before the host has written it */
    p->reply.token = token;
    p->slice = place.slice;
    p->address = place.address;
}

/* The request that outbound_new() gave enters the queue at the core cycle; it may leave from the next cycle on.
 * The queue must have room: see outbound_free_from(). */
static inline void outbound_enqueue(struct outbound *out, struct outbound_queue *q, uint64_t cycle, uint32_t data_bytes)
{
    uint64_t number = q->entered++;
    if (outbound_has_place(out)) { /* then no request waits for a place */
        outbound_depart(out, q, number, cycle + 1, data_bytes);
    } else {
        q->at[number & q->mask].left = CLOCK_NEVER;
        q->without_place++;
        ring_end(&out->waiting)->time = cycle + 1;
        out->waiting.count++;
        out->link->waiting++;
    }
}

/* The first waiting request gets the place that became free last. Slices take requests in order of time, so places
 * become free in order too. */
void outbound_give_place(struct outbound *out);

#endif
