/*
 * The crossbar between multiprocessors (SMs) and slices of the L2, in cycles of its own clock.
 *
 * Requests: an SM's link carries packet_bytes plus the data, at crossbar_bytes per cycle. After the latency the packet
 * waits at its slice's port. The port lets in one packet at a time, at crossbar_bytes per cycle, round-robin over SMs.
 * An SM may have crossbar_queue packets in the crossbar; an SM's packets leave in order, so a packet that waits holds
 * up the packets behind it. A packet's place is free again one latency after the slice took the packet.
 *
 * Replies: a slice's link and the SM's port must both be free, and carry reply_bytes plus the data; then the latency
 * passes. An SM always has room for a reply, since it holds a miss register for each. So a reply's arrival is known
 * one latency ahead, and SMs can run that far on their own.
 *
 * Not modelled: virtual channels, routing inside the crossbar.
 */
#ifndef HEDDLE_MEM_CROSSBAR_H
#define HEDDLE_MEM_CROSSBAR_H

#include "mem/clock.h"
#include "mem/config.h"
#include "mem/packet.h"
#include "mem/stats.h"

#include <string.h>

/* The port at which requests enter a slice. An SM whose oldest request is for the slice is either coming (the
 * request is still in the crossbar) or there. SMs move from `coming` to `there` when a request is let in; the
 * round-robin turn is then found among bits alone. */
struct crossbar_port {
    uint64_t first;        /* first cycle at which any request can enter if the port is free; 0 if an SM is there */
    uint64_t first_coming; /* earliest head_time of the SMs that are coming; CLOCK_NEVER: none is coming */
    uint64_t free;         /* first cycle at which the port is free */
    uint64_t *coming;      /* [word] SMs that are coming, as bits */
    uint64_t *there;       /* [word] SMs that are there, as bits */
    uint32_t there_count;  /* number of SMs that are there */
    uint32_t turn;         /* SM that the next round-robin search starts with */
    bool is_full;          /* the slice cannot take a request; set by the slice */
};

enum { CROSSBAR_MAX_DATA = 128 }; /* bytes of a line */

struct crossbar {
    const struct mem_config *config;
    struct crossbar_stats *stats;
    uint32_t sms, slices, words; /* numbers of SMs and slices; 64-bit words for one bit per SM */
    uint64_t latency;            /* from a link to a port, in crossbar cycles */
    uint32_t *cycles;            /* [data bytes] cycles that a request occupies a link; up to CROSSBAR_MAX_DATA */
    uint32_t *reply_cycles;      /* [data bytes] cycles that a reply occupies a link */
    struct ring *in_flight;      /* [sm] requests in the crossbar; time: cycle of arrival at the slice's port */
    uint64_t *head_time;         /* [sm] first cycle at which the SM's oldest request may enter its slice */
    /* [sm] not 0: the SM has sent a request that its slice does not know of yet. Each SM writes its own byte, so that
     * SMs may send at the same time. Eight bytes more than there are SMs. */
    uint8_t *is_new;
    uint64_t *sm_port_free;     /* [sm] first cycle at which the SM's port for replies is free */
    struct crossbar_port *port; /* [slice] */
    uint64_t *port_words;       /* storage of `coming` and `there` of all ports */
    uint64_t *due; /* [slice] next cycle at which the slice has something to do, by what is known now; CLOCK_NEVER */
    uint64_t first_due; /* the earliest `due`, or earlier */
};

void crossbar_open(struct crossbar *x, const struct mem_config *config, struct crossbar_stats *stats, uint32_t sms,
                   struct clock_ratio from_core);
void crossbar_close(struct crossbar *x);

static inline uint32_t crossbar_request_data(const struct packet *p)
{
    return p->kind == PACKET_READ ? 0 : p->bytes;
}

/* The SM's oldest request may enter its slice from this cycle on. */
static inline void crossbar_announce_head(struct crossbar *x, uint32_t sm, uint32_t slice, uint64_t time)
{
    struct crossbar_port *port = &x->port[slice];
    x->head_time[sm] = time;
    port->coming[sm / 64] |= UINT64_C(1) << sm % 64;
    port->first_coming = clock_earlier(port->first_coming, time);
    port->first = clock_earlier(port->first, time);
    if (!port->is_full) {
        uint64_t due = clock_later(time, port->free);
        x->due[slice] = clock_earlier(x->due[slice], due);
        x->first_due = clock_earlier(x->first_due, due);
    }
}

/* Tells slices of the SM's new request. */
static inline void crossbar_announce_new(struct crossbar *x, uint32_t sm)
{
    const struct timed_packet *head = ring_head(&x->in_flight[sm]);
    x->is_new[sm] = 0;
    crossbar_announce_head(x, sm, head->packet.slice, head->time);
}

/* Tells slices of all new requests. To be called before slices run, or are asked when they run next. */
static inline void crossbar_announce_all(struct crossbar *x)
{
    for (uint32_t i = 0; i < x->sms; i += 8) {
        uint64_t eight;
        memcpy(&eight, x->is_new + i, sizeof eight);
        for (uint32_t k = i; eight && k < x->sms && k < i + 8; k++)
            if (x->is_new[k])
                crossbar_announce_new(x, k);
    }
}

/* The request at the end of the SM's ring enters the crossbar at cycle k, which may be ahead of the slices' time.
 * Slices know of it after crossbar_announce_new(). Gives the number of cycles that the SM's link is busy. The sender
 * counts the request, once cycle k has come. */
static inline uint64_t crossbar_send_request(struct crossbar *x, uint64_t k, uint32_t sm)
{
    struct ring *ring = &x->in_flight[sm];
    struct timed_packet *flight = ring_end(ring);
    uint64_t cycles = x->cycles[crossbar_request_data(&flight->packet)];
    flight->time = k + cycles - 1 + x->latency;
    if (ring->count++ == 0)
        x->is_new[sm] = 1;
    return cycles;
}

/* Moves the SMs whose oldest request has arrived by cycle k from `coming` to `there`. */
void crossbar_let_come(struct crossbar *x, struct crossbar_port *port, uint64_t k);

/* The first SM that is there, from the port's turn on. There must be one. */
static inline uint32_t crossbar_choose(const struct crossbar *x, const struct crossbar_port *port)
{
    if (x->words == 1) {
        uint64_t from_turn = *port->there >> port->turn | *port->there << (64 - port->turn) % 64;
        return (port->turn + (uint32_t)__builtin_ctzll(from_turn)) % 64;
    }
    uint32_t word = port->turn / 64;
    uint64_t left = port->there[word] >> port->turn % 64 << port->turn % 64;
    while (!left) {
        word = word + 1 < x->words ? word + 1 : 0;
        left = port->there[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(left);
}

/* Takes the next request for the slice out of the crossbar and puts it at the end of ring `into`, which must have
 * room. A request must be able to enter at cycle k: see crossbar_next_request(). Gives the SM that sent it. */
static inline uint32_t crossbar_take_request(struct crossbar *x, struct crossbar_port *port, uint64_t k,
                                             struct ring *into)
{
    if (port->first_coming <= k)
        crossbar_let_come(x, port, k);
    uint32_t sm = crossbar_choose(x, port);
    port->there[sm / 64] ^= UINT64_C(1) << sm % 64;
    port->first = --port->there_count ? 0 : port->first_coming;
    port->turn = sm + 1 < x->sms ? sm + 1 : 0;
    struct ring *flight = &x->in_flight[sm];
    const struct packet *p = &ring_head(flight)->packet;
    ring_push_within(into, k, p);
    port->free = k + x->cycles[crossbar_request_data(p)];
    ring_pop(flight);
    if (flight->count) {
        const struct timed_packet *next = ring_head(flight);
        crossbar_announce_head(x, sm, next->packet.slice, clock_later(next->time, k + 1));
    }
    return sm;
}

/* The cycle from which on the next request can enter the slice, as far as is known; may be in the past. */
static inline uint64_t crossbar_next_request(const struct crossbar_port *port)
{
    return clock_later(port->first, port->free);
}

/* A reply leaves its slice at cycle k; the SM's port must be free. Gives the number of cycles that both links are
 * busy. The reply arrives one latency after the last of those cycles. */
static inline uint64_t crossbar_send_reply(struct crossbar *x, uint64_t k, const struct packet *p)
{
    uint32_t data = p->kind == PACKET_WRITE ? 0 : p->bytes;
    uint64_t cycles = x->reply_cycles[data];
    x->sm_port_free[p->sm] = k + cycles;
    x->stats->replies++;
    x->stats->reply_bytes += x->config->reply_bytes + data;
    return cycles;
}

#endif
