/*
 * Responses: what a slice of the L2 sends back to a multiprocessor (SM) for a request, and queues of responses in order
 * of time.
 *
 * A queue is a ring with a mark at its end, so that the first response of an empty queue has time RESPONSE_NEVER and
 * nobody need ask for the number of responses.
 */
#ifndef HEDDLE_MEM_RESPONSE_H
#define HEDDLE_MEM_RESPONSE_H

#include "mem/config.h"
#include "mem/packet.h"

#define RESPONSE_NEVER UINT64_MAX

enum { RESPONSE_WRITTEN = PORT_COUNT }; /* a response that acknowledges a write, instead of a cache port */

/* 16 bytes, so that four are in a cache line of the host. */
struct response {
    uint64_t time; /* first cycle at which it may leave its slice; or cycle at which it arrives at the SM */
    struct packet_reply reply;
};

struct response_queue {
    struct response *at;  /* the ring */
    uint32_t mask;        /* size of the ring, a power of two, less one */
    uint32_t head, count; /* index of the first response, and number of responses */
};

void response_open(struct response_queue *q, uint32_t capacity);
void response_close(struct response_queue *q);
void response_grow(struct response_queue *q);
/* What response_insert() does if the response overtakes others. */
uint32_t response_overtake(struct response_queue *q, struct response r);

/* The first response; its time is RESPONSE_NEVER if there is none. */
static inline const struct response *response_first(const struct response_queue *q)
{
    return &q->at[q->head];
}

static inline void response_pop(struct response_queue *q)
{
    q->head = (q->head + 1) & q->mask;
    q->count--;
}

/* Appends a response that is no earlier than all others. */
static inline void response_push(struct response_queue *q, struct response r)
{
    if (__builtin_expect(q->count >= q->mask, 0))
        response_grow(q);
    uint32_t last = q->head + q->count++;
    q->at[last & q->mask] = r;
    q->at[(last + 1) & q->mask].time = RESPONSE_NEVER;
}

/* Inserts before responses of a later time, behind all others; there must be room. Gives the number of responses before
 * it. */
static inline uint32_t response_insert(struct response_queue *q, struct response r)
{
    uint32_t before = q->count, last = q->head + before;
    if (before && q->at[(last - 1) & q->mask].time > r.time)
        return response_overtake(q, r);
    q->count++;
    q->at[last & q->mask] = r;
    q->at[(last + 1) & q->mask].time = RESPONSE_NEVER;
    return before;
}

#endif
