/*
 * bgto: biggest gang first, then greedy, then oldest. A gang (a strand on several lane slices) that lies on most
 * slices fills most lanes with one issue. Among gangs of one size, and among strands of one slice: the strand that
 * issued last while it can, else the strand of the oldest warp. Rogers et al., ISCA 2015, section 6.1.
 */
#include "sched/parts/by_size.h"

static struct sched *bgto_create(const struct sched_setup *setup)
{
    return by_size_create(setup, true);
}

const struct sched_ops sched_bgto = {
    .name = "bgto",
    .summary = "The biggest gang goes first; among equal sizes the last strand while it can, then the oldest warp.",
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
