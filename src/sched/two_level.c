/*
 * two-level: warps in fetch groups. One group issues, round-robin among its strands, until all of them wait; then the
 * next group that can issue. So groups reach their long waits at different times. Narasiman et al., MICRO 2011.
 *
 * A group is `group` consecutive lineages of one port. A strand whose unit is busy does not count as waiting: another
 * group may issue in that cycle, but the group stays in turn.
 */
#include "base/arena.h"
#include "sched/parts/order.h"

#include <stdlib.h>

struct two_level_last {
    uint64_t group;       /* number of the group in turn */
    struct sched_key key; /* of the strand of that group that issued last */
};

struct two_level_sched {
    struct sched_order *order;
    uint64_t group_lineages;
    struct two_level_last last[]; /* [port] */
};

static struct two_level_sched *two_level_of(struct sched *sched)
{
    return (struct two_level_sched *)sched;
}

static struct sched *two_level_create(const struct sched_setup *setup)
{
    struct two_level_sched *s = xcalloc(1, sizeof *s + (size_t)setup->ports * sizeof s->last[0]);
    s->order = order_create(setup);
    s->group_lineages = (uint64_t)setup->group * (uint64_t)setup->ports;
    for (int i = 0; i < setup->ports; i++)
        s->last[i].key = (struct sched_key){UINT64_MAX, 0};
    return (struct sched *)s;
}

static void two_level_destroy(struct sched *sched)
{
    struct two_level_sched *s = two_level_of(sched);
    order_destroy(s->order);
    free(s);
}

static struct sched_key key_of(const struct strand *strand)
{
    return (struct sched_key){(uint64_t)strand->lineage, strand->birth};
}

static uint64_t group_of(const struct two_level_sched *s, const struct strand *strand)
{
    return (uint64_t)strand->lineage / s->group_lineages;
}

static void two_level_added(struct sched *sched, struct strand *strand)
{
    struct two_level_sched *s = two_level_of(sched);
    order_add(s->order, strand, key_of(strand));
}

static void two_level_removed(struct sched *sched, struct strand *strand)
{
    struct two_level_sched *s = two_level_of(sched);
    order_remove(s->order, strand);
}

static void two_level_ready(struct sched *sched, struct strand *strand, int class)
{
    struct two_level_sched *s = two_level_of(sched);
    order_ready(s->order, strand, class);
}

static void two_level_unready(struct sched *sched, struct strand *strand)
{
    struct two_level_sched *s = two_level_of(sched);
    order_unready(s->order, strand);
}

/* The first place of the line that is asked for that holds a strand of this group or of a later one. */
static int group_place(const struct two_level_sched *s, const struct sched_ask *ask, uint64_t group)
{
    return order_place(s->order, ask, (struct sched_key){group * s->group_lineages, 0});
}

static struct strand *two_level_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct two_level_sched *s = two_level_of(sched);
    const struct two_level_last *last = &s->last[ask->port];
    struct sched_key behind = {last->key.major, last->key.minor + 1};
    int places = order_line_asked(s->order, ask)->places;
    int low = group_place(s, ask, last->group), high = group_place(s, ask, last->group + 1);
    int from = order_place(s->order, ask, behind);
    struct strand *found = from < high ? order_first(s->order, from, high, ask) : NULL;
    if (!found)
        found = order_first(s->order, low, high, ask);
    if (!found)
        found = order_first(s->order, high, places, ask);
    return found ? found : order_first(s->order, 0, low, ask);
}

static bool group_waits(const struct two_level_sched *s, int port, uint64_t group)
{
    struct sched_ask anything = {.port = port, .free_slots = UINT64_MAX};
    for (; anything.pool < s->order->pools; anything.pool++) {
        int low = group_place(s, &anything, group), high = group_place(s, &anything, group + 1);
        if (order_first(s->order, low, high, &anything))
            return false;
    }
    return true;
}

static void two_level_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct two_level_sched *s = two_level_of(sched);
    (void)now;
    uint64_t group = group_of(s, strand);
    if (group == s->last[port].group || group_waits(s, port, s->last[port].group))
        s->last[port] = (struct two_level_last){group, key_of(strand)};
}

const struct sched_ops sched_two_level = {
    .name = "two-level",
    .summary = "Groups of warps: round-robin within one group until all of its warps wait, then the next group.",
    .source = "Narasiman et al., MICRO 2011",
    .create = two_level_create,
    .destroy = two_level_destroy,
    .added = two_level_added,
    .removed = two_level_removed,
    .ready = two_level_ready,
    .unready = two_level_unready,
    .pick = two_level_pick,
    .issued = two_level_issued,
};
