/*
 * Strands by size, the number of slices they lie on, biggest or smallest first: the part that bgto and lgto share.
 * Among strands of one size, the strand that issued last goes first while it can, else the strand of the oldest warp.
 *
 * Warps are ordered by age (order_age): a gang that was split off is not younger than the gang it came from. Each slice
 * has its own pool, where all strands have one size, and its own strand that issued last.
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
