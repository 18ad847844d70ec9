/* age: a strand of the block that was launched first, with loose round-robin inside the block. Fung and Aamodt,
 * HPCA 2011, section 6.2. */
#include "sched/parts/block_turns.h"

static struct sched *age_create(const struct sched_setup *setup)
{
    return block_turns_create(setup, true);
}

static struct strand *age_pick(struct sched *s, const struct sched_ask *ask)
{
    return block_turns_pick(s, 0, ask);
}

const struct sched_ops sched_age = {
    .name = "age",
    .summary = "The oldest block goes first; loose round-robin inside a block.",
    .source = "Fung and Aamodt, HPCA 2011, section 6.2",
    .create = age_create,
    .destroy = block_turns_destroy,
    .added = block_turns_added,
    .removed = block_turns_removed,
    .ready = block_turns_ready,
    .unready = block_turns_unready,
    .pick = age_pick,
    .issued = block_turns_issued,
};
