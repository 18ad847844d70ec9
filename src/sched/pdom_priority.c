/* pdom-priority: the ready strand that has passed the fewest reconvergence points, which dwf gives as the strand's
 * key; of strands with equal keys, the one with most threads. Fung et al., MICRO 2007. */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct pdom_priority_sched {
    struct sched_order *order;
};

static struct pdom_priority_sched *pdom_priority_of(struct sched *sched)
{
    return (struct pdom_priority_sched *)sched;
}

static struct sched *pdom_priority_create(const struct sched_setup *setup)
{
    struct pdom_priority_sched *s = xcalloc(1, sizeof *s);
    s->order = order_create(setup);
    return (struct sched *)s;
}

static void pdom_priority_destroy(struct sched *sched)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    order_destroy(s->order);
    free(s);
}

/* The strand's key is known only when it becomes ready. */
static void pdom_priority_added(struct sched *sched, struct strand *strand)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    (void)s, (void)strand;
}

static void pdom_priority_removed(struct sched *sched, struct strand *strand)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    order_remove(s->order, strand);
}

static void pdom_priority_ready(struct sched *sched, struct strand *strand, int class)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    uint64_t passed = strand->key < 0 ? 0 : (uint64_t)strand->key + 1;
    order_move(s->order, strand, (struct sched_key){passed, order_fullest(strand)});
    order_ready(s->order, strand, class);
}

static void pdom_priority_unready(struct sched *sched, struct strand *strand)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    order_unready(s->order, strand);
}

static struct strand *pdom_priority_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    return order_first_of_all(s->order, ask);
}

static void pdom_priority_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct pdom_priority_sched *s = pdom_priority_of(sched);
    (void)s, (void)port, (void)strand, (void)now;
}

const struct sched_ops sched_pdom_priority = {
    .name = "pdom-priority",
    .summary = "The strand that passed the fewest reconvergence points; among equals, the strand with most threads.",
    .source = "Fung, Sham, Yuan and Aamodt, MICRO 2007",
    .by_key = true,
    .create = pdom_priority_create,
    .destroy = pdom_priority_destroy,
    .added = pdom_priority_added,
    .removed = pdom_priority_removed,
    .ready = pdom_priority_ready,
    .unready = pdom_priority_unready,
    .pick = pdom_priority_pick,
    .issued = pdom_priority_issued,
};
