/* Cache tags (cache.h): storage, and taking lines out. Lookups and fills are inline in the header. */
#include "mem/cache.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* A cache without sets gets one set into which nothing is ever put, so that lookups need not ask for the case. */
void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways)
{
    *c = (struct cache){.sets = bytes / (line_bytes * ways), .ways = ways, .words = (ways + 7) / 8, .shift = 3};
    c->line_shift = (unsigned)__builtin_ctz(line_bytes);
    while (1u << c->shift < ways)
        c->shift++;
    c->masks = !(c->sets & (c->sets - 1));
    c->set_mask = c->sets ? c->sets - 1 : 0;
    c->by_sets = divider_make(c->sets ? c->sets : 1);
    size_t sets = c->sets ? c->sets : 1, places = sets << c->shift;
    c->tag = xmalloc(sizeof *c->tag * places);
    c->marks = xcalloc(places, sizeof *c->marks);
    c->sectors = xcalloc(places, 1);
    c->dirty = xcalloc(places, 1);
    c->link = xcalloc(places, sizeof *c->link);
    c->newest = xcalloc(sets, 1);
    cache_clear(c);
}

void cache_hash_sets(struct cache *c)
{
    c->hashes = c->sets != 0;
    c->masks = !c->hashes;
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

void cache_drop(struct cache *c, int64_t place)
{
    size_t set = (size_t)place >> c->shift, first = set << c->shift;
    uint8_t way = (uint8_t)((size_t)place - first), newest = c->newest[set];
    struct cache_link *link = &c->link[first];
    c->tag[place] = CACHE_EMPTY;
    c->sectors[place] = c->dirty[place] = 0;
    if (newest == way)
        c->newest[set] = link[way].older;
    else if (link[newest].newer != way)
        cache_put_between(link, way, newest, link[newest].newer);
}

uint64_t cache_clear(struct cache *c)
{
    uint64_t lost = 0;
    size_t sets = c->sets ? c->sets : 1, places = sets << c->shift;
    for (size_t i = 0; i < places; i++) {
        uint32_t way = (uint32_t)(i & ((1u << c->shift) - 1));
        lost += c->dirty[i] != 0;
        c->tag[i] = CACHE_EMPTY;
        c->sectors[i] = c->dirty[i] = 0;
        c->link[i] = (struct cache_link){.older = (uint8_t)(way + 1 < c->ways ? way + 1 : 0),
                                         .newer = (uint8_t)(way ? way - 1 : c->ways - 1)};
    }
    memset(c->newest, 0, sets);
    return lost;
}
