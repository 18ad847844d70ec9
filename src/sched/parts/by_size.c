/* Strands by size, biggest or smallest first: by_size.h gives the order. */
#include "sched/parts/by_size.h"

#include "base/arena.h"

#include <stdlib.h>

/* The major key has the size above the age of the block. */
enum { SIZE_SHIFT = 56 };

struct by_size_sched {
    struct sched_order *order;
    bool biggest_first;
    int pools, lasts;      /* number of pools, and of entries in `last` */
    int asked;             /* pool of the last pick, for by_size_issued() */
    struct strand *last[]; /* [port][pool] the strand that issued last; NULL: none yet, or it is gone */
};

static struct by_size_sched *by_size_of(struct sched *sched)
{
    return (struct by_size_sched *)sched;
}

struct sched *by_size_create(const struct sched_setup *setup, bool biggest_first)
{
    int pools = sched_pools(setup), lasts = setup->ports * pools;
    struct by_size_sched *s = xcalloc(1, sizeof *s + (size_t)lasts * sizeof s->last[0]);
    s->order = order_create(setup);
    s->biggest_first = biggest_first;
    s->pools = pools;
    s->lasts = lasts;
    return (struct sched *)s;
}

void by_size_destroy(struct sched *sched)
{
    struct by_size_sched *s = by_size_of(sched);
    order_destroy(s->order);
    free(s);
}

/* The strand's size is known only when it becomes ready. */
void by_size_added(struct sched *sched, struct strand *strand)
{
    struct by_size_sched *s = by_size_of(sched);
    (void)s, (void)strand;
}

void by_size_removed(struct sched *sched, struct strand *strand)
{
    struct by_size_sched *s = by_size_of(sched);
    order_remove(s->order, strand);
    for (int i = 0; i < s->lasts; i++)
        if (s->last[i] == strand)
            s->last[i] = NULL;
}

void by_size_ready(struct sched *sched, struct strand *strand, int class)
{
    struct by_size_sched *s = by_size_of(sched);
    uint64_t size = s->biggest_first ? 255u - strand->slices : strand->slices;
    struct sched_key key = order_age(strand);
    key.major |= size << SIZE_SHIFT;
    order_move(s->order, strand, key);
    order_ready(s->order, strand, class);
}

void by_size_unready(struct sched *sched, struct strand *strand)
{
    struct by_size_sched *s = by_size_of(sched);
    order_unready(s->order, strand);
}

struct strand *by_size_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct by_size_sched *s = by_size_of(sched);
    struct strand *last = s->last[ask->port * s->pools + ask->pool];
    s->asked = ask->pool;
    if (ask->pool && last && order_fits(s->order, last->id, ask)) /* strands of one slice have one size */
        return last;
    struct strand *first = order_first_of_all(s->order, ask);
    bool is_greedy = first && last && last->slices == first->slices && order_fits(s->order, last->id, ask);
    return is_greedy ? last : first;
}

void by_size_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct by_size_sched *s = by_size_of(sched);
    (void)now;
    s->last[port * s->pools + s->asked] = strand;
}
