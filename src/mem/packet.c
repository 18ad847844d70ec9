/* Rings of packets: opening, growing and closing them. Pushing and popping is inline in packet.h. */
#include "mem/packet.h"

#include "base/arena.h"

#include <stdlib.h>

void ring_open(struct ring *r, uint32_t capacity)
{
    uint32_t size = 4;
    while (size < capacity)
        size *= 2;
    *r = (struct ring){.at = xcalloc(size, sizeof *r->at), .mask = size - 1};
    ring_mark_end(r);
}

void ring_close(struct ring *r)
{
    free(r->at);
    *r = (struct ring){0};
}

void ring_grow(struct ring *r)
{
    uint32_t size = r->mask + 1;
    struct timed_packet *larger = xcalloc((size_t)size * 2, sizeof *larger);
    for (uint32_t i = 0; i < r->count; i++)
        larger[i] = r->at[(r->head + i) & r->mask];
    free(r->at);
    *r = (struct ring){.at = larger, .mask = 2 * size - 1, .count = r->count};
}
