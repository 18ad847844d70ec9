/* Queues of responses (response.h): storage, and responses that overtake others. */
#include "mem/response.h"

#include "base/arena.h"

#include <stdlib.h>

void response_open(struct response_queue *q, uint32_t capacity)
{
    uint32_t size = 4;
    while (size < capacity + 1) /* one more for the mark at the end */
        size *= 2;
    *q = (struct response_queue){.at = xcalloc(size, sizeof *q->at), .mask = size - 1};
    q->at[0].time = RESPONSE_NEVER;
}

void response_close(struct response_queue *q)
{
    free(q->at);
    *q = (struct response_queue){0};
}

void response_grow(struct response_queue *q)
{
    uint32_t size = q->mask + 1;
    struct response *larger = xcalloc((size_t)size * 2, sizeof *larger);
    for (uint32_t i = 0; i < q->count; i++)
        larger[i] = q->at[(q->head + i) & q->mask];
    free(q->at);
    *q = (struct response_queue){.at = larger, .mask = 2 * size - 1, .count = q->count};
}

uint32_t response_overtake(struct response_queue *q, struct response r)
{
    uint32_t i = q->count++;
    q->at[(q->head + i + 1) & q->mask].time = RESPONSE_NEVER;
    for (; i > 0 && q->at[(q->head + i - 1) & q->mask].time > r.time; i--)
        q->at[(q->head + i) & q->mask] = q->at[(q->head + i - 1) & q->mask];
    q->at[(q->head + i) & q->mask] = r;
    return i;
}
