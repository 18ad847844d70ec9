/* oldest: the ready strand of the block that was launched first; within a block, the strand that was made first. A
 * strand belongs to the block of its first thread at the time it was made. As `age`, but with age inside a block
 * too. */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct sched {
    struct sched_order *order;
};

static struct sched *oldest_create(const struct sched_setup *setup)
{
    struct sched *s = xcalloc(1, sizeof *s);
    s->order = order_create(setup);
    return s;
}

static void oldest_destroy(struct sched *s)
{
    order_destroy(s->order);
    free(s);
}

static void oldest_added(struct sched *s, struct strand *strand)
{
    order_add(s->order, strand, (struct sched_key){strand->block_age, strand->birth});
}

static void oldest_removed(struct sched *s, struct strand *strand)
{
    order_remove(s->order, strand);
}

static void oldest_ready(struct sched *s, struct strand *strand, int class)
{
    order_ready(s->order, strand, class);
}

static void oldest_unready(struct sched *s, struct strand *strand)
{
    order_unready(s->order, strand);
}

static struct strand *oldest_pick(struct sched *s, const struct sched_ask *ask)
{
    return order_first_of_all(s->order, ask);
}

static void oldest_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)s, (void)port, (void)strand, (void)now;
}

const struct sched_ops sched_oldest = {
    .name = "oldest",
    .summary = "The oldest strand of the oldest block.",
    .source = "block priority AGE of Fung and Aamodt, HPCA 2011, with age inside a block too",
    .in_place = true,
    .create = oldest_create,
    .destroy = oldest_destroy,
    .added = oldest_added,
    .removed = oldest_removed,
    .ready = oldest_ready,
    .unready = oldest_unready,
    .pick = oldest_pick,
    .issued = oldest_issued,
};
