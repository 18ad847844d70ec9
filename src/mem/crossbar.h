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

#include "base/inline.h"
#include "mem/agenda.h"
#include "mem/clock.h"
#include "mem/config.h"
#include "mem/packet.h"
#include "mem/stats.h"

/* The port at which requests enter a slice. */
struct crossbar_port {
    /* first cycle at which any request can enter if the port is free; CLOCK_NEVER: none is known. Exact unless it is
     * at most `free` */
    uint64_t first;
    uint64_t free;        /* first cycle at which the port is free */
    uint64_t *candidates; /* [word] SMs whose oldest request is for this slice, as bits */
    uint32_t turn;        /* SM that the next round-robin search starts with */
    bool is_full;         /* the slice cannot take a request; set by the slice */
    uint64_t one_word;    /* storage of `candidates` where SMs fit into one word */
} __attribute__((aligned(64)));

/* What the crossbar keeps for one SM. An SM's side of the memory system writes to this and to nothing else that slices
 * read, so that SMs can run in any order. In one cache line of the host. */
struct crossbar_sm {
    struct ring in_flight; /* requests in the crossbar; time: cycle of arrival at the slice's port */
    uint64_t head_time;    /* first cycle at which the oldest request may enter its slice */
    uint64_t port_free;    /* first cycle at which the SM's port for replies is free */
    uint32_t places_until; /* requests for which it is known when their place is free */
    uint32_t waiting;      /* requests that wait for a place in the crossbar */
    bool *has_new_head;    /* the oldest request came into an empty crossbar, and its slice does not know of it yet */
} __attribute__((aligned(64)));

enum { CROSSBAR_MAX_DATA = 128 }; /* bytes of a line */

struct crossbar {
    const struct mem_config *config;
    uint32_t sms, slices, words; /* numbers of SMs and slices; 64-bit words for one bit per SM */
    unsigned interleave_shift;   /* 2^interleave_shift consecutive bytes of memory are in one slice */
    struct divider by_slices;
    struct clock_ratio from_core, to_core; /* core cycles to crossbar cycles, and back */
    uint64_t latency;                      /* from a link to a port, in crossbar cycles */
    uint64_t lead;              /* crossbar cycles by which replies are sent ahead of all else that slices do */
    uint32_t *cycles;           /* [data bytes] cycles that a request occupies a link; up to CROSSBAR_MAX_DATA */
    uint32_t *reply_cycles;     /* [data bytes] cycles that a reply occupies a link */
    struct crossbar_sm *sm;     /* [sm] */
    bool *new_heads;            /* [sm] has_new_head of all SMs, side by side; then `false` up to a whole word */
    struct crossbar_port *port; /* [slice] */
    uint64_t *port_words;       /* storage of `candidates` of all ports, where SMs do not fit into one word */
    struct agenda replies;      /* when the first reply of a slice may leave, if its SM's port is free then */
    struct agenda works;        /* when a slice has anything else to do: requests, lookups, lines from DRAM */
    uint64_t first_due;         /* the earliest cycle of both agendas */
    uint64_t memory;            /* cycle of the memory clock that is the last to begin by the slices' cycle */
    uint64_t places_known;      /* core cycle up to which it is known which places become free */
};

/* Where a byte of memory is: its slice, and its address in the slice's own address space, which lacks the bits that
 * select the slice. */
struct crossbar_place {
    uint64_t address;
    uint16_t slice;
};

static inline struct crossbar_place crossbar_place_of(const struct crossbar *x, uint64_t address)
{
    const uint64_t chunk = address >> x->interleave_shift, of_slice = divide(x->by_slices, chunk);
    return (struct crossbar_place){.address = address - ((chunk - of_slice) << x->interleave_shift),
                                   .slice = (uint16_t)(chunk - of_slice * x->by_slices.by)};
}

/* `sms` is the number of SMs there can be. Each needs crossbar_open_sm() before it sends anything. */
void crossbar_open(struct crossbar *x, const struct mem_config *config, uint32_t sms);
void crossbar_open_sm(struct crossbar *x, uint32_t sm);
void crossbar_close(struct crossbar *x);

static inline uint32_t crossbar_request_data(const struct packet *p)
{
    return p->bytes & -(uint32_t)(p->kind != PACKET_READ);
}

/* The SMs from number 64 * word on whose oldest request is for the slice, as bits. `words`: those of the crossbar, as
 * for all functions below; where it is known to be 1, the compiler leaves the search for words out. */
static ALWAYS_INLINE uint64_t *crossbar_candidates(struct crossbar_port *port, uint32_t word, uint32_t words)
{
    return words == 1 ? &port->one_word : &port->candidates[word];
}

/* The SM's oldest request may enter its slice from this cycle on. */
static ALWAYS_INLINE void crossbar_announce_head(struct crossbar *x, uint32_t sm, uint32_t slice, uint64_t time,
                                                 uint32_t words)
{
    struct crossbar_port *port = &x->port[slice];
    x->sm[sm].head_time = time;
    *crossbar_candidates(port, sm / 64, words) |= UINT64_C(1) << sm % 64;
    port->first = clock_earlier(port->first, time);
    uint64_t due = clock_later(time, port->free) | -(uint64_t)port->is_full;
    agenda_put(&x->works, slice, clock_earlier(x->works.due[slice], due));
}

/* Announces the requests that SMs sent into an empty crossbar since the last call. */
void crossbar_announce_new_heads(struct crossbar *x);
/* Whether any slice has something to do by the cycle. */
bool crossbar_is_due(const struct crossbar *x, uint64_t cycle);
/* The first cycle at which any slice has something to do, by what is known now. */
uint64_t crossbar_first_due(const struct crossbar *x);

/* The request at the end of the SM's ring enters the crossbar at cycle k, which may be ahead of the slices' time.
 * Gives the number of cycles that the SM's link is busy. The sender counts the request, once cycle k has come. */
static inline uint64_t crossbar_send_request(const struct crossbar *x, struct crossbar_sm *sm, uint64_t k,
                                             uint32_t data_bytes)
{
    uint64_t cycles = x->cycles[data_bytes], time = k + cycles - 1 + x->latency;
    ring_end(&sm->in_flight)->time = time;
    if (sm->in_flight.count++ == 0) {
        sm->head_time = time;
        *sm->has_new_head = true;
    }
    return cycles;
}

/* The first SM, from the port's turn on, whose oldest request is for the slice and has arrived by cycle k. There must
 * be one. */
static ALWAYS_INLINE uint32_t crossbar_choose(const struct crossbar *x, struct crossbar_port *port, uint64_t k,
                                              uint32_t words)
{
    uint32_t word = port->turn / 64, first = port->turn % 64, sm;
    uint64_t left = *crossbar_candidates(port, word, words);
    if (words == 1) {
        for (left = left >> first | left << (64 - first) % 64;; left &= left - 1) {
            sm = (first + (uint32_t)__builtin_ctzll(left)) % 64;
            if (x->sm[sm].head_time <= k)
                return sm;
        }
    }
    for (left = left >> first << first;; left &= left - 1) {
        while (!left) {
            word = word + 1 < words ? word + 1 : 0;
            left = port->candidates[word];
        }
        sm = word * 64 + (uint32_t)__builtin_ctzll(left);
        if (x->sm[sm].head_time <= k)
            return sm;
    }
}

/* Finds `first` among the SMs whose oldest request is for the slice. Stops at the first request that does not come
 * after the port is free: it makes no difference which of these is the earliest. */
static ALWAYS_INLINE void crossbar_find_first(const struct crossbar *x, struct crossbar_port *port, uint32_t words)
{
    const uint64_t free = port->free;
    uint64_t first = CLOCK_NEVER;
    for (uint32_t word = 0; word < words; word++)
        for (uint64_t left = *crossbar_candidates(port, word, words); left && first > free; left &= left - 1)
            first = clock_earlier(first, x->sm[word * 64 + (uint32_t)__builtin_ctzll(left)].head_time);
    port->first = first;
}

/* Takes the next request for the slice out of the crossbar. A request must be able to enter at cycle k: see
 * crossbar_next_request(). Gives the SM that sent it; the request itself is crossbar_taken() until the SM's place is
 * given to another. */
static ALWAYS_INLINE struct crossbar_sm *crossbar_take_request(struct crossbar *x, struct crossbar_port *port,
                                                               uint64_t k, uint32_t words)
{
    uint32_t number = crossbar_choose(x, port, k, words);
    struct crossbar_sm *sm = &x->sm[number];
    struct ring *flight = &sm->in_flight;
    *crossbar_candidates(port, number / 64, words) ^= UINT64_C(1) << number % 64;
    port->turn = number + 1 < x->sms ? number + 1 : 0;
    port->free = k + x->cycles[crossbar_request_data(&ring_head(flight)->packet)];
    crossbar_find_first(x, port, words);
    ring_pop(flight);
    if (flight->count) {
        const struct timed_packet *next = ring_head(flight);
        crossbar_announce_head(x, number, next->packet.slice, clock_later(next->time, k + 1), words);
    }
    return sm;
}

/* Where the SM's request stands that a slice took last. */
static inline struct timed_packet *crossbar_taken(const struct crossbar_sm *sm)
{
    return &sm->in_flight.at[(sm->in_flight.head - 1) & sm->in_flight.mask];
}

/* The cycle from which on the next request can enter the slice, as far as is known; may be in the past. CLOCK_NEVER if
 * the slice is full. */
static inline uint64_t crossbar_next_request(const struct crossbar_port *port)
{
    return clock_later(port->first, port->free) | -(uint64_t)port->is_full;
}

#endif
