/* oldest: the ready strand of the block that was launched first; within a block, the strand of the first warp: gto
 * without greed. A strand belongs to the block of its first thread at the time it was made. As `age`, but with age
 * inside a block too. */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct oldest_sched {
    struct sched_order *order;
};

static struct oldest_sched *oldest_of(struct sched *sched)
{
    return (struct oldest_sched *)sched;
}

static struct sched *oldest_create(const struct sched_setup *setup)
{
    struct oldest_sched *s = xcalloc(1, sizeof *s);
    s->order = order_create(setup);
    return (struct sched *)s;
}

static void oldest_destroy(struct sched *sched)
{
    struct oldest_sched *s = oldest_of(sched);
    order_destroy(s->order);
    free(s);
}

static void oldest_added(struct sched *sched, struct strand *strand)
{
    struct oldest_sched *s = oldest_of(sched);
    order_add(s->order, strand, order_age(strand));
}

static void oldest_removed(struct sched *sched, struct strand *strand)
{
    struct oldest_sched *s = oldest_of(sched);
    order_remove(s->order, strand);
}

static void oldest_ready(struct sched *sched, struct strand *strand, int class)
{
    struct oldest_sched *s = oldest_of(sched);
    order_ready(s->order, strand, class);
}

static void oldest_unready(struct sched *sched, struct strand *strand)
{
    struct oldest_sched *s = oldest_of(sched);
    order_unready(s->order, strand);
}

static struct sched_order *oldest_order(struct sched *sched)
{
    return oldest_of(sched)->order;
}

static struct strand *oldest_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct oldest_sched *s = oldest_of(sched);
    return order_first_of_all(s->order, ask);
}

static void oldest_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct oldest_sched *s = oldest_of(sched);
    (void)s, (void)port, (void)strand, (void)now;
}

const struct sched_ops sched_oldest = {
    .name = "oldest",
    .summary = "The strand of the oldest warp of the oldest block.",
    .source = "block priority AGE of Fung and Aamodt, HPCA 2011, with age inside a block too",
    .in_place = true,
    .order = oldest_order,
    .by_age = true,
    .create = oldest_create,
    .destroy = oldest_destroy,
    .added = oldest_added,
    .removed = oldest_removed,
    .ready = oldest_ready,
    .unready = oldest_unready,
    .pick = oldest_pick,
    .issued = oldest_issued,
};
