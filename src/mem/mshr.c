/* Miss registers: opening and closing them. What they do is inline in mshr.h. */
#include "mem/mshr.h"

#include "base/arena.h"

#include <stdlib.h>

void mshr_open(struct mshr *m, uint32_t entries, uint32_t merges)
{
    uint32_t buckets = 4;
    while (buckets < 4 * entries)
        buckets *= 2;
    *m = (struct mshr){.entries = entries, .merges = merges, .nodes = entries * merges, .bucket_mask = buckets - 1};
    m->entry = xcalloc(entries, sizeof *m->entry);
    m->bucket = xmalloc(sizeof *m->bucket * buckets);
    m->next = xmalloc(sizeof *m->next * m->nodes);
    for (uint32_t i = 0; i < buckets; i++)
        m->bucket[i] = -1;
    for (uint32_t i = 0; i < entries; i++)
        m->entry[i].chain = i + 1 < entries ? (int32_t)i + 1 : -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        m->next[i] = i + 1 < m->nodes ? (int32_t)i + 1 : -1;
    m->free_node = merges > 1 ? (int32_t)entries : -1;
}

void mshr_close(struct mshr *m)
{
    free(m->entry);
    free(m->bucket);
    free(m->next);
}
