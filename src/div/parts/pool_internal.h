/* What pool.c, pool_lut.c, pool_commit.c and pool_report.c share. Mechanisms include pool.h alone. */
#ifndef HEDDLE_DIV_PARTS_POOL_INTERNAL_H
#define HEDDLE_DIV_PARTS_POOL_INTERNAL_H

#include "base/inline.h"
#include "div/parts/pool.h"

/* ---- pool_commit.c ---- */

/* Commits are counted by the number of places in use; pool_sum_up() makes figures of that. */
static ALWAYS_INLINE void pool_count_commit(struct pool *p, const struct strand *s)
{
    p->counters->partial += s->size + p->ended < p->host->facts.width;
    p->ended = 0;
    p->commits_at.data[p->place_count]++;
}

/* Uses up one of this cycle's commits. False: none is left. */
static ALWAYS_INLINE bool pool_take_turn(struct pool *p)
{
    const uint32_t left = p->turn == p->host->now ? p->turn_left : p->commit_limit;
    p->turn = p->host->now;
    p->turn_left = left - (left > 0);
    return left > 0;
}

/* Counts the commit. Whether it is one of this cycle's. `n`: the strand's node. */
static ALWAYS_INLINE bool pool_begin(struct pool *p, const struct strand *s, struct pool_node *n)
{
    pool_count_commit(p, s);
    n->entry++; /* the strand left the pool when it issued: references to it are stale */
    return p->late_head == p->late.count && pool_take_turn(p);
}

/* Has pool_tick() commit the strand, whose threads all go to `pc`. */
void pool_postpone_advance(struct pool *p, struct strand *s, int32_t pc);

/* ---- pool_lut.c ---- */

void pool_lut_open(struct pool *p);
void pool_lut_close(struct pool *p);
int32_t pool_add_place(struct pool *p, int32_t pc, int32_t depth); /* returns the index of the new place */

/* Finds the place, and adds it if it is new. */
static inline int32_t pool_place_of(struct pool *p, int32_t pc, int32_t depth)
{
    int32_t i = p->first_place[pc];
    while (i >= 0 && p->places.data[i].depth != depth)
        i = p->places.data[i].next;
    return i >= 0 ? i : pool_add_place(p, pc, depth);
}

/* The strand that entered last at a place, if it still waits there; otherwise NULL. Whether it does is as good as
 * random, so that both conditions are one branch. */
static inline struct strand *pool_waiting(struct pool *p, const struct pool_place *at)
{
    if (UNLIKELY(at->strand < 0))
        return NULL;
    const struct pool_node *n = &p->nodes.data[at->strand];
    struct strand *s = n->strand;
    const bool waits = (n->entry == at->entry) & !(s->busy | s->parked);
    return waits ? s : NULL;
}

/* The LUT entry of the place; NULL: there is none, or the LUT is perfect. */
static inline struct pool_lut_entry *pool_lut_entry(struct pool *p, int32_t place)
{
    struct pool_lut_entry *own = p->lut ? &p->lut[p->places.data[place].own] : NULL;
    return own && own->place == place ? own : NULL;
}

/* The strand that threads arriving at the place join; NULL: the LUT names none that waits. Counts the lookup. `entry`:
 * the LUT entry of the place, or NULL. */
static inline struct strand *pool_lut_find(struct pool *p, int32_t place, struct pool_lut_entry *entry)
{
    struct pool_counters *c = p->counters;
    const struct pool_place *at = &p->places.data[place];
    const bool is_listed = p->lut ? entry != NULL : at->strand >= 0;
    struct strand *s = pool_waiting(p, at);
    c->lut_misses += !is_listed;
    c->lut_stale += is_listed & !s;
    if (!(is_listed & (s != NULL)))
        return NULL;
    c->lut_hits++;
    if (entry)
        entry->used = ++p->lut_clock;
    return s;
}

/* Gives the place a LUT entry: an unused or stale entry of its set, or else the least recently used. */
struct pool_lut_entry *pool_lut_give(struct pool *p, int32_t place);

/* Threads arriving at the place join the strand of node `n` from now on. `entry`: the LUT entry of the place, or
 * NULL. */
static inline void pool_lut_point(struct pool *p, int32_t place, const struct pool_node *n,
                                  struct pool_lut_entry *entry)
{
    struct pool_place *at = &p->places.data[place];
    if (p->lut && !entry)
        entry = pool_lut_give(p, place);
    at->strand = (int32_t)(n - p->nodes.data);
    at->entry = n->entry;
    if (entry)
        *entry = (struct pool_lut_entry){place, ++p->lut_clock};
}

#endif
