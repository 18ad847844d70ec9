/* Replies of one multiprocessor in order of cycle, in a ring that grows: replies.h says why a ring. */
#include "mem/replies.h"

#include "base/arena.h"

#include <stdlib.h>

void replies_open(struct replies *r)
{
    *r = (struct replies){.mask = 63};
    r->at = xcalloc((size_t)r->mask + 1, sizeof *r->at);
}

void replies_close(struct replies *r)
{
    free(r->at);
}

static void grow(struct replies *r)
{
    uint32_t size = r->mask + 1;
    struct mem_reply *larger = xcalloc((size_t)size * 2, sizeof *larger);
    for (uint32_t i = 0; i < r->count; i++)
        larger[i] = r->at[(r->head + i) & r->mask];
    free(r->at);
    *r = (struct replies){.at = larger, .mask = 2 * size - 1, .count = r->count};
}

void replies_push(struct replies *r, const struct mem_reply *reply)
{
    if (r->count > r->mask)
        grow(r);
    uint32_t i = r->head + r->count++;
    for (; i != r->head && r->at[(i - 1) & r->mask].cycle > reply->cycle; i--)
        r->at[i & r->mask] = r->at[(i - 1) & r->mask];
    r->at[i & r->mask] = *reply;
}
