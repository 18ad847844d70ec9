/*
 * A set-associative cache with least-recently-used replacement: tags only. Lines may be fetched in sectors; a
 * line then says which of them it holds. Whoever owns the cache decides when lines come in and what a miss
 * means.
 */
#ifndef HEDDLE_MEM_CACHE_H
#define HEDDLE_MEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct cache {
    uint32_t sets, ways; /* no sets: no cache; nothing is ever found, nothing kept */
    uint64_t set_mask;   /* sets - 1, if that is a power of two */
    uint64_t *tag;       /* [set][way] line number, CACHE_EMPTY if none */
    uint32_t *age;       /* [set][way] larger: used later */
    uint8_t *sectors;    /* [set][way] which are there */
    uint8_t *dirty;      /* [set][way] which must be written back */
    uint32_t clock;
};

#define CACHE_EMPTY UINT64_MAX

void cache_open(struct cache *c, uint32_t bytes, uint32_t line_bytes, uint32_t ways);
void cache_close(struct cache *c);

/* Sectors of the line that are there; counts as a use. */
unsigned cache_use(struct cache *c, uint64_t line);
/* Puts sectors of the line in. True if a line with dirty sectors had to leave: which, and its dirty sectors.
 */
bool cache_fill(struct cache *c, uint64_t line, unsigned sectors, bool dirty, uint64_t *victim,
                unsigned *victim_dirty);
/* Whether cache_fill() of the line would throw out a dirty one. */
bool cache_evicts_dirty(const struct cache *c, uint64_t line);
void cache_mark_dirty(struct cache *c, uint64_t line, unsigned sectors);
void cache_drop(struct cache *c, uint64_t line);
/* Empties it; gives the number of lines that were dirty. */
uint64_t cache_clear(struct cache *c);

#endif
