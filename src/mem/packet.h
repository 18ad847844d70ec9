/*
 * Packets between a multiprocessor and a slice of the L2, and queues of packets.
 *
 * A queue is a ring, ordered by time, that its owner keeps within its capacity. The reply to a read or atomic goes to
 * the miss register (token) that asked; the acknowledgement of a write, if wanted, to the access (token).
 */
#ifndef HEDDLE_MEM_PACKET_H
#define HEDDLE_MEM_PACKET_H

#include <stdbool.h>
#include <stdint.h>

enum packet_kind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC };

/* What the reply to a request says. The sender of the request writes it, and the slice only passes it back. */
struct packet_reply {
    uint32_t token;     /* the sender's */
    uint16_t sm;        /* where the reply goes: the sender */
    uint8_t data_bytes; /* that the reply carries */
    uint8_t port;       /* enum mem_port of the request, or RESPONSE_WRITTEN */
};

struct packet {
    uint64_t address; /* in the slice's own address space, without the bits that select the slice: outbound_fill_in() */
    struct packet_reply reply;
    uint16_t bytes;   /* bytes that are read or written */
    uint16_t slice;   /* where the packet goes */
    uint8_t kind;     /* enum packet_kind */
    uint8_t passes;   /* atomics: the largest number of lanes that share one word */
    uint8_t sectors;  /* mask of sectors of the L2's line */
    bool wants_reply; /* always, for reads and atomics */
};

/* How many sectors a mask of up to eight bits names. Where the host has no such instruction, __builtin_popcount()
 * would be a call. */
static inline uint32_t packet_sectors(unsigned mask)
{
    static const uint8_t of_four[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return (uint32_t)of_four[mask & 15] + of_four[mask >> 4 & 15];
}

/* An element of a ring. */
struct timed_packet {
    uint64_t time; /* cycle at which the packet arrives, is ready, or may go on; in the clock of the ring's owner */
    struct packet packet;
};

struct ring {
    struct timed_packet *at;
    uint32_t mask;        /* size of the ring, a power of two, less one */
    uint32_t head, count; /* index of the first packet, and number of packets */
};

void ring_open(struct ring *r, uint32_t capacity);
void ring_close(struct ring *r);

static inline struct timed_packet *ring_head(const struct ring *r)
{
    return &r->at[r->head];
}

static inline void ring_pop(struct ring *r)
{
    r->head = (r->head + 1) & r->mask;
    r->count--;
}

/* The element behind the last, where the next packet goes if there is room. The packet counts as in the ring only
 * once `count` was raised. */
static inline struct timed_packet *ring_end(const struct ring *r)
{
    return &r->at[(r->head + r->count) & r->mask];
}

/* Appends to a ring that its owner keeps within the capacity it was opened with. */
static inline void ring_push_within(struct ring *r, uint64_t time, const struct packet *p)
{
    struct timed_packet *f = ring_end(r);
    f->time = time;
    f->packet = *p;
    r->count++;
}

#endif
