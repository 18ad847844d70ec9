/* fifo: strands issue in the order in which they became ready for their next instruction. A strand that threads
 * join, or that waits for a busy unit, keeps its place. Fung et al., MICRO 2007. */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct sched {
    struct sched_order *order;
    uint64_t arrivals;              /* number of times that a strand became ready for a new instruction */
    bool is_new[SCHED_MAX_STRANDS]; /* [strand id] the strand has not been ready since it was made or last issued */
};

static struct sched *fifo_create(const struct sched_setup *setup)
{
    struct sched *s = xcalloc(1, sizeof *s);
    s->order = order_create(setup);
    return s;
}

static void fifo_destroy(struct sched *s)
{
    order_destroy(s->order);
    free(s);
}

static void fifo_added(struct sched *s, struct strand *strand)
{
    s->is_new[strand->id] = true;
}

static void fifo_removed(struct sched *s, struct strand *strand)
{
    order_remove(s->order, strand);
}

static void fifo_ready(struct sched *s, struct strand *strand, int class)
{
    if (s->is_new[strand->id])
        order_move(s->order, strand, (struct sched_key){strand->key < 0 ? 0 : 1, s->arrivals++});
    s->is_new[strand->id] = false;
    order_ready(s->order, strand, class);
}

static void fifo_unready(struct sched *s, struct strand *strand)
{
    order_unready(s->order, strand);
}

static struct strand *fifo_pick(struct sched *s, const struct sched_ask *ask)
{
    return order_first_of_all(s->order, ask);
}

static void fifo_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)port, (void)now;
    s->is_new[strand->id] = true;
}

const struct sched_ops sched_fifo = {
    .name = "fifo",
    .summary = "First come, first served: the strand that has been ready for longest.",
    .source = "Fung, Sham, Yuan and Aamodt, MICRO 2007",
    .create = fifo_create,
    .destroy = fifo_destroy,
    .added = fifo_added,
    .removed = fifo_removed,
    .ready = fifo_ready,
    .unready = fifo_unready,
    .pick = fifo_pick,
    .issued = fifo_issued,
};
