/*
 * Packets: what travels between a multiprocessor and a slice of the L2, and queues of them.
 *
 * A queue is a ring ordered by time that doubles when it is full; bounds that are part of the machine are its
 * owner's to keep. Reads and atomics come back to the miss register (token) that asked; writes, if
 * acknowledged, to the access.
 */
#ifndef HEDDLE_MEM_PACKET_H
#define HEDDLE_MEM_PACKET_H

#include <stdbool.h>
#include <stdint.h>

enum packet_kind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC };

struct packet {
    uint64_t address; /* within the slice's own addresses: see outbound_new() */
    uint32_t token;
    uint16_t bytes; /* read, or written */
    uint16_t sm, slice;
    uint8_t kind;     /* enum packet_kind */
    uint8_t port;     /* enum mem_port */
    uint8_t passes;   /* of an atomic: lanes that fall on one word, at most */
    uint8_t sectors;  /* of the line of the L2 */
    bool wants_reply; /* reads and atomics always */
};

/* How many sectors a mask of up to eight names; no call where the processor has no such instruction. */
static inline uint32_t packet_sectors(unsigned mask)
{
    const uint64_t of_four = 0x4332322132212110; /* by hexadecimal digit */
    return (uint32_t)((of_four >> (mask & 15) * 4 & 15) + (of_four >> (mask >> 4 & 15) * 4 & 15));
}

struct timed_packet {
    uint64_t time; /* when it arrives, is ready, or may go on; the clock is its owner's */
    struct packet packet;
};

/* The place behind the last has time RING_NEVER if its owner wants that: see ring_mark_end(). */
struct ring {
    struct timed_packet *at;
    uint32_t mask, head, count;
};

#define RING_NEVER UINT64_MAX

void ring_open(struct ring *r, uint32_t capacity);
void ring_close(struct ring *r);
void ring_grow(struct ring *r);

static inline struct timed_packet *ring_head(const struct ring *r)
{
    return &r->at[r->head];
}

static inline void ring_pop(struct ring *r)
{
    r->head = (r->head + 1) & r->mask;
    r->count--;
}

/* Where the next one goes, if there is room: it is in the ring when that was counted. */
static inline struct timed_packet *ring_end(const struct ring *r)
{
    return &r->at[(r->head + r->count) & r->mask];
}

/* Makes an end that needs no asking for `count`: the first one's time is RING_NEVER if there is none. There
 * must be room for one more. Done after each push; a ring is opened so. */
static inline void ring_mark_end(struct ring *r)
{
    ring_end(r)->time = RING_NEVER;
}

/* To a ring that its owner keeps within the capacity it was opened with. */
static inline void ring_push_within(struct ring *r, uint64_t time, const struct packet *p)
{
    struct timed_packet *f = ring_end(r);
    f->time = time;
    f->packet = *p;
    r->count++;
}

/* Before those that are later, after those that are not; within the capacity. */
static inline void ring_insert(struct ring *r, uint64_t time, const struct packet *p)
{
    uint32_t i = r->count;
    if (!i || r->at[(r->head + i - 1) & r->mask].time <= time) {
        ring_push_within(r, time, p);
        return;
    }
    for (r->count++; i > 0 && r->at[(r->head + i - 1) & r->mask].time > time; i--)
        r->at[(r->head + i) & r->mask] = r->at[(r->head + i - 1) & r->mask];
    r->at[(r->head + i) & r->mask] = (struct timed_packet){time, *p};
}

#endif
