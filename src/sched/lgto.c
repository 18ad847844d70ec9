/*
 * lgto: little gangs, then oldest: bgto the other way round, for comparison. Few gangs issue in a cycle, and little ones
 * leave most lanes empty.
 */
#include "sched/parts/by_size.h"

static struct sched *lgto_create(const struct sched_setup *setup)
{
    return by_size_create(setup, false);
}

const struct sched_ops sched_lgto = {
    .name = "lgto",
    .summary = "little gangs first; of one size greedy, then oldest",
    .source = "Rogers, Johnson, O'Connor and Keckler, ISCA 2015, section 6.3",
    .create = lgto_create,
    .destroy = by_size_destroy,
    .added = by_size_added,
    .removed = by_size_removed,
    .ready = by_size_ready,
    .unready = by_size_unready,
    .pick = by_size_pick,
    .issued = by_size_issued,
};
