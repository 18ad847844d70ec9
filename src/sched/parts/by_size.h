/*
 * Strands by the slices they lie on, biggest or smallest first; of one size, the one that issued last while it can, else
 * that of the oldest warp: what bgto and lgto share.
 *
 * A warp is as old as its block, then by lineage: gangs that were split off are not younger than what they came from.
 * Each slice has a pool of its own, in which all have one size; it is greedy for itself.
 */
#ifndef HEDDLE_SCHED_PARTS_BY_SIZE_H
#define HEDDLE_SCHED_PARTS_BY_SIZE_H

#include "sched/parts/order.h"

struct sched *by_size_create(const struct sched_setup *setup, bool biggest_first);
void by_size_destroy(struct sched *s);
void by_size_added(struct sched *s, struct strand *strand);
void by_size_removed(struct sched *s, struct strand *strand);
void by_size_ready(struct sched *s, struct strand *strand, int class);
void by_size_unready(struct sched *s, struct strand *strand);
struct strand *by_size_pick(struct sched *s, const struct sched_ask *ask);
void by_size_issued(struct sched *s, int port, struct strand *strand, uint64_t now);

#endif
