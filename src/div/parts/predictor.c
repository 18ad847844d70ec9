/* The compaction-adequacy predictor: see predictor.h. */
#include "div/parts/predictor.h"

#include "base/arena.h"

#include <stdlib.h>

void predictor_init(struct predictor *p, unsigned size, unsigned ways, unsigned bits, bool first)
{
    p->ways = ways < size ? ways : size;
    p->sets = size / p->ways;
    p->most = (uint8_t)((1u << bits) - 1);
    p->first = first;
    p->clock = p->hits = p->misses = p->evictions = 0;
    p->entries = xcalloc((size_t)p->sets * p->ways, sizeof *p->entries);
}

void predictor_free(struct predictor *p)
{
    free(p->entries);
}

static struct predictor_entry *set_of(const struct predictor *p, uint64_t key)
{
    return &p->entries[key % p->sets * p->ways];
}

static struct predictor_entry *find(const struct predictor *p, uint64_t key)
{
    struct predictor_entry *set = set_of(p, key);
    for (unsigned i = 0; i < p->ways; i++)
        if (set[i].valid && set[i].tag == key)
            return &set[i];
    return NULL;
}

bool predictor_ask(struct predictor *p, uint64_t key)
{
    struct predictor_entry *e = find(p, key);
    if (!e) {
        p->misses++;
        return p->first;
    }
    p->hits++;
    e->used = ++p->clock;
    return e->counter > p->most / 2;
}

/* Replaces the least recently used entry. A new counter starts next to the middle, on the side of the fixed answer. */
static struct predictor_entry *allocate(struct predictor *p, uint64_t key)
{
    struct predictor_entry *set = set_of(p, key), *oldest = set;
    for (unsigned i = 1; i < p->ways && oldest->valid; i++)
        if (!set[i].valid || set[i].used < oldest->used)
            oldest = &set[i];
    p->evictions += oldest->valid;
    *oldest = (struct predictor_entry){.valid = true, .tag = key, .counter = (uint8_t)(p->most / 2 + p->first)};
    return oldest;
}

void predictor_tell(struct predictor *p, uint64_t key, bool adequate)
{
    struct predictor_entry *e = find(p, key);
    if (!e)
        e = allocate(p, key);
    e->used = ++p->clock;
    if (adequate && e->counter < p->most)
        e->counter++;
    else if (!adequate && e->counter > 0)
        e->counter--;
}
