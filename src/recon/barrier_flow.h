/*
 * Barrier flow: where threads may be participants of a plan's barriers, and where they may still wait at them.
 *
 * The two analyses of Damani et al. (CGO 2020, section 4.2.1), over one function at a time:
 *
 *   joined   forward: some way from the function's entry has a join or rejoin behind which no wait and no cancel stands
 *   live     backward: some way on from here has a wait before which no join and no rejoin stands
 *
 * The paper's equations know joins and waits alone, and are these on a plan that has nothing else yet. Barriers that span
 * calls are followed within each function only, as if calls left them alone.
 *
 * Sets are bits by barrier. Those of a block's start are before the operations that stand before its first
 * instruction, and behind those on the ways to it; those of its end are ahead of the ways that leave it.
 */
#ifndef HEDDLE_RECON_BARRIER_FLOW_H
#define HEDDLE_RECON_BARRIER_FLOW_H

#include "recon/barrier.h"

struct barrier_flow {
    const struct barrier_plan *plan;
    int words;                                             /* 64-bit words of a set */
    uint64_t *joined_in, *joined_out, *live_in, *live_out; /* [block][words] */
};

/* Of the plan as it stands; the sets are the arena's. */
struct barrier_flow barrier_flow_create(const struct barrier_plan *plan, struct arena *arena);

static inline bool barrier_is_in(const struct barrier_flow *flow, const uint64_t *sets, int32_t block, int32_t barrier)
{
    return sets[(size_t)block * (size_t)flow->words + (size_t)barrier / 64] >> barrier % 64 & 1;
}

/* Whether a set holds a barrier. */
static inline bool barrier_set_has(const uint64_t *set, int32_t barrier)
{
    return set[barrier / 64] >> barrier % 64 & 1;
}

/* set = what is joined ahead of the entry at a position of the plan, which stands within a block or on a way. */
void barrier_joined_before(const struct barrier_flow *flow, int position, uint64_t *set);
/* set = what is live behind it. */
void barrier_live_after(const struct barrier_flow *flow, int position, uint64_t *set);

/*
 * Calls `visit` at every point of reachable code at which the joined set may have changed: at each block's start and
 * behind each operation. `pc` is the instruction that follows; `weight` how many instructions there are up to the next
 * such point, 0 among operations of one place.
 */
struct barrier_visitor {
    void (*visit)(struct barrier_visitor *v, int32_t pc, int weight, const uint64_t *joined);
    void *data;
};
void barrier_walk(const struct barrier_flow *flow, struct barrier_visitor *visitor);

#endif
