/* srr: sticky round-robin. The block that issued last, until none of its strands is ready; then the next block.
 * Loose round-robin inside a block. Fung and Aamodt, HPCA 2011, section 6.2. */
#include "sched/parts/block_turns.h"

static struct sched *srr_create(const struct sched_setup *setup)
{
    return block_turns_create(setup, false);
}

static struct strand *srr_pick(struct sched *s, const struct sched_ask *ask)
{
    return block_turns_pick(s, (uint64_t)s->block[ask->port], ask);
}

const struct sched_ops sched_srr = {
    .name = "srr",
    .summary = "Sticky round-robin over blocks: the block that issued last while it can, then the next; loose "
               "round-robin inside.",
    .source = "Fung and Aamodt, HPCA 2011, section 6.2",
    .create = srr_create,
    .destroy = block_turns_destroy,
    .added = block_turns_added,
    .removed = block_turns_removed,
    .ready = block_turns_ready,
    .unready = block_turns_unready,
    .pick = srr_pick,
    .issued = block_turns_issued,
};
