/*
 * gto: greedy, then oldest. The strand that issued last as long as it can; where a mechanism put another in
 * its stead, one of its lineage; else the ready strand that was made first.
 */
#include "base/arena.h"
#include "sched/age.h"
#include "sched/turn.h"

#include <stdlib.h>

struct last {
    int32_t lineage; /* -1: none yet */
    int32_t id;
};

struct sched {
    struct age *age;
    struct turn *turn;  /* to find a strand by lineage */
    struct last last[]; /* by port */
};

static struct sched *gto_create(int ports)
{
    struct sched *s = xcalloc(1, sizeof *s + (size_t)ports * sizeof s->last[0]);
    s->age = age_create(ports);
    s->turn = turn_create(ports);
    for (int i = 0; i < ports; i++)
        s->last[i].lineage = -1;
    return s;
}

static void gto_destroy(struct sched *s)
{
    free(s->age);
    free(s->turn);
    free(s);
}

static void gto_ready(struct sched *s, struct strand *strand)
{
    age_add(s->age, strand, (struct age_key){strand->birth, 0});
    turn_add(s->turn, strand);
}

static void gto_unready(struct sched *s, struct strand *strand)
{
    age_remove(s->age, strand);
    turn_remove(s->turn, strand);
}

static struct strand *gto_pick(struct sched *s, int port, const uint64_t *reject, uint64_t now)
{
    (void)now;
    const struct last *last = &s->last[port];
    if (last->lineage >= 0) {
        int place = turn_place(s->turn, last->lineage);
        bool same = turn_has(s->turn, last->id) && s->turn->lineage[last->id] == last->lineage;
        if (same && !(reject[last->id / 64] >> last->id % 64 & 1))
            return s->turn->strand[last->id];
        struct strand *kin = turn_find(s->turn, port, place, place + 1, -1, reject);
        if (kin)
            return kin;
    }
    return age_pick(s->age, port, reject);
}

static void gto_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)now;
    s->last[port] = (struct last){strand->lineage, strand->id};
}

const struct sched_ops sched_gto = {
    .name = "gto",
    .summary = "greedy then oldest: the last one while it can, else the first made",
    .source = "Rogers, O'Connor and Aamodt, MICRO 2012",
    .create = gto_create,
    .destroy = gto_destroy,
    .ready = gto_ready,
    .unready = gto_unready,
    .pick = gto_pick,
    .issued = gto_issued,
    .removed = gto_unready,
};
