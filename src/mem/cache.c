/* Cache tags (cache.h): storage, and taking lines out. Lookups and fills are inline in the header. */
#include "mem/cache.h"

#include <string.h>

/* Where the fields of a block are. Up to four ways are in one cache line of the host; more are looked up by whole words
 * of marks, so there are tags for every mark. */
static void lay_out_block(struct cache *c)
{
    uint32_t marks = (c->ways + 7) / 8 * 8, ways = c->ways <= 4 ? 4 : marks;
    c->sectors = (uint16_t)marks;
    c->dirty = (uint16_t)(c->sectors + ways);
    c->order = c->links = (uint16_t)(c->dirty + ways);
    c->newest = (uint16_t)(c->links + ways * sizeof(struct cache_link));
    /* `newest` is a multiple of 8, and a byte behind it is used */
    c->tags = (uint16_t)(c->is_small ? c->order + sizeof(uint64_t) : c->newest + 8u);
    while (1u << c->block_shift < c->tags + ways * sizeof(uint64_t))
        c->block_shift++;
    c->way_mask = (UINT64_C(1) << c->block_shift) - 1;
}

static size_t count_bytes(const struct cache *c)
{
    return (size_t)(c->sets ? c->sets : 1) << c->block_shift;
}

/* A cache without sets gets one set into which nothing is ever put, so that lookups need not ask for the case. */
void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways, struct storage *storage)
{
    *c = (struct cache){.sets = bytes / (line_bytes * ways), .ways = ways, .block_shift = 6};
    c->line_shift = (unsigned)__builtin_ctz(line_bytes);
    c->masks = !(c->sets & (c->sets - 1));
    c->set_mask = c->sets ? c->sets - 1 : 0;
    c->by_sets = divider_make(c->sets ? c->sets : 1);
    c->is_small = ways <= 8;
    c->oldest_shift = (uint8_t)(8 * (ways - 1));
    c->no_ways = ways < 8 ? UINT64_MAX << 8 * ways : 0;
    lay_out_block(c);
    c->blocks = storage_array(storage, uint8_t, count_bytes(c));
    c->used = storage_array(storage, uint32_t, c->sets);
}

void cache_hash_sets(struct cache *c)
{
    c->hashes = c->sets != 0;
    c->hash_half = c->sets == 64 ? 32 : 0;
    c->masks = !c->hashes;
}

int64_t cache_find_in_many(const struct cache *c, size_t offset, struct cache_key key, uint64_t line)
{
    int64_t place = CACHE_NOWHERE;
    for (size_t first = 0; first < c->ways && place == CACHE_NOWHERE; first += 8)
        place = cache_find_in_eight(c, offset, first, key, line);
    return place;
}

/* Takes the way out of the ring and puts it back between the least and the most recently used way: it becomes one
 * of them. */
static void put_between(struct cache_link *link, uint8_t way, uint8_t newest, uint8_t oldest)
{
    struct cache_link old = link[way];
    link[old.older].newer = old.newer;
    link[old.newer].older = old.older;
    link[way] = (struct cache_link){.older = newest, .newer = oldest};
    link[oldest].older = way;
    link[newest].newer = way;
}

/* The least recently used way is beside the most recently used already: the ring just turns. */
void cache_touch_ring(const struct cache *c, uint8_t *block, uint8_t way)
{
    uint8_t newest = block[c->newest];
    if (newest == way)
        return;
    struct cache_link *link = cache_links(c, block);
    uint8_t oldest = link[newest].newer;
    if (oldest != way)
        put_between(link, way, newest, oldest);
    block[c->newest] = way;
}

/* The order of use after the way was emptied, which makes it the least recently used. */
static uint64_t order_without(const struct cache *c, uint64_t order, uint8_t way)
{
    const uint64_t later = cache_later_ways(order, way), others = (order & later) | (order >> 8 & ~later);
    const uint64_t all_but_last = (UINT64_C(1) << c->oldest_shift) - 1;
    return (others & all_but_last) | (uint64_t)way << c->oldest_shift | c->no_ways;
}

void cache_drop(struct cache *c, int64_t place)
{
    uint8_t *block = cache_block(c, place), way = (uint8_t)cache_way(c, place), newest = cache_newest_way(c, block);
    struct cache_link *link = cache_links(c, block);
    *cache_tag(c, place) = 0;
    *cache_sectors(c, place) = *cache_dirty(c, place) = 0;
    if (c->is_small)
        *cache_order(c, block) = order_without(c, *cache_order(c, block), way);
    else if (newest == way)
        block[c->newest] = link[way].older;
    else if (link[newest].newer != way)
        put_between(link, way, newest, link[newest].newer);
}

/* All ways are empty: any order of use does, but the least recently used way is 0, as it is in a block of zeros. */
void cache_begin_set(struct cache *c, uint8_t *block)
{
    struct cache_link *link = cache_links(c, block);
    if (c->is_small) {
        *cache_order(c, block) = UINT64_C(0x0001020304050607) >> 8 * (8 - c->ways) | c->no_ways;
    } else {
        for (uint32_t way = 0; way < c->ways; way++)
            link[way] = (struct cache_link){.older = (uint8_t)(way ? way - 1 : c->ways - 1),
                                            .newer = (uint8_t)(way + 1 < c->ways ? way + 1 : 0)};
        block[c->newest] = (uint8_t)(c->ways - 1);
        block[c->newest + 1] = true;
    }
    c->used[c->used_count++] = (uint32_t)((size_t)(block - c->blocks) >> c->block_shift);
}

uint64_t cache_clear(struct cache *c)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < c->used_count; i++) {
        uint8_t *block = c->blocks + ((size_t)c->used[i] << c->block_shift);
        for (uint32_t way = 0; way < c->ways; way++)
            lost += block[c->dirty + way] != 0;
        memset(block, 0, (size_t)1 << c->block_shift);
    }
    c->used_count = 0;
    return lost;
}
