/*
 * A set-associative cache with least-recently-used replacement: tags only, no data. Where lines are fetched in
 * sectors, a line has a mask of the sectors it holds. The cache's owner decides when lines come in and what a miss
 * means.
 *
 * The cost of a lookup hardly depends on the number of ways: each way has a mark, one byte of the hash of its line,
 * and eight marks are compared at once; only ways whose mark matches are compared by tag. The order of use of up to
 * eight ways is one word, from the most to the least recently used, one byte per way. More ways form a ring in that
 * order. So the way to replace is known, and replacing it turns the ring by one step. Empty ways count as least
 * recently used.
 *
 * All that is known of a set lies side by side, in one block: looking a line up and putting a line in touch one or two
 * cache lines of the host, not one for each kind of field.
 *
 * A line is at a place: the offset of its set's block plus the number of its way. A line keeps its place until another
 * line is put there.
 *
 * A block of zeros is a set into which nothing was put since the cache was emptied: a tag is the complement of its
 * line's number. So the sets of a large cache take neither host time nor host memory before their first line, and
 * emptying a cache visits only the sets that were used.
 */
#ifndef HEDDLE_MEM_CACHE_H
#define HEDDLE_MEM_CACHE_H

#include "base/storage.h"
#include "mem/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cache_link {
    /* ways used just before and just after this one; the ring closes between the least and the most recently used */
    uint8_t older, newer;
};

struct cache {
    /* [set] blocks of 2^block_shift bytes. A block begins with the marks of its ways, eight to a word in the order of
     * the word's bytes: see cache_set_mark(). The offsets of other fields follow */
    uint8_t *blocks;
    unsigned block_shift;
    uint64_t way_mask;       /* 2^block_shift - 1: the bits of a place that are the way */
    bool masks;              /* `sets` is a power of two, or 0, and sets are not hashed: set_mask finds the set */
    bool hashes;             /* cache_hash() finds the set */
    uint8_t hash_half;       /* of 64 sets, the bit of a set's number that chooses the half; 0: there are no halves */
    uint16_t sectors, dirty; /* [way] masks of the sectors that the line holds, and that must be written back */
    bool is_small;           /* up to eight ways */
    uint8_t oldest_shift;    /* of the order of use: lowest bit of the least recently used way */
    uint64_t no_ways;        /* of the order of use: 0xff in bytes beyond the ways, so that it is not 0 */
    uint16_t order;          /* is_small: uint64_t, the set's ways in order of use, the newest lowest; 0: not used */
    uint16_t links;          /* others: [way] struct cache_link: ring of the set's ways in order of use */
    uint16_t newest;         /* others: most recently used way; the byte behind it is not 0 if the set was used */
    uint16_t tags;           /* [way] complement of the line's number; 0: no line */
    uint32_t sets, ways;     /* sets = 0: there is no cache; no line is ever found or kept */
    uint64_t set_mask;
    unsigned line_shift; /* log2 of bytes per line */
    struct divider by_sets;
    uint32_t *used, used_count; /* numbers of the sets that a line was put into since the cache was emptied */
};

#define CACHE_EMPTY UINT64_MAX
enum { CACHE_NOWHERE = -1 };

/* An empty cache, whose sets are in `storage`, which was never started anew, and are freed with it. */
void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways, struct storage *storage);
/* The cache, which is empty, finds its sets by cache_hash(). It must have 32 or 64 sets, or none. */
void cache_hash_sets(struct cache *c);
/* Empties the cache; gives the number of lines that were dirty. */
uint64_t cache_clear(struct cache *c);
/* Empties the place, which holds a line. */
void cache_drop(struct cache *c, int64_t place);
/* Makes the set of the block, into which nothing was put since the cache was emptied, ready for its first line. */
void cache_begin_set(struct cache *c, uint8_t *block);
/* What cache_touch() does where more than eight ways form a ring. */
void cache_touch_ring(const struct cache *c, uint8_t *block, uint8_t way);

/* The set of a line in Fermi's L1 data cache: the lowest five bits of the line's number, exclusive-or address bits 13,
 * 14, 15, 17 and 19; of 64 sets, bit 12 of the address chooses the half. (Nugteren et al., HPCA 2014; GPGPU-Sim 3,
 * gpu-cache.cc, FERMI_HASH_SET_FUNCTION.) */
static inline size_t cache_hash(const struct cache *c, uint64_t line)
{
    const uint64_t above = line << c->line_shift >> 12; /* bit 0 is address bit 12 */
    const uint64_t upper = (above >> 1 & 7) | (above >> 2 & 8) | (above >> 3 & 16);
    return ((line & 31) ^ upper) | (above << 5 & c->hash_half);
}

static inline size_t cache_set(const struct cache *c, uint64_t line)
{
    return c->masks ? line & c->set_mask : c->hashes ? cache_hash(c, line) : line - divide(c->by_sets, line) * c->sets;
}

/* What finds a line, computed once for the cache and the miss registers beside it (mem/mshr.h). */
struct cache_key {
    uint32_t hash; /* of the line's number; the highest byte is the mark */
    uint32_t set;
};

static inline uint32_t cache_hash_line(uint64_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 32);
}

static inline struct cache_key cache_key_of(const struct cache *c, uint64_t line)
{
    return (struct cache_key){.set = (uint32_t)cache_set(c, line), .hash = cache_hash_line(line)};
}

/* cache_find_key() for more than eight ways, of the block at the offset. */
int64_t cache_find_in_many(const struct cache *c, size_t offset, struct cache_key key, uint64_t line);

/* Lets the host fetch the marks and the tags of the set. */
static inline void cache_prefetch(const struct cache *c, size_t set)
{
    const uint8_t *block = c->blocks + (set << c->block_shift);
    __builtin_prefetch(block);
    __builtin_prefetch(block + c->tags + 63);
}

/* The block of the set that the place is in. */
static inline uint8_t *cache_block(const struct cache *c, int64_t place)
{
    return c->blocks + ((uint64_t)place & ~c->way_mask);
}

static inline size_t cache_way(const struct cache *c, int64_t place)
{
    return (size_t)place & c->way_mask;
}

static inline uint64_t *cache_tag(const struct cache *c, int64_t place)
{
    return (uint64_t *)(void *)(cache_block(c, place) + c->tags) + cache_way(c, place);
}

/* The line at the place; CACHE_EMPTY if there is none. */
static inline uint64_t cache_line_at(const struct cache *c, int64_t place)
{
    return ~*cache_tag(c, place);
}

/* The mask of sectors that the line at the place holds. */
static inline uint8_t *cache_sectors(const struct cache *c, int64_t place)
{
    return c->blocks + place + c->sectors;
}

/* The mask of sectors that must be written back. */
static inline uint8_t *cache_dirty(const struct cache *c, int64_t place)
{
    return c->blocks + place + c->dirty;
}

static inline void cache_set_mark(uint8_t *block, size_t way, uint8_t mark)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    way ^= 7;
#endif
    block[way] = mark;
}

/* cache_find_key() for up to four ways: comparing all tags takes less time than finding those worth comparing. */
static inline int64_t cache_find_in_few(const struct cache *c, size_t offset, uint64_t line)
{
    const uint64_t *tags = (const uint64_t *)(const void *)(c->blocks + offset + c->tags);
    const uint64_t tag = ~line;
    bool in_0 = tags[0] == tag, in_1 = tags[1] == tag, in_2 = tags[2] == tag, in_3 = tags[3] == tag;
    bool is_in = in_0 | in_1 | in_2 | in_3;
    return is_in ? (int64_t)offset + in_1 + 2 * in_2 + 3 * in_3 : CACHE_NOWHERE;
}

/* cache_find_key() among the eight ways from way `first` on. */
static inline int64_t cache_find_in_eight(const struct cache *c, size_t offset, size_t first, struct cache_key key,
                                          uint64_t line)
{
    const uint64_t ones = 0x0101010101010101u, high_bits = ones << 7;
    const uint8_t *block = c->blocks + offset;
    const uint64_t *tags = (const uint64_t *)(const void *)(block + c->tags);
    uint64_t differs;
    /* A zero byte of `differs` (a mark that matches) gets its high bit set in `fits`; a byte above it may get it too.
     * Comparing the tag rules that out. */
    memcpy(&differs, block + first, sizeof differs);
    differs ^= (key.hash >> 24) * ones;
    for (uint64_t fits = (differs - ones) & ~differs & high_bits; fits; fits &= fits - 1) {
        size_t way = first + ((unsigned)__builtin_ctzll(fits) >> 3);
        if (tags[way] == ~line)
            return (int64_t)(offset + way);
    }
    return CACHE_NOWHERE;
}

/* The place of the line with this key; CACHE_NOWHERE if it is not there. */
static inline int64_t cache_find_key(const struct cache *c, struct cache_key key, uint64_t line)
{
    const size_t offset = (size_t)key.set << c->block_shift;
    if (c->ways <= 4)
        return cache_find_in_few(c, offset, line);
    if (c->is_small)
        return cache_find_in_eight(c, offset, 0, key, line);
    return cache_find_in_many(c, offset, key, line);
}

static inline int64_t cache_find(const struct cache *c, uint64_t line)
{
    return cache_find_key(c, cache_key_of(c, line), line);
}

static inline struct cache_link *cache_links(const struct cache *c, uint8_t *block)
{
    return (struct cache_link *)(void *)(block + c->links);
}

static inline uint64_t *cache_order(const struct cache *c, uint8_t *block)
{
    return (uint64_t *)(void *)(block + c->order);
}

/* The bits of the order of use that stand for ways used later than this one. */
static inline uint64_t cache_later_ways(uint64_t order, uint8_t way)
{
    const uint64_t ones = 0x0101010101010101u, differs = order ^ way * ones;
    const uint64_t found = (differs - ones) & ~differs & ones << 7; /* its lowest bit is in the byte of the way */
    return (found & -found) / 128 - 1;
}

/* The order of use after a use of the way. No branches, since the host cannot predict them. */
static inline uint64_t cache_order_after(uint64_t order, uint8_t way)
{
    const uint64_t later = cache_later_ways(order, way);
    return (order & ~(later << 8 | 0xff)) | (order & later) << 8 | way;
}

/* The most and the least recently used way of the block's set. */
static inline uint8_t cache_newest_way(const struct cache *c, uint8_t *block)
{
    return c->is_small ? (uint8_t)*cache_order(c, block) : block[c->newest];
}

static inline uint8_t cache_oldest_way(const struct cache *c, uint8_t *block)
{
    return c->is_small ? (uint8_t)(*cache_order(c, block) >> c->oldest_shift)
                       : cache_links(c, block)[block[c->newest]].newer;
}

/* Counts as a use of the line at the place. */
static inline void cache_touch(struct cache *c, int64_t place)
{
    uint8_t *block = cache_block(c, place), way = (uint8_t)cache_way(c, place);
    if (c->is_small)
        *cache_order(c, block) = cache_order_after(*cache_order(c, block), way);
    else
        cache_touch_ring(c, block, way);
}

/* The place of the line, or CACHE_NOWHERE. Counts as a use. */
static inline int64_t cache_find_to_use(struct cache *c, uint64_t line)
{
    int64_t place = cache_find(c, line);
    if (place != CACHE_NOWHERE)
        cache_touch(c, place);
    return place;
}

/* Whether the cache holds the line, and no line of its set was used later. */
static inline bool cache_is_newest(const struct cache *c, uint64_t line)
{
    int64_t first = (int64_t)(cache_set(c, line) << c->block_shift);
    return cache_line_at(c, first + cache_newest_way(c, cache_block(c, first))) == line;
}

/* The mask of the line's sectors that the cache holds. Counts as a use. */
static inline unsigned cache_use(struct cache *c, uint64_t line)
{
    int64_t place = cache_find_to_use(c, line);
    return place == CACHE_NOWHERE ? 0 : *cache_sectors(c, place);
}

/* The place where a new line of the set would go: an empty way, or the least recently used one. The cache must have
 * sets. */
static inline int64_t cache_oldest(const struct cache *c, size_t set)
{
    size_t offset = set << c->block_shift;
    return (int64_t)(offset + cache_oldest_way(c, c->blocks + offset));
}

/* A line is about to be put at the least recently used way of the block's set, which becomes the most recently used.
 * Gives the way. If the line is the set's first one, takes note of the set. */
static inline uint8_t cache_turn(struct cache *c, uint8_t *block)
{
    uint64_t *order = cache_order(c, block);
    if (!(c->is_small ? *order != 0 : block[c->newest + 1]))
        cache_begin_set(c, block);
    const uint8_t oldest = cache_oldest_way(c, block);
    if (c->is_small)
        *order = *order << 8 | oldest | c->no_ways;
    else
        block[c->newest] = oldest;
    return oldest;
}

/* Puts a line that is not in the cache where its set's least recently used line is, and gives the place. The sectors
 * that must be written back stay as they were: where lines can be dirty, the caller sets them. The cache must have
 * sets. */
static inline int64_t cache_replace_oldest(struct cache *c, struct cache_key key, uint64_t line, unsigned sectors)
{
    const size_t offset = (size_t)key.set << c->block_shift;
    uint8_t *block = c->blocks + offset, way = cache_turn(c, block);
    cache_set_mark(block, way, (uint8_t)(key.hash >> 24));
    block[c->sectors + way] = (uint8_t)sectors;
    ((uint64_t *)(void *)(block + c->tags))[way] = ~line;
    return (int64_t)(offset + way);
}

/* The line at the place gets these sectors, some of which are dirty. Counts as a use. */
static inline void cache_add(struct cache *c, int64_t place, unsigned sectors, unsigned dirty)
{
    *cache_sectors(c, place) |= (uint8_t)sectors;
    *cache_dirty(c, place) |= (uint8_t)dirty;
    cache_touch(c, place);
}

/* Puts sectors of the line into the cache. True if that evicted a dirty line: `victim` is the line, `victim_dirty`
 * the mask of its dirty sectors. */
static inline bool cache_fill(struct cache *c, uint64_t line, unsigned sectors, bool dirty, uint64_t *victim,
                              unsigned *victim_dirty)
{
    if (!c->sets)
        return false;
    const struct cache_key key = cache_key_of(c, line);
    const unsigned written = dirty ? sectors : 0;
    int64_t place = cache_find_key(c, key, line);
    if (place != CACHE_NOWHERE) {
        cache_add(c, place, sectors, written);
        return false;
    }
    place = cache_oldest(c, key.set);
    *victim = cache_line_at(c, place);
    *victim_dirty = *cache_dirty(c, place);
    *cache_dirty(c, cache_replace_oldest(c, key, line, sectors)) = (uint8_t)written;
    return *victim_dirty != 0;
}

#endif
