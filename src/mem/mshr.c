/* Miss registers: opening them. What they do is inline in mshr.h. */
#include "mem/mshr.h"

void mshr_open(struct mshr *m, uint32_t entries, uint32_t merges, struct storage *storage)
{
    uint32_t buckets = 4;
    while (buckets < 8 * entries)
        buckets *= 2;
    *m = (struct mshr){.entries = entries, .merges = merges, .nodes = 1 + entries * merges, .bucket_mask = buckets - 1};
    m->entry = storage_array(storage, struct mshr_entry, 1 + entries);
    m->bucket = storage_array(storage, uint16_t, buckets);
    m->next = storage_array(storage, int32_t, m->nodes);
    m->free_node = -1;
    m->new_entry = 1;
    m->new_node = 1 + (int32_t)entries;
}
