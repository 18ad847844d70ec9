/*
 * two-level: warps in fetch groups of eight. The group in turn issues round-robin; the turn passes to the
 * next group that can issue when all strands of this one wait, so that groups reach their long waits at
 * different times.
 *
 * A group is eight lineages as their port counts them. A strand whose unit is busy does not wait in this
 * sense: another group may issue in its stead, but the turn stays.
 */
#include "base/arena.h"
#include "sched/turn.h"

#include <stdlib.h>

enum { GROUP_PLACES = 8 };

struct last {
    int group; /* in turn */
    int place; /* that issued last in it */
    int32_t id;
};

struct sched {
    struct turn *turn;
    struct last last[]; /* by port */
};

static struct sched *two_level_create(int ports)
{
    struct sched *s = xcalloc(1, sizeof *s + (size_t)ports * sizeof s->last[0]);
    s->turn = turn_create(ports);
    for (int i = 0; i < ports; i++)
        s->last[i].id = -1;
    return s;
}

static void two_level_destroy(struct sched *s)
{
    free(s->turn);
    free(s);
}

static void two_level_ready(struct sched *s, struct strand *strand)
{
    turn_add(s->turn, strand);
}

static void two_level_unready(struct sched *s, struct strand *strand)
{
    turn_remove(s->turn, strand);
}

static struct strand *two_level_pick(struct sched *s, int port, const uint64_t *reject, uint64_t now)
{
    (void)now;
    const struct last *last = &s->last[port];
    int low = last->group * GROUP_PLACES, high = low + GROUP_PLACES;
    struct strand *found = turn_around(s->turn, port, low, high, last->place, last->id, reject);
    if (!found)
        found = turn_find(s->turn, port, high, TURN_PLACES, -1, reject);
    if (!found)
        found = turn_find(s->turn, port, 0, low, -1, reject);
    return found;
}

static bool group_waits(const struct sched *s, int port, int group)
{
    uint64_t places = s->turn->port[port].places[group * GROUP_PLACES / 64];
    return !(places >> group * GROUP_PLACES % 64 & ((1u << GROUP_PLACES) - 1));
}

static void two_level_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)now;
    int place = turn_place(s->turn, strand->lineage), group = place / GROUP_PLACES;
    if (group == s->last[port].group || group_waits(s, port, s->last[port].group))
        s->last[port] = (struct last){group, place, strand->id};
}

const struct sched_ops sched_two_level = {
    .name = "two-level",
    .summary = "groups of eight warps; round-robin within one until all of it wait",
    .source = "Narasiman et al., MICRO 2011",
    .create = two_level_create,
    .destroy = two_level_destroy,
    .ready = two_level_ready,
    .unready = two_level_unready,
    .pick = two_level_pick,
    .issued = two_level_issued,
    .removed = two_level_unready,
};
