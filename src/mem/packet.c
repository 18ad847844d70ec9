/* Rings of packets: opening and closing them. Pushing and popping is inline in packet.h. */
#include "mem/packet.h"

#include "base/arena.h"

#include <stdlib.h>

void ring_open(struct ring *r, uint32_t capacity)
{
    uint32_t size = 4;
    while (size < capacity)
        size *= 2;
    *r = (struct ring){.at = xcalloc(size, sizeof *r->at), .mask = size - 1};
}

void ring_close(struct ring *r)
{
    free(r->at);
    *r = (struct ring){0};
}
