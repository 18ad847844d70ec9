/* Cache tags: see cache.h. */
#include "mem/cache.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways)
{
    *c = (struct cache){.sets = bytes / (line_bytes * ways), .ways = ways, .words = (ways + 7) / 8};
    c->stride = c->words * 8;
    c->masks = !(c->sets & (c->sets - 1));
    c->by_sets = divider_make(c->sets ? c->sets : 1);
    size_t places = (size_t)c->sets * c->stride;
    c->tag = xmalloc(sizeof *c->tag * (places + 1));
    c->marks = xcalloc((size_t)c->sets * c->words + 1, sizeof *c->marks);
    c->sectors = xcalloc(places + 1, 1);
    c->dirty = xcalloc(places + 1, 1);
    c->link = xcalloc(places + 1, sizeof *c->link);
    c->newest = xcalloc((size_t)c->sets + 1, 1);
    cache_clear(c);
}

void cache_close(struct cache *c)
{
    free(c->tag);
    free(c->marks);
    free(c->sectors);
    free(c->dirty);
    free(c->link);
    free(c->newest);
}

/* Takes the way out of the ring and puts it in again between the oldest and the newest. */
static void put_between(struct cache *c, uint32_t set, uint8_t way)
{
    struct cache_link *link = &c->link[(size_t)set * c->stride];
    uint8_t newest = c->newest[set], oldest = link[newest].newer;
    link[link[way].older].newer = link[way].newer;
    link[link[way].newer].older = link[way].older;
    link[way] = (struct cache_link){.older = newest, .newer = oldest};
    link[oldest].older = way;
    link[newest].newer = way;
}

/* The oldest is beside the newest already: the ring turns. */
void cache_renew(struct cache *c, uint32_t set, uint8_t way)
{
    if (c->link[(size_t)set * c->stride + c->newest[set]].newer != way)
        put_between(c, set, way);
    c->newest[set] = way;
}

void cache_drop(struct cache *c, int64_t place)
{
    uint32_t set = (uint32_t)((size_t)place / c->stride);
    uint8_t way = (uint8_t)((size_t)place % c->stride);
    struct cache_link *link = &c->link[(size_t)set * c->stride];
    c->tag[place] = CACHE_EMPTY;
    c->sectors[place] = c->dirty[place] = 0;
    if (c->newest[set] == way)
        c->newest[set] = link[way].older;
    else if (link[c->newest[set]].newer != way)
        put_between(c, set, way);
}

uint64_t cache_clear(struct cache *c)
{
    uint64_t lost = 0;
    size_t places = (size_t)c->sets * c->stride;
    for (size_t i = 0; i < places; i++) {
        uint32_t way = (uint32_t)(i % c->stride);
        lost += c->dirty[i] != 0;
        c->tag[i] = CACHE_EMPTY;
        c->sectors[i] = c->dirty[i] = 0;
        c->link[i] = (struct cache_link){.older = (uint8_t)(way + 1 < c->ways ? way + 1 : 0),
                                         .newer = (uint8_t)(way ? way - 1 : c->ways - 1)};
    }
    memset(c->newest, 0, c->sets);
    return lost;
}
