/*
 * gto: greedy, then oldest. The strand that issued last goes first while it can. If it cannot, a strand of its
 * lineage: a split of its warp, or the strand that a mechanism put in its place. Else the ready strand of the oldest
 * warp: warps of older blocks first, and in a block the warps in their order. Rogers, O'Connor and Aamodt, MICRO 2012;
 * the order of age is that of GPGPU-Sim 3.x (shader.cc, sort_warps_by_oldest_dynamic_id).
 *
 * Where lane slices issue by themselves, each slice has its own last strand; a lineage has one strand per slice.
 */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct gto_sched {
    int lasts; /* ports times pools */
    int asked; /* pool of the last pick, for gto_issued() */
    struct order_greed greed;
};

static struct gto_sched *gto_of(struct sched *sched)
{
    return (struct gto_sched *)sched;
}

static struct sched *gto_create(const struct sched_setup *setup)
{
    int lasts = setup->ports * sched_pools(setup);
    struct gto_sched *s = xcalloc(1, sizeof *s + (size_t)lasts * sizeof s->greed.last[0]);
    s->greed.order = order_create(setup);
    s->lasts = lasts;
    for (int i = 0; i < lasts; i++)
        s->greed.last[i].lineage = -1;
    return (struct sched *)s;
}

static void gto_destroy(struct sched *sched)
{
    struct gto_sched *s = gto_of(sched);
    order_destroy(s->greed.order);
    free(s);
}

static void gto_added(struct sched *sched, struct strand *strand)
{
    struct gto_sched *s = gto_of(sched);
    order_add(s->greed.order, strand, order_age(strand));
    s->greed.sharers += s->greed.lineage_count[(uint32_t)strand->lineage % SCHED_MAX_STRANDS]++ > 0;
}

static void gto_removed(struct sched *sched, struct strand *strand)
{
    struct gto_sched *s = gto_of(sched);
    order_remove(s->greed.order, strand);
    s->greed.sharers -= --s->greed.lineage_count[(uint32_t)strand->lineage % SCHED_MAX_STRANDS] > 0;
    for (int i = 0; i < s->lasts; i++)
        if (s->greed.last[i].strand == strand)
            s->greed.last[i].strand = NULL;
}

static void gto_ready(struct sched *sched, struct strand *strand, int class)
{
    order_ready(gto_of(sched)->greed.order, strand, class);
}

static void gto_unready(struct sched *sched, struct strand *strand)
{
    order_unready(gto_of(sched)->greed.order, strand);
}

static struct sched_order *gto_order(struct sched *sched)
{
    return gto_of(sched)->greed.order;
}

static struct order_greed *gto_greed(struct sched *sched)
{
    return &gto_of(sched)->greed;
}

static struct strand *gto_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct gto_sched *s = gto_of(sched);
    s->asked = ask->pool;
    return order_pick_greedily(&s->greed, ask);
}

static void gto_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct gto_sched *s = gto_of(sched);
    (void)now;
    order_note_last(&s->greed, port * s->greed.order->pools + s->asked, strand);
}

const struct sched_ops sched_gto = {
    .name = "gto",
    .summary =
        "Greedy then oldest: the strand that issued last while it can, else the strand of the oldest warp of the "
        "oldest block.",
    .source = "Rogers, O'Connor and Aamodt, MICRO 2012",
    .in_place = true,
    .order = gto_order,
    .greed = gto_greed,
    .without_greed = "oldest",
    .create = gto_create,
    .destroy = gto_destroy,
    .added = gto_added,
    .removed = gto_removed,
    .ready = gto_ready,
    .unready = gto_unready,
    .pick = gto_pick,
    .issued = gto_issued,
};
