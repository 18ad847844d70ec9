/*
 * Barrier flow: where threads may be participants of a plan's barriers, and where they may still wait at them.
 *
 * The two analyses of Damani et al. (CGO 2020, section 4.2.1), over one function at a time:
 *
 *   joined   forward: some path from the function's entry has a join or rejoin with no wait and no cancel behind it
 *   live     backward: some path from here has a wait with no join and no rejoin before it
 *
 * The paper's equations know joins and waits alone; on a plan that has no other operations yet, the analyses are those
 * of the paper. Barriers that span calls are followed within each function only, as if calls did not change them.
 *
 * Sets are bits by barrier. The sets of a block's start hold behind the operations on edges to the block and before the
 * operations before its first instruction. The sets of a block's end hold before the operations on edges that leave the
 * block.
 */
#ifndef HEDDLE_RECON_BARRIER_FLOW_H
#define HEDDLE_RECON_BARRIER_FLOW_H

#include "recon/barrier.h"

struct barrier_flow {
    const struct barrier_plan *plan;
    int words;                                             /* 64-bit words per set */
    uint64_t *joined_in, *joined_out, *live_in, *live_out; /* [block][words] */
};

/* Analyses the plan as it is now. The sets are in the arena. */
struct barrier_flow barrier_flow_create(const struct barrier_plan *plan, struct arena *arena);
/* The same without live sets, which are NULL: half the memory and time. */
struct barrier_flow barrier_flow_create_joined(const struct barrier_plan *plan, struct arena *arena);

static inline bool barrier_is_in(const struct barrier_flow *flow, const uint64_t *sets, int32_t block, int32_t barrier)
{
    return sets[(size_t)block * (size_t)flow->words + (size_t)barrier / 64] >> barrier % 64 & 1;
}

static inline bool barrier_set_has(const uint64_t *set, int32_t barrier)
{
    return set[barrier / 64] >> barrier % 64 & 1;
}

/* set = what is joined just before the plan's entry at `position`. */
void barrier_joined_before(const struct barrier_flow *flow, int position, uint64_t *set);
/* set = what is live just behind the plan's entry at `position`. */
void barrier_live_after(const struct barrier_flow *flow, int position, uint64_t *set);

/*
 * Calls `visit` at every point of reachable code at which the joined set may have changed: at each block's start and
 * behind each operation. `pc` is the instruction that follows. `weight` is the number of instructions up to the next
 * such point; it is 0 between operations of one place.
 */
struct barrier_visitor {
    void (*visit)(struct barrier_visitor *v, int32_t pc, int weight, const uint64_t *joined);
    void *data;
};
void barrier_walk(const struct barrier_flow *flow, struct barrier_visitor *visitor);

#endif
