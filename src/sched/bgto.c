/*
 * bgto: big gangs, then oldest. The gang on most slices, so that an issue fills most lanes; gangs of one size, and the
 * strands of a slice, greedy, then oldest.
 */
#include "sched/parts/by_size.h"

static struct sched *bgto_create(const struct sched_setup *setup)
{
    return by_size_create(setup, true);
}

const struct sched_ops sched_bgto = {
    .name = "bgto",
    .summary = "big gangs first; of one size greedy, then oldest",
    .source = "Rogers, Johnson, O'Connor and Keckler, ISCA 2015, section 6.1",
    .create = bgto_create,
    .destroy = by_size_destroy,
    .added = by_size_added,
    .removed = by_size_removed,
    .ready = by_size_ready,
    .unready = by_size_unready,
    .pick = by_size_pick,
    .issued = by_size_issued,
};
