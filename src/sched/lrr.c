/*
 * lrr: loose round-robin. The first ready strand behind the strand that issued last, in order of lineage; strands of
 * one lineage in order of birth. Loose: a strand that is not ready loses its turn. Where lane slices issue by
 * themselves, each slice has its own turn.
 */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct lrr_sched {
    struct sched_order *order;
    int pools;
    int asked;                /* pool of the last pick, for lrr_issued() */
    struct order_turn last[]; /* [port][pool] the strand that issued last */
};

static struct lrr_sched *lrr_of(struct sched *sched)
{
    return (struct lrr_sched *)sched;
}

static struct sched_key key_of(const struct strand *strand)
{
    return (struct sched_key){(uint64_t)strand->lineage, strand->birth};
}

static struct sched *lrr_create(const struct sched_setup *setup)
{
    int lasts = setup->ports * sched_pools(setup);
    struct lrr_sched *s = xcalloc(1, sizeof *s + (size_t)lasts * sizeof s->last[0]);
    s->order = order_create(setup);
    s->pools = sched_pools(setup);
    for (int i = 0; i < lasts; i++)
        s->last[i] = (struct order_turn){.key.major = UINT64_MAX}; /* behind all strands: the first strand is next */
    return (struct sched *)s;
}

static void lrr_destroy(struct sched *sched)
{
    struct lrr_sched *s = lrr_of(sched);
    order_destroy(s->order);
    free(s);
}

static void lrr_added(struct sched *sched, struct strand *strand)
{
    struct lrr_sched *s = lrr_of(sched);
    order_add(s->order, strand, key_of(strand));
}

static void lrr_removed(struct sched *sched, struct strand *strand)
{
    struct lrr_sched *s = lrr_of(sched);
    order_remove(s->order, strand);
}

static void lrr_ready(struct sched *sched, struct strand *strand, int class)
{
    struct lrr_sched *s = lrr_of(sched);
    order_ready(s->order, strand, class);
}

static void lrr_unready(struct sched *sched, struct strand *strand)
{
    struct lrr_sched *s = lrr_of(sched);
    order_unready(s->order, strand);
}

static struct sched_order *lrr_order(struct sched *sched)
{
    return lrr_of(sched)->order;
}

static struct strand *lrr_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct lrr_sched *s = lrr_of(sched);
    s->asked = ask->pool;
    return order_around(s->order, s->last[ask->port * s->pools + ask->pool], ask);
}

static void lrr_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct lrr_sched *s = lrr_of(sched);
    (void)now;
    s->last[port * s->pools + s->asked] = (struct order_turn){key_of(strand), strand->id};
}

const struct sched_ops sched_lrr = {
    .name = "lrr",
    .summary = "Loose round-robin: the first ready strand behind the strand that issued last.",
    .source = "the scheduler of Fung and Aamodt, HPCA 2011, Table 2",
    .in_place = true,
    .order = lrr_order,
    .create = lrr_create,
    .destroy = lrr_destroy,
    .added = lrr_added,
    .removed = lrr_removed,
    .ready = lrr_ready,
    .unready = lrr_unready,
    .pick = lrr_pick,
    .issued = lrr_issued,
};
