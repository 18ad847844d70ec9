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
    c->links = (uint16_t)(c->dirty + ways);
    c->newest = (uint16_t)(c->links + ways * sizeof(struct cache_link));
    c->tags = (uint16_t)(c->newest + 8); /* `newest` is a multiple of 8, and a byte behind it is used */
    while (1u << c->block_shift < c->tags + ways * sizeof(uint64_t))
        c->block_shift++;
}

static size_t count_bytes(const struct cache *c)
{
    return (size_t)(c->sets ? c->sets : 1) << c->block_shift;
}

/* A cache without sets gets one set into which nothing is ever put, so that lookups need not ask for the case. */
void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways, struct zeros *zeros)
{
    *c = (struct cache){.sets = bytes / (line_bytes * ways), .ways = ways, .block_shift = 6};
    c->line_shift = (unsigned)__builtin_ctz(line_bytes);
    c->masks = !(c->sets & (c->sets - 1));
    c->set_mask = c->sets ? c->sets - 1 : 0;
    c->by_sets = divider_make(c->sets ? c->sets : 1);
    lay_out_block(c);
    c->blocks = zeros_array(zeros, uint8_t, count_bytes(c));
    c->used = zeros_array(zeros, uint32_t, c->sets);
}

void cache_hash_sets(struct cache *c)
{
    c->hashes = c->sets != 0;
    c->masks = !c->hashes;
}

void cache_drop(struct cache *c, int64_t place)
{
    uint8_t *block = cache_block(c, place), way = (uint8_t)cache_way(c, place), newest = block[c->newest];
    struct cache_link *link = cache_links(c, block);
    *cache_tag(c, place) = 0;
    *cache_sectors(c, place) = *cache_dirty(c, place) = 0;
    if (newest == way)
        block[c->newest] = link[way].older;
    else if (link[newest].newer != way)
        cache_put_between(link, way, newest, link[newest].newer);
}

/* All ways are empty: any order of use does, but the most recently used way is 0, as it is in a block of zeros. */
void cache_begin_set(struct cache *c, uint8_t *block)
{
    struct cache_link *link = cache_links(c, block);
    for (uint32_t way = 0; way < c->ways; way++)
        link[way] = (struct cache_link){.older = (uint8_t)(way + 1 < c->ways ? way + 1 : 0),
                                        .newer = (uint8_t)(way ? way - 1 : c->ways - 1)};
    block[c->newest + 1] = true;
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
