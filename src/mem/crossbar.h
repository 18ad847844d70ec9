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

struct crossbar {
    const struct mem_config *config;
    struct crossbar_stats *stats;
    uint32_t sms, slices, words;    /* words: of a set of multiprocessors */
    uint64_t latency, empty_cycles; /* empty: of a packet without data, on a link */
    struct ring *flight;            /* [sm] requests under way; time: at the slice's port */
    uint64_t *head_time;            /* [sm] when the first of them may go in */
    uint64_t *waiting;              /* [slice][word] multiprocessors whose first packet is for the slice */
    uint64_t *slice_port_free;      /* [slice] */
    uint32_t *turn;                 /* [slice] multiprocessor that is first next time */
    uint64_t *sm_port_free;         /* [sm] replies */
    uint64_t *due;                  /* [slice] when it must be looked at; kept by crossbar and slices */
};

void crossbar_open(struct crossbar *x, const struct mem_config *config, struct crossbar_stats *stats,
                   uint32_t sms, struct clock_ratio from_core);
void crossbar_close(struct crossbar *x);

static inline uint64_t crossbar_cycles(const struct crossbar *x, uint32_t data_bytes)
{
    if (!data_bytes)
        return x->empty_cycles;
    return (x->config->packet_bytes + data_bytes + x->config->crossbar_bytes - 1) / x->config->crossbar_bytes;
}

/* A request enters the crossbar at cycle k. Gives the number of cycles that the link is busy. */
uint64_t crossbar_send_request(struct crossbar *x, uint64_t k, const struct packet *p);
/* The next request for the slice that can go in at cycle k; false if there is none. */
bool crossbar_take_request(struct crossbar *x, uint32_t slice, uint64_t k, struct packet *p);
/* When the next request for the slice can go in, as far as is known. */
uint64_t crossbar_next_request(const struct crossbar *x, uint32_t slice);
/* A reply leaves its slice at cycle k, the multiprocessor's port being free. Gives when it is there. */
uint64_t crossbar_send_reply(struct crossbar *x, uint64_t k, const struct packet *p, uint64_t *link_cycles);

#endif
