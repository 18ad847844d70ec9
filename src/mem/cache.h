/*
 * A set-associative cache with least-recently-used replacement: tags only, no data. Where lines are fetched in
 * sectors, a line has a mask of the sectors it holds. The cache's owner decides when lines come in and what a miss
 * means.
 *
 * The cost of a lookup hardly depends on the number of ways: each way has a mark, one byte of the hash of its line,
 * and eight marks are compared at once; only ways whose mark matches are compared by tag. The ways of a set form a
 * ring in order of use, from the most to the least recently used; so the way to replace is known, and replacing it
 * turns the ring by one step. Empty ways count as least recently used.
 *
 * A line is at a place: an index of the arrays below. A line keeps its place until another line is put there.
 */
#ifndef HEDDLE_MEM_CACHE_H
#define HEDDLE_MEM_CACHE_H

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
    uint32_t sets, ways; /* sets = 0: there is no cache; no line is ever found or kept */
    uint32_t words;      /* words of eight marks per set */
    unsigned shift;      /* a set has 2^shift places, at least eight; places past `ways` stay empty */
    bool masks;          /* `sets` is a power of two, or 0, and sets are not hashed: set_mask finds the set */
    bool hashes;         /* cache_hash() finds the set */
    unsigned line_shift; /* log2 of bytes per line */
    uint64_t set_mask;
    struct divider by_sets;
    uint64_t *tag;           /* [place] line number; CACHE_EMPTY: no line */
    uint8_t *marks;          /* [place] marks, eight to a word in the order of the word's bytes: see cache_set_mark() */
    uint8_t *sectors;        /* [place] mask of the sectors that the line holds */
    uint8_t *dirty;          /* [place] mask of the sectors that must be written back */
    struct cache_link *link; /* [place] ring of the set's ways in order of use */
    uint8_t *newest;         /* [set] most recently used way */
};

#define CACHE_EMPTY UINT64_MAX
enum { CACHE_NOWHERE = -1 };

void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways);
void cache_close(struct cache *c);
/* The cache, which is empty, finds its sets by cache_hash(). It must have 32 or 64 sets, or none. */
void cache_hash_sets(struct cache *c);
/* Empties the cache; gives the number of lines that were dirty. */
uint64_t cache_clear(struct cache *c);
/* Empties the place. */
void cache_drop(struct cache *c, int64_t place);

/* The set of a line in Fermi's L1 data cache: the lowest five bits of the line's number, exclusive-or address bits 13,
 * 14, 15, 17 and 19; of 64 sets, bit 12 of the address chooses the half. (Nugteren et al., HPCA 2014; GPGPU-Sim 3,
 * gpu-cache.cc, FERMI_HASH_SET_FUNCTION.) */
static inline size_t cache_hash(const struct cache *c, uint64_t line)
{
    uint64_t address = line << c->line_shift;
    uint64_t upper = (address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;
    return ((line & 31) ^ upper) | (address >> 12 & (c->sets >> 6)) << 5;
}

static inline size_t cache_set(const struct cache *c, uint64_t line)
{
    return c->masks ? line & c->set_mask : c->hashes ? cache_hash(c, line) : line - divide(c->by_sets, line) * c->sets;
}

static inline uint8_t cache_mark(uint64_t line)
{
    return (uint8_t)((line * 0x9e3779b97f4a7c15u) >> 56);
}

static inline void cache_set_mark(struct cache *c, size_t place, uint8_t mark)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    place ^= 7;
#endif
    c->marks[place] = mark;
}

/* The place of the line in the set; CACHE_NOWHERE if it is not there. */
static inline int64_t cache_find_in(const struct cache *c, size_t set, uint64_t line)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t mark = cache_mark(line) * ones, differs;
    size_t first = set << c->shift, end = first + 8 * c->words;
    do {
        /* A zero byte of `differs` (a mark that matches) gets its high bit set in `fits`; a byte above it may get
         * it too. Comparing the tag rules that out. */
        memcpy(&differs, c->marks + first, sizeof differs);
        differs ^= mark;
        for (uint64_t fits = (differs - ones) & ~differs & (ones << 7); fits; fits &= fits - 1) {
            size_t place = first + ((unsigned)__builtin_ctzll(fits) >> 3);
            if (c->tag[place] == line)
                return (int64_t)place;
        }
        first += 8;
    } while (first < end);
    return CACHE_NOWHERE;
}

static inline int64_t cache_find(const struct cache *c, uint64_t line)
{
    return cache_find_in(c, cache_set(c, line), line);
}

/* Takes the way out of the ring and puts it back between the least and the most recently used way: it becomes one
 * of them. */
static inline void cache_put_between(struct cache_link *link, uint8_t way, uint8_t newest, uint8_t oldest)
{
    struct cache_link old = link[way];
    link[old.older].newer = old.newer;
    link[old.newer].older = old.older;
    link[way] = (struct cache_link){.older = newest, .newer = oldest};
    link[oldest].older = way;
    link[newest].newer = way;
}

/* Counts as a use of the line at the place. The least recently used way is beside the most recently used already:
 * the ring just turns. */
static inline void cache_touch(struct cache *c, int64_t place)
{
    size_t set = (size_t)place >> c->shift, first = set << c->shift;
    uint8_t way = (uint8_t)((size_t)place - first), newest = c->newest[set];
    if (newest == way)
        return;
    struct cache_link *link = &c->link[first];
    uint8_t oldest = link[newest].newer;
    if (oldest != way)
        cache_put_between(link, way, newest, oldest);
    c->newest[set] = way;
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
    size_t set = cache_set(c, line);
    return c->tag[(set << c->shift) + c->newest[set]] == line;
}

/* The mask of the line's sectors that the cache holds. Counts as a use. */
static inline unsigned cache_use(struct cache *c, uint64_t line)
{
    int64_t place = cache_find_to_use(c, line);
    return place == CACHE_NOWHERE ? 0 : c->sectors[place];
}

/* The place where a new line of the set would go: an empty way, or the least recently used one. The cache must have
 * sets. */
static inline int64_t cache_oldest(const struct cache *c, size_t set)
{
    size_t first = set << c->shift;
    return (int64_t)(first + c->link[first + c->newest[set]].newer);
}

/* The place where the line is, or where it would go. The cache must have sets. */
static inline int64_t cache_place(const struct cache *c, uint64_t line)
{
    size_t set = cache_set(c, line);
    int64_t place = cache_find_in(c, set, line);
    return place != CACHE_NOWHERE ? place : cache_oldest(c, set);
}

/* Whether putting the line at `place`, its cache_place(), would evict a dirty line. */
static inline bool cache_evicts_dirty(const struct cache *c, int64_t place, uint64_t line)
{
    return c->dirty[place] && c->tag[place] != line;
}

/* Puts a line that is not in the cache at `place`, the cache_oldest() of its set. */
static inline void cache_replace(struct cache *c, int64_t place, uint64_t line, unsigned sectors)
{
    size_t set = (size_t)place >> c->shift;
    cache_set_mark(c, (size_t)place, cache_mark(line));
    c->tag[place] = line;
    c->sectors[place] = (uint8_t)sectors;
    c->dirty[place] = 0;
    c->newest[set] = (uint8_t)((size_t)place - (set << c->shift));
}

/* Puts sectors of the line at `place`, its cache_place(). Another line that is there is evicted. */
static inline void cache_put(struct cache *c, int64_t place, uint64_t line, unsigned sectors)
{
    if (c->tag[place] != line) {
        cache_replace(c, place, line, sectors);
        return;
    }
    c->sectors[place] |= (uint8_t)sectors;
    cache_touch(c, place);
}

/* Puts sectors of the line into the cache. True if that evicted a dirty line: `victim` is the line, `victim_dirty`
 * the mask of its dirty sectors. */
static inline bool cache_fill(struct cache *c, uint64_t line, unsigned sectors, bool dirty, uint64_t *victim,
                              unsigned *victim_dirty)
{
    if (!c->sets)
        return false;
    int64_t place = cache_place(c, line);
    bool evicts = cache_evicts_dirty(c, place, line);
    *victim = c->tag[place];
    *victim_dirty = c->dirty[place];
    cache_put(c, place, line, sectors);
    c->dirty[place] |= dirty ? (uint8_t)sectors : 0;
    return evicts;
}

#endif
