/* Miss registers: see mshr.h. */
#include "mem/mshr.h"

#include "base/arena.h"

#include <stdlib.h>

void mshr_open(struct mshr *m, uint32_t entries, uint32_t merges)
{
    uint32_t buckets = 4;
    while (buckets < 2 * entries)
        buckets *= 2;
    *m = (struct mshr){
        .entries = entries, .merges = merges, .nodes = entries * merges, .bucket_mask = buckets - 1};
    m->entry = xcalloc(entries, sizeof *m->entry);
    m->bucket = xmalloc(sizeof *m->bucket * buckets);
    m->next = xmalloc(sizeof *m->next * m->nodes);
    for (uint32_t i = 0; i < buckets; i++)
        m->bucket[i] = -1;
    for (uint32_t i = 0; i < entries; i++)
        m->entry[i].chain = i + 1 < entries ? (int32_t)i + 1 : -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        m->next[i] = i + 1 < m->nodes ? (int32_t)i + 1 : -1;
}

void mshr_close(struct mshr *m)
{
    free(m->entry);
    free(m->bucket);
    free(m->next);
}

static uint32_t bucket_of(const struct mshr *m, uint64_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 40) & m->bucket_mask;
}

int32_t mshr_find(const struct mshr *m, uint64_t line, unsigned sectors)
{
    for (int32_t e = m->bucket[bucket_of(m, line)]; e >= 0; e = m->entry[e].chain) {
        const struct mshr_entry *entry = &m->entry[e];
        if (entry->line == line && !entry->is_private && !(sectors & ~(unsigned)entry->sectors))
            return e;
    }
    return -1;
}

int32_t mshr_take(struct mshr *m, uint64_t line, unsigned sectors, bool is_private)
{
    int32_t e = m->free_entry;
    if (m->used == m->entries)
        return -1;
    m->free_entry = m->entry[e].chain;
    uint32_t b = bucket_of(m, line);
    m->entry[e] = (struct mshr_entry){.line = line,
                                      .first = -1,
                                      .last = -1,
                                      .chain = m->bucket[b],
                                      .sectors = (uint8_t)sectors,
                                      .is_private = is_private};
    m->bucket[b] = e;
    m->used++;
    return e;
}

int32_t mshr_add(struct mshr *m, int32_t e)
{
    struct mshr_entry *entry = &m->entry[e];
    if (entry->count == m->merges)
        return -1;
    int32_t node = m->free_node;
    m->free_node = m->next[node];
    m->next[node] = -1;
    if (entry->count++)
        m->next[entry->last] = node;
    else
        entry->first = node;
    entry->last = node;
    return node;
}

void mshr_release(struct mshr *m, int32_t e)
{
    struct mshr_entry *entry = &m->entry[e];
    int32_t *link = &m->bucket[bucket_of(m, entry->line)];
    while (*link != e)
        link = &m->entry[*link].chain;
    *link = entry->chain;
    if (entry->count) {
        m->next[entry->last] = m->free_node;
        m->free_node = entry->first;
    }
    entry->chain = m->free_entry;
    m->free_entry = e;
    m->used--;
}
