/*
 * Dispatch: thread blocks go to multiprocessors (SMs) in order of number, as SMs have room.
 *
 * The first blocks go one to each SM in turn, until no SM has room. Later, an SM takes the next block in the cycle in
 * which a block of its own ends. Within a window SMs run one after the other, so of two SMs that make room in one
 * window the one that runs first gets the earlier block. With the knob block_interval the dispatcher starts one block
 * per interval: a block has its place on the SM at once, and waits there. All blocks of a cluster start in one
 * cycle: on one SM if that has room for a whole cluster, otherwise on the first SMs with room, between two windows.
 * Not modelled: priorities among launches.
 */
#ifndef HEDDLE_GPU_DISPATCH_H
#define HEDDLE_GPU_DISPATCH_H

#include "gpu/internal.h"

void dispatch_first(struct gpu *g);
/* Gives the next block, or all blocks of the next cluster, to the SM, which has room, at cycle `now`. */
void dispatch_block(struct gpu *g, struct sm *sm, uint64_t now);
/* True once every block has ended. */
bool dispatch_is_done(const struct gpu *g);

/* Where clusters are spread: starts those for which SMs have room at cycle `now`, which all SMs have done. */
void dispatch_spread(struct gpu *g, uint64_t now);

static inline bool dispatch_has_blocks(const struct gpu *g)
{
    return g->next_block < g->block_count;
}

/* Whether the SM has blocks, or may get one. */
static inline bool dispatch_is_active(const struct gpu *g, const struct sm *sm)
{
    return sm_resident(sm) || dispatch_has_blocks(g);
}

#endif
