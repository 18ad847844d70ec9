/*
 * lrr: loose round-robin. The first ready strand behind the one that issued last, by lineage; strands of one
 * lineage by id. Loose, since those that are not ready lose their turn.
 */
#include "base/arena.h"
#include "sched/turn.h"

#include <stdlib.h>

struct last {
    int place;
    int32_t id;
};

struct sched {
    struct turn *turn;
    struct last last[]; /* by port */
};

static struct sched *lrr_create(int ports)
{
    struct sched *s = xcalloc(1, sizeof *s + (size_t)ports * sizeof s->last[0]);
    s->turn = turn_create(ports);
    for (int i = 0; i < ports; i++)
        s->last[i].id = -1;
    return s;
}

static void lrr_destroy(struct sched *s)
{
    free(s->turn);
    free(s);
}

static void lrr_ready(struct sched *s, struct strand *strand)
{
    turn_add(s->turn, strand);
}

static void lrr_unready(struct sched *s, struct strand *strand)
{
    turn_remove(s->turn, strand);
}

static struct strand *lrr_pick(struct sched *s, int port, const uint64_t *reject, uint64_t now)
{
    (void)now;
    return turn_around(s->turn, port, 0, TURN_PLACES, s->last[port].place, s->last[port].id, reject);
}

static void lrr_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)now;
    s->last[port] = (struct last){turn_place(s->turn, strand->lineage), strand->id};
}

const struct sched_ops sched_lrr = {
    .name = "lrr",
    .summary = "loose round-robin: the first ready one behind the last",
    .source = "the scheduler of Fung and Aamodt, HPCA 2011, Table 2",
    .create = lrr_create,
    .destroy = lrr_destroy,
    .ready = lrr_ready,
    .unready = lrr_unready,
    .pick = lrr_pick,
    .issued = lrr_issued,
    .removed = lrr_unready,
};
