/* pc: the ready strand with the lowest PC; of the strands at one PC, the one with most threads. Threads that fell
 * behind catch up, if the code is laid out in the order of execution. Fung et al., MICRO 2007. */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct pc_sched {
    struct sched_order *order;
};

static struct pc_sched *pc_of(struct sched *sched)
{
    return (struct pc_sched *)sched;
}

static struct sched *pc_create(const struct sched_setup *setup)
{
    struct pc_sched *s = xcalloc(1, sizeof *s);
    s->order = order_create(setup);
    return (struct sched *)s;
}

static void pc_destroy(struct sched *sched)
{
    struct pc_sched *s = pc_of(sched);
    order_destroy(s->order);
    free(s);
}

/* The strand's PC is known only when it becomes ready. */
static void pc_added(struct sched *sched, struct strand *strand)
{
    struct pc_sched *s = pc_of(sched);
    (void)s, (void)strand;
}

static void pc_removed(struct sched *sched, struct strand *strand)
{
    struct pc_sched *s = pc_of(sched);
    order_remove(s->order, strand);
}

static void pc_ready(struct sched *sched, struct strand *strand, int class)
{
    struct pc_sched *s = pc_of(sched);
    uint64_t line = strand->key < 0 ? 0 : (uint64_t)strand->pc + 1;
    order_move(s->order, strand, (struct sched_key){line, order_fullest(strand)});
    order_ready(s->order, strand, class);
}

static void pc_unready(struct sched *sched, struct strand *strand)
{
    struct pc_sched *s = pc_of(sched);
    order_unready(s->order, strand);
}

static struct strand *pc_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct pc_sched *s = pc_of(sched);
    return order_first_of_all(s->order, ask);
}

static void pc_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct pc_sched *s = pc_of(sched);
    (void)s, (void)port, (void)strand, (void)now;
}

const struct sched_ops sched_pc = {
    .name = "pc",
    .summary = "The strand with the lowest PC; at one PC, the strand with most threads.",
    .source = "Fung, Sham, Yuan and Aamodt, MICRO 2007",
    .create = pc_create,
    .destroy = pc_destroy,
    .added = pc_added,
    .removed = pc_removed,
    .ready = pc_ready,
    .unready = pc_unready,
    .pick = pc_pick,
    .issued = pc_issued,
};
