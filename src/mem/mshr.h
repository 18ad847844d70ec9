/*
 * Miss status holding registers (MSHRs): lines that were asked for and have not arrived, each with the targets that
 * wait for it.
 *
 * A register is found by its line through a chained hash. A register's targets are nodes, in order of arrival; the
 * owner keeps what a node means, in an array of `nodes` elements indexed by node. Nothing merges with a register that
 * is private (atomics, loads that bypass the cache). Every miss comes through here several times, so the functions are
 * inline. Registers and nodes that were never used are taken in order of their numbers, so that a memory system of many
 * registers, few of which a small kernel uses, is made quickly.
 */
#ifndef HEDDLE_MEM_MSHR_H
#define HEDDLE_MEM_MSHR_H

#include "mem/cache.h"

#include <stdbool.h>
#include <stdint.h>

/* Registers that a cache can have. */
enum { MSHR_MOST = 4096 };
_Static_assert(MSHR_MOST <= UINT16_MAX, "a register's number has 16 bits");

struct mshr_entry {
    uint64_t line;        /* number of the line waited for */
    int32_t last;         /* the newest node */
    uint16_t chain;       /* next register of the hash bucket, or of those that were given back; 0: none */
    uint32_t count;       /* number of nodes */
    uint8_t sectors;      /* mask of the sectors asked for */
    bool is_private;      /* no other access may join */
    struct cache_key key; /* of the line */
};

/* The first node of a register has the register's number. */
struct mshr {
    struct mshr_entry *entry;    /* [register] from number 1 on */
    uint16_t *bucket;            /* [hash] the bucket's first register; 0: none */
    int32_t *next;               /* [node] next node of the register, or of those that were given back */
    uint32_t entries;            /* number of registers */
    uint32_t merges;             /* targets that a register can hold */
    uint32_t nodes;              /* numbers of nodes are below this */
    uint32_t bucket_mask;        /* number of hash buckets, a power of two, less one */
    uint32_t used;               /* registers taken */
    int32_t free_entry;          /* register that was given back last; 0: none */
    int32_t free_node;           /* node that was given back last; -1: none */
    int32_t new_entry, new_node; /* from these numbers on, registers and nodes were never used */
};

/* What it keeps is in `storage`, which was never started anew, and is freed with it. */
void mshr_open(struct mshr *m, uint32_t entries, uint32_t merges, struct storage *storage);

static inline bool mshr_is_full(const struct mshr *m)
{
    return m->used == m->entries;
}

static inline uint16_t *mshr_bucket(const struct mshr *m, struct cache_key key)
{
    return &m->bucket[key.hash >> 8 & m->bucket_mask];
}

/* The register that waits for all these sectors of the line; -1 if there is none. */
static inline int32_t mshr_find(const struct mshr *m, struct cache_key key, uint64_t line, unsigned sectors)
{
    for (int32_t e = *mshr_bucket(m, key); e; e = m->entry[e].chain) {
        const struct mshr_entry *entry = &m->entry[e];
        if (entry->line == line && !entry->is_private && !(sectors & ~(unsigned)entry->sectors))
            return e;
    }
    return -1;
}

/* Takes a register for the line; its first target is the node of the same number. One must be unused. */
static inline int32_t mshr_take(struct mshr *m, struct cache_key key, uint64_t line, unsigned sectors, bool is_private)
{
    int32_t e = m->free_entry;
    uint16_t *bucket = mshr_bucket(m, key);
    if (e)
        m->free_entry = m->entry[e].chain;
    else
        e = m->new_entry++;
    struct mshr_entry *entry = &m->entry[e];
    entry->key = key;
    m->next[e] = -1;
    entry->line = line;
    entry->last = e;
    entry->chain = *bucket;
    entry->count = 1;
    entry->sectors = (uint8_t)sectors;
    entry->is_private = is_private;
    *bucket = (uint16_t)e;
    m->used++;
    return e;
}

/* Adds a target to the register: gives its node; -1 if the register has as many as it can hold. */
static inline int32_t mshr_add(struct mshr *m, int32_t e)
{
    struct mshr_entry *entry = &m->entry[e];
    if (entry->count == m->merges)
        return -1;
    int32_t node = m->free_node;
    if (node >= 0)
        m->free_node = m->next[node];
    else
        node = m->new_node++;
    m->next[node] = -1;
    m->next[entry->last] = node;
    entry->last = node;
    entry->count++;
    return node;
}

static inline void mshr_release(struct mshr *m, int32_t e)
{
    struct mshr_entry *entry = &m->entry[e];
    uint16_t *link = mshr_bucket(m, entry->key);
    while (*link != e)
        link = &m->entry[*link].chain;
    *link = entry->chain;
    if (entry->last != e) {
        m->next[entry->last] = m->free_node;
        m->free_node = m->next[e];
    }
    entry->chain = (uint16_t)m->free_entry;
    m->free_entry = e;
    m->used--;
}

#endif
