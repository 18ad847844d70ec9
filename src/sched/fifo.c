/* fifo: strands issue in the order in which they became ready for their next instruction. A strand that threads
 * join, or that waits for a busy unit, keeps its place. Fung et al., MICRO 2007. */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct fifo_sched {
    struct sched_order *order;
    uint64_t arrivals;              /* number of times that a strand became ready for a new instruction */
    bool is_new[SCHED_MAX_STRANDS]; /* [strand id] the strand has not been ready since it was made or last issued */
};

static struct fifo_sched *fifo_of(struct sched *sched)
{
    return (struct fifo_sched *)sched;
}

static struct sched *fifo_create(const struct sched_setup *setup)
{
    struct fifo_sched *s = xcalloc(1, sizeof *s);
    s->order = order_create(setup);
    return (struct sched *)s;
}

static void fifo_destroy(struct sched *sched)
{
    struct fifo_sched *s = fifo_of(sched);
    order_destroy(s->order);
    free(s);
}

static void fifo_added(struct sched *sched, struct strand *strand)
{
    struct fifo_sched *s = fifo_of(sched);
    s->is_new[strand->id] = true;
}

static void fifo_removed(struct sched *sched, struct strand *strand)
{
    struct fifo_sched *s = fifo_of(sched);
    order_remove(s->order, strand);
}

static void fifo_ready(struct sched *sched, struct strand *strand, int class)
{
    struct fifo_sched *s = fifo_of(sched);
    if (s->is_new[strand->id])
        order_move(s->order, strand, (struct sched_key){strand->key < 0 ? 0 : 1, s->arrivals++});
    s->is_new[strand->id] = false;
    order_ready(s->order, strand, class);
}

static void fifo_unready(struct sched *sched, struct strand *strand)
{
    struct fifo_sched *s = fifo_of(sched);
    order_unready(s->order, strand);
}

static struct strand *fifo_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct fifo_sched *s = fifo_of(sched);
    return order_first_of_all(s->order, ask);
}

static void fifo_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct fifo_sched *s = fifo_of(sched);
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
