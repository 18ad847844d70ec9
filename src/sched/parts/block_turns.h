/*
 * Strands by block, with loose round-robin inside each block: the part that the block priorities of Fung and Aamodt
 * (HPCA 2011, section 6.2) share. age, rrb and srr differ in the block that comes first; the other blocks follow in
 * order of number, and around.
 *
 * A block's number is its place on the multiprocessor, or its age. `places` and the array `turn` go by place in either
 * case.
 */
#ifndef HEDDLE_SCHED_PARTS_BLOCK_TURNS_H
#define HEDDLE_SCHED_PARTS_BLOCK_TURNS_H

#include "sched/parts/order.h"

enum { TURNS_MAX_BLOCKS = 64 }; /* resident blocks */

struct sched {
    struct sched_order *order;
    bool by_age;    /* a block's number is its age, not its place */
    int places;     /* places of resident blocks that were used so far */
    int32_t *block; /* [port] place of the block that issued last */
    struct turn {
        uint64_t age;  /* age of the block that the turn belongs to; a younger block in the same place starts anew */
        uint64_t next; /* minor key behind the strand of the block that issued last */
    } turn[][TURNS_MAX_BLOCKS]; /* [port][place] */
};

struct sched *block_turns_create(const struct sched_setup *setup, bool by_age);
void block_turns_destroy(struct sched *s);
void block_turns_added(struct sched *s, struct strand *strand);
void block_turns_removed(struct sched *s, struct strand *strand);
void block_turns_ready(struct sched *s, struct strand *strand, int class);
void block_turns_unready(struct sched *s, struct strand *strand);
void block_turns_issued(struct sched *s, int port, struct strand *strand, uint64_t now);
/* A strand that fits: of the block with number `first`, else of the next block behind it, and around. NULL: none. */
struct strand *block_turns_pick(struct sched *s, uint64_t first, const struct sched_ask *ask);

#endif
