/* lgto: littlest gang first, then greedy, then oldest: the opposite of bgto, for comparison. Few gangs issue in a
 * cycle, so little ones leave most lanes empty. Rogers et al., ISCA 2015, section 6.3. */
#include "sched/parts/by_size.h"

static struct sched *lgto_create(const struct sched_setup *setup)
{
    return by_size_create(setup, false);
}

const struct sched_ops sched_lgto = {
    .name = "lgto",
    .summary = "The littlest gang goes first; among equal sizes the last strand while it can, then the oldest warp.",
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
