/*
 * The crossbar between multiprocessors and slices of the L2, in its own clock.
 *
 * Requests: a multiprocessor's link takes packet_bytes plus data at crossbar_bytes a cycle; after the latency
 * a packet waits at its slice's port, which lets one in at a time, at the same rate, by turns (round robin).
 * A multiprocessor may have crossbar_queue packets under way; they leave in order, so one that waits holds up
 * those behind it. The place becomes free again a latency after the slice took the packet. Replies: a slice's
 * link and the multiprocessor's port must both be free; then the latency. A multiprocessor always has room:
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

/* A slice's port, where requests go in. */
struct crossbar_port {
    uint64_t due;        /* when the slice must be looked at; kept by crossbar and slice */
    uint64_t first_time; /* earliest head_time of those that wait; CLOCK_NEVER */
    uint64_t free;       /* from this cycle on */
    uint64_t *waiting;   /* [word] multiprocessors whose first packet is for the slice */
    uint32_t turn;       /* multiprocessor that is first next time */
    bool is_full;        /* the slice cannot take any: set by it */
};

struct crossbar {
    const struct mem_config *config;
    struct crossbar_stats *stats;
    uint32_t sms, slices, words; /* words: of a set of multiprocessors */
    uint64_t latency;
    uint32_t *cycles;           /* [data bytes] of a packet on a link; up to CROSSBAR_MAX_DATA */
    struct ring *flight;        /* [sm] requests under way; time: at the slice's port */
    uint64_t *head_time;        /* [sm] when the first of them may go in */
    uint64_t *sm_port_free;     /* [sm] replies */
    struct crossbar_port *port; /* [slice] */
    uint64_t *waiting;          /* the ports' words */
    uint64_t first_due;         /* no slice is due before; may be too early, but not for long: see mem.c */
};

enum { CROSSBAR_MAX_DATA = 128 }; /* a line */

void crossbar_open(struct crossbar *x, const struct mem_config *config, struct crossbar_stats *stats,
                   uint32_t sms, struct clock_ratio from_core);
void crossbar_close(struct crossbar *x);

static inline uint32_t crossbar_request_data(const struct packet *p)
{
    return p->kind == PACKET_READ ? 0 : p->bytes;
}

/* A request enters the crossbar at cycle k, which may be later than what slices have come to. Gives the
 * number of cycles that the link is busy. Counting it is the sender's, when that cycle has come. */
uint64_t crossbar_send_request(struct crossbar *x, uint64_t k, const struct packet *p);
/* Takes the next request for the slice out; one can go in at cycle k: see crossbar_next_request(). */
void crossbar_take_request(struct crossbar *x, uint32_t slice, uint64_t k, struct packet *p);

/* When the next request for the slice can go in, as far as is known. */
static inline uint64_t crossbar_next_request(const struct crossbar_port *port)
{
    return clock_later(port->first_time, port->free);
}

/* A reply leaves its slice at cycle k, the multiprocessor's port being free. Gives the number of cycles that
 * the links are busy; it is there a latency after the last of them. */
static inline uint64_t crossbar_send_reply(struct crossbar *x, uint64_t k, const struct packet *p)
{
    uint32_t data = p->kind == PACKET_WRITE ? 0 : p->bytes;
    uint64_t cycles = x->cycles[data];
    x->sm_port_free[p->sm] = k + cycles;
    x->stats->replies++;
    x->stats->reply_bytes += x->config->packet_bytes + data;
    return cycles;
}

#endif
