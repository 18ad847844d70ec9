/* Places of the warp pool (pool.h), which are a PC and a call depth, and the PC-warp LUT, which finds a waiting strand
 * by its place. This file moves no threads. */
#include "div/parts/pool_internal.h"

void pool_lut_open(struct pool *p)
{
    size_t pcs = (size_t)p->host->facts.program->insn_count + 1;
    uint32_t entries = p->knobs.entries, ways = p->knobs.ways;
    vec_push(&p->commits_at, 0);
    p->first_place = xmalloc(sizeof *p->first_place * pcs);
    memset(p->first_place, -1, sizeof *p->first_place * pcs);
    if (!entries)
        return;
    p->sets = entries < ways ? 1 : (int)(entries / ways);
    p->knobs.ways = entries < ways ? entries : ways;
    size_t all = (size_t)p->sets * p->knobs.ways;
    p->lut = xcalloc(all, sizeof *p->lut);
    for (size_t i = 0; i < all; i++)
        p->lut[i].place = -1;
}

void pool_lut_close(struct pool *p)
{
    vec_free(&p->places);
    vec_free(&p->commits_at);
    free(p->first_place);
    free(p->lut);
}

int32_t pool_add_place(struct pool *p, int32_t pc, int32_t depth)
{
    uint32_t set = p->lut ? (uint32_t)pc % (uint32_t)p->sets * p->knobs.ways : 0;
    vec_push(&p->commits_at, 0);
    vec_push(&p->places, (struct pool_place){pc, depth, -1, 0, 0, p->first_place[pc], set, set});
    return p->first_place[pc] = p->places.count - 1;
}

static struct pool_lut_entry *find_victim(struct pool *p, struct pool_lut_entry *set)
{
    struct pool_lut_entry *oldest = set;
    for (uint32_t i = 0; i < p->knobs.ways; i++) {
        if (set[i].place < 0 || !pool_waiting(p, &p->places.data[set[i].place]))
            return &set[i];
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    p->counters->lut_aliases++;
    return oldest;
}

struct pool_lut_entry *pool_lut_give(struct pool *p, int32_t place)
{
    struct pool_place *at = &p->places.data[place];
    struct pool_lut_entry *entry = find_victim(p, &p->lut[at->set]);
    at->own = (uint32_t)(entry - p->lut);
    return entry;
}
