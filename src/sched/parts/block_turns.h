/*
 * Strands by block, loose round-robin inside each: what the block priorities of Fung and Aamodt (HPCA 2011, section 6.2)
 * share. They differ in the block that comes first; those behind it follow in order, and around.
 *
 * A block is known by a number: its place on the multiprocessor, or its age.
 */
#ifndef HEDDLE_SCHED_PARTS_BLOCK_TURNS_H
#define HEDDLE_SCHED_PARTS_BLOCK_TURNS_H

#include "sched/parts/order.h"

enum { TURNS_MAX_BLOCKS = 64 }; /* resident ones */

struct sched {
    struct sched_order *order;
    bool by_age;    /* a block's number is its age, not its place */
    int places;     /* of blocks, seen so far */
    int32_t *block; /* by port: place of the block that issued last */
    struct turn {
        uint64_t age;           /* of the block; a younger one in its place starts anew */
        uint64_t next;          /* minor key behind the strand that issued last */
    } turn[][TURNS_MAX_BLOCKS]; /* by port and place */
};

struct sched *block_turns_create(const struct sched_setup *setup, bool by_age);
void block_turns_destroy(struct sched *s);
void block_turns_added(struct sched *s, struct strand *strand);
void block_turns_removed(struct sched *s, struct strand *strand);
void block_turns_ready(struct sched *s, struct strand *strand, int class);
void block_turns_unready(struct sched *s, struct strand *strand);
void block_turns_issued(struct sched *s, int port, struct strand *strand, uint64_t now);
/* A strand that fits of the block `first`, or else of the next one behind it, around. */
struct strand *block_turns_pick(struct sched *s, uint64_t first, const struct sched_ask *ask);

#endif
