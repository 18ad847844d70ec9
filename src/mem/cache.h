/*
 * A set-associative cache with least-recently-used replacement: tags only. Lines may be fetched in sectors; a
 * line then says which of them it holds. Whoever owns the cache decides when lines come in and what a miss
 * means.
 *
 * A lookup costs the same whatever the ways: each way has a mark, a byte of its line's hash, and eight marks
 * are compared at once; only ways whose mark fits are compared by tag. The order of use is a ring of the
 * set's ways, from the newest on to the oldest; so the way to replace is known, and replacing it turns the
 * ring by one. Empty ways are the oldest.
 *
 * Lines are at places: indices of the arrays below. A place stays a line's until another line is put there.
 */
#ifndef HEDDLE_MEM_CACHE_H
#define HEDDLE_MEM_CACHE_H

#include "mem/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_link {
    uint8_t older, newer; /* ways; of the oldest: the newest, and the other way round */
};

struct cache {
    uint32_t sets, ways; /* no sets: no cache; nothing is ever found, nothing kept */
    uint32_t words;      /* of eight marks, in a set */
    uint32_t stride;     /* places of a set, a multiple of eight; those past the ways stay empty */
    bool masks;          /* sets are a power of two */
    struct divider by_sets;
    uint64_t *tag;           /* [place] line number, CACHE_EMPTY if none */
    uint64_t *marks;         /* [set][word] */
    uint8_t *sectors;        /* [place] which are there */
    uint8_t *dirty;          /* [place] which must be written back */
    struct cache_link *link; /* [place] */
    uint8_t *newest;         /* [set] way */
};

#define CACHE_EMPTY UINT64_MAX
enum { CACHE_NOWHERE = -1 };

void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways);
void cache_close(struct cache *c);
/* Empties it; gives the number of lines that were dirty. */
uint64_t cache_clear(struct cache *c);
/* The line at the place leaves. */
void cache_drop(struct cache *c, int64_t place);
/* What cache_touch() does if the way is not the newest. */
void cache_renew(struct cache *c, uint32_t set, uint8_t way);

static inline uint32_t cache_set(const struct cache *c, uint64_t line)
{
    return (uint32_t)(c->masks ? line & (c->sets - 1) : line - divide(c->by_sets, line) * c->sets);
}

static inline uint8_t cache_mark(uint64_t line)
{
    return (uint8_t)((line * 0x9e3779b97f4a7c15u) >> 56);
}

/* The line's place in the set; CACHE_NOWHERE. */
static inline int64_t cache_find_in(const struct cache *c, uint32_t set, uint64_t line)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t mark = cache_mark(line) * ones;
    for (uint32_t word = 0; word < c->words; word++) {
        /* A byte that is zero gets its high bit; some above it may too, and the tag says no. */
        uint64_t differs = c->marks[(size_t)set * c->words + word] ^ mark;
        for (uint64_t fits = (differs - ones) & ~differs & (ones << 7); fits; fits &= fits - 1) {
            size_t place = (size_t)set * c->stride + word * 8 + ((unsigned)__builtin_ctzll(fits) >> 3);
            if (c->tag[place] == line)
                return (int64_t)place;
        }
    }
    return CACHE_NOWHERE;
}

static inline int64_t cache_find(const struct cache *c, uint64_t line)
{
    return c->sets ? cache_find_in(c, cache_set(c, line), line) : CACHE_NOWHERE;
}

/* Counts as a use of the line of the set at the place. */
static inline void cache_touch(struct cache *c, uint32_t set, int64_t place)
{
    uint8_t way = (uint8_t)((size_t)place - (size_t)set * c->stride);
    if (c->newest[set] != way)
        cache_renew(c, set, way);
}

/* Sectors of the line that are there; counts as a use. */
static inline unsigned cache_use(struct cache *c, uint64_t line)
{
    if (!c->sets)
        return 0;
    uint32_t set = cache_set(c, line);
    int64_t place = cache_find_in(c, set, line);
    if (place == CACHE_NOWHERE)
        return 0;
    cache_touch(c, set, place);
    return c->sectors[place];
}

/* Where the line is, or where it would go: an empty way, or the one used longest ago. There must be sets. */
static inline int64_t cache_place(const struct cache *c, uint32_t set, uint64_t line)
{
    int64_t place = cache_find_in(c, set, line);
    if (place != CACHE_NOWHERE)
        return place;
    size_t first = (size_t)set * c->stride;
    return (int64_t)(first + c->link[first + c->newest[set]].newer);
}

/* Whether cache_fill() of the line would throw out a dirty one. */
static inline bool cache_evicts_dirty(const struct cache *c, uint64_t line)
{
    if (!c->sets)
        return false;
    int64_t place = cache_place(c, cache_set(c, line), line);
    return c->dirty[place] && c->tag[place] != line;
}

/* Puts sectors of the line at cache_place() of it, in place of what was there. */
static inline void cache_put(struct cache *c, uint32_t set, int64_t place, uint64_t line, unsigned sectors,
                             bool dirty)
{
    if (c->tag[place] != line) {
        uint32_t way = (uint32_t)((size_t)place - (size_t)set * c->stride);
        uint8_t *marks = (uint8_t *)&c->marks[(size_t)set * c->words];
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        marks[way ^ 7] = cache_mark(line);
#else
        marks[way] = cache_mark(line);
#endif
        c->tag[place] = line;
        c->sectors[place] = c->dirty[place] = 0;
    }
    c->sectors[place] |= (uint8_t)sectors;
    c->dirty[place] |= dirty ? (uint8_t)sectors : 0;
    cache_touch(c, set, place);
}

/* Puts sectors of the line in. True if a line with dirty sectors had to leave: which, and its dirty sectors.
 */
static inline bool cache_fill(struct cache *c, uint64_t line, unsigned sectors, bool dirty, uint64_t *victim,
                              unsigned *victim_dirty)
{
    if (!c->sets)
        return false;
    uint32_t set = cache_set(c, line);
    int64_t place = cache_place(c, set, line);
    bool evicts = c->dirty[place] && c->tag[place] != line;
    *victim = c->tag[place];
    *victim_dirty = c->dirty[place];
    cache_put(c, set, place, line, sectors, dirty);
    return evicts;
}

static inline void cache_mark_dirty(struct cache *c, uint64_t line, unsigned sectors)
{
    int64_t place = cache_find(c, line);
    if (place != CACHE_NOWHERE)
        c->dirty[place] |= (uint8_t)sectors;
}

#endif
