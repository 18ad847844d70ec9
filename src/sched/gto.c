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

struct gto_last {
    struct strand *strand; /* the strand that issued last; NULL: none yet, or it is gone */
    int32_t id;            /* its id */
    int32_t lineage;       /* its lineage; -1: none yet */
};

struct gto_sched {
    struct sched_order *order;
    int lasts, pools;
    int asked; /* pool of the last pick, for gto_issued() */
    /* [lineage modulo SCHED_MAX_STRANDS] number of strands; lineages that share an index are counted together */
    uint16_t lineage_count[SCHED_MAX_STRANDS];
    struct gto_last last[]; /* [port][pool] */
};

static struct gto_sched *gto_of(struct sched *sched)
{
    return (struct gto_sched *)sched;
}

static struct sched *gto_create(const struct sched_setup *setup)
{
    int lasts = setup->ports * sched_pools(setup);
    struct gto_sched *s = xcalloc(1, sizeof *s + (size_t)lasts * sizeof s->last[0]);
    s->order = order_create(setup);
    s->lasts = lasts;
    s->pools = sched_pools(setup);
    for (int i = 0; i < lasts; i++)
        s->last[i].lineage = -1;
    return (struct sched *)s;
}

static void gto_destroy(struct sched *sched)
{
    struct gto_sched *s = gto_of(sched);
    order_destroy(s->order);
    free(s);
}

static void gto_added(struct sched *sched, struct strand *strand)
{
    struct gto_sched *s = gto_of(sched);
    order_add(s->order, strand, order_age(strand));
    s->lineage_count[strand->lineage % SCHED_MAX_STRANDS]++;
}

static void gto_removed(struct sched *sched, struct strand *strand)
{
    struct gto_sched *s = gto_of(sched);
    order_remove(s->order, strand);
    s->lineage_count[strand->lineage % SCHED_MAX_STRANDS]--;
    for (int i = 0; i < s->lasts; i++)
        if (s->last[i].strand == strand)
            s->last[i].strand = NULL;
}

static void gto_ready(struct sched *sched, struct strand *strand, int class)
{
    struct gto_sched *s = gto_of(sched);
    order_ready(s->order, strand, class);
}

static void gto_unready(struct sched *sched, struct strand *strand)
{
    struct gto_sched *s = gto_of(sched);
    order_unready(s->order, strand);
}

static struct sched_order *gto_order(struct sched *sched)
{
    return gto_of(sched)->order;
}

static struct strand *gto_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct gto_sched *s = gto_of(sched);
    const struct gto_last *last = &s->last[ask->port * s->pools + ask->pool];
    s->asked = ask->pool;
    if (last->strand && order_fits(s->order, last->id, ask))
        return last->strand;
    if (!ask->pool && last->lineage >= 0 &&
        s->lineage_count[last->lineage % SCHED_MAX_STRANDS] > (last->strand ? 1 : 0)) {
        struct strand *sibling = order_first_of_lineage(s->order, last->lineage, ask);
        if (sibling)
            return sibling;
    }
    return order_first_of_all(s->order, ask);
}

static void gto_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct gto_sched *s = gto_of(sched);
    (void)now;
    s->last[port * s->pools + s->asked] = (struct gto_last){strand, strand->id, strand->lineage};
}

const struct sched_ops sched_gto = {
    .name = "gto",
    .summary =
        "Greedy then oldest: the strand that issued last while it can, else the strand of the oldest warp of the "
        "oldest block.",
    .source = "Rogers, O'Connor and Aamodt, MICRO 2012",
    .in_place = true,
    .order = gto_order,
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
