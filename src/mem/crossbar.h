/*
 * The crossbar between multiprocessors and slices of the L2, in its own clock.
 *
 * Requests: a multiprocessor's link takes packet_bytes plus data at crossbar_bytes a cycle; after the latency
 * a packet waits at its slice's port, which lets one in at a time, at the same rate, by turns (round robin).
 * A multiprocessor may have crossbar_queue packets under way; they leave in order, so one that waits holds up
 * those behind it. The place becomes free again a latency after the slice took the packet. Replies: a slice's
 * link and the multiprocessor's port must both be free, and take reply_bytes plus data; then the latency. A multiprocessor always has room:
 * it holds a miss register for each reply. So a reply's arrival is known a latency ahead, and multiprocessors
 * can run that far on their own.
 * Not modelled: virtual channels, routing inside the crossbar.
 */
#ifndef HEDDLE_MEM_CROSSBAR_H
#define HEDDLE_MEM_CROSSBAR_H

#include "mem/clock.h"
#include "mem/config.h"
#include "mem/packet.h"
#include "mem/stats.h"

/* A slice's port, where requests go in. Multiprocessors whose first packet is for the slice are either coming
 * or there; they are moved over when somebody is let in, so that the turn is found among bits alone. */
struct crossbar_port {
    uint64_t first;        /* when the first of all can go in: 0 if any is there */
    uint64_t first_coming; /* earliest head_time of those that are coming; CLOCK_NEVER */
    uint64_t free;         /* from this cycle on */
    uint64_t *coming;      /* [word] */
    uint64_t *there;       /* [word] */
    uint32_t there_count;
    uint32_t turn; /* multiprocessor that is first next time */
    bool is_full;  /* the slice cannot take any: set by it */
};

enum {
    CROSSBAR_MAX_DATA = 128,  /* a line */
    CROSSBAR_MAX_SLICES = 128 /* channels: see config.c */
};

struct crossbar {
    const struct mem_config *config;
    struct crossbar_stats *stats;
    uint32_t sms, slices, words; /* words: of a set of multiprocessors */
    uint64_t latency;
    uint32_t *cycles;           /* [data bytes] of a request on a link; up to CROSSBAR_MAX_DATA */
    uint32_t *reply_cycles;     /* the same of a reply */
    struct ring *in_flight;     /* [sm] requests under way; time: at the slice's port */
    uint64_t *head_time;        /* [sm] when the first of them may go in */
    uint64_t *sm_port_free;     /* [sm] replies */
    struct crossbar_port *port; /* [slice] */
    uint64_t *port_words;
    uint64_t *due;      /* [slice] when it must be looked at; CLOCK_NEVER */
    uint64_t first_due; /* no slice is due before */
};

void crossbar_open(struct crossbar *x, const struct mem_config *config, struct crossbar_stats *stats, uint32_t sms,
                   struct clock_ratio from_core);
void crossbar_close(struct crossbar *x);

static inline uint32_t crossbar_request_data(const struct packet *p)
{
    return p->kind == PACKET_READ ? 0 : p->bytes;
}

/* The multiprocessor's first packet may go in at its slice from this cycle on. */
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

/* The request at the end of the multiprocessor's ring enters the crossbar at cycle k, which may be later than
 * what slices have come to. Gives the number of cycles that the link is busy. Counting it is the sender's, when
 * that cycle has come. */
static inline uint64_t crossbar_send_request(struct crossbar *x, uint64_t k, uint32_t sm)
{
    struct ring *ring = &x->in_flight[sm];
    struct timed_packet *flight = ring_end(ring);
    uint64_t cycles = x->cycles[crossbar_request_data(&flight->packet)];
    flight->time = k + cycles - 1 + x->latency;
    if (ring->count++ == 0)
        crossbar_announce_head(x, sm, flight->packet.slice, flight->time);
    return cycles;
}

/* Those whose first packet has come by cycle k are there. */
void crossbar_let_come(struct crossbar *x, struct crossbar_port *port, uint64_t k);

/* The first multiprocessor from the port's turn on that is there; there is one. */
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

/* Takes the next request for the slice out into the ring, at its end; one can go in at cycle k: see
 * crossbar_next_request(), and the ring has room. Gives whose it was. */
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

/* When the next request for the slice can go in, as far as is known; may be in the past. */
static inline uint64_t crossbar_next_request(const struct crossbar_port *port)
{
    return clock_later(port->first, port->free);
}

/* A reply leaves its slice at cycle k, the multiprocessor's port being free. Gives the number of cycles that
 * the links are busy; it is there a latency after the last of them. */
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
