/* rrb: round-robin over blocks. In every cycle another block comes first, with loose round-robin inside it. Fung
 * and Aamodt, HPCA 2011, section 6.2. */
#include "sched/parts/block_turns.h"

static struct sched *rrb_create(const struct sched_setup *setup)
{
    return block_turns_create(setup, false);
}

static struct strand *rrb_pick(struct sched *s, const struct sched_ask *ask)
{
    return block_turns_pick(s, s->places ? ask->now % (uint64_t)s->places : 0, ask);
}

const struct sched_ops sched_rrb = {
    .name = "rrb",
    .summary = "Round-robin over blocks, a different block first in every cycle; loose round-robin inside a block.",
    .source = "Fung and Aamodt, HPCA 2011, section 6.2",
    .create = rrb_create,
    .destroy = block_turns_destroy,
    .added = block_turns_added,
    .removed = block_turns_removed,
    .ready = block_turns_ready,
    .unready = block_turns_unready,
    .pick = rrb_pick,
    .issued = block_turns_issued,
};
