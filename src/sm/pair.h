/*
 * Pairs: a second strand that issues beside the first one of its port, on lanes that the first leaves free.
 *
 * The scheduler picks the first strand. The second one is found here, as by a scheduler of its own that stands behind
 * the first (Brunie, Collange and Diamos, ISCA 2012): of the ready strands that div_wants.pairing allows, whose lanes
 * are free and whose unit and memory port can take an instruction, the one with most threads; among equals, the oldest.
 * Both strands use the copy of a unit that the first took, since their lanes are disjoint, and their accesses to memory
 * go there as one.
 *
 * The search looks at all strands of the multiprocessor, and takes no simulated time.
 */
#ifndef HEDDLE_SM_PAIR_H
#define HEDDLE_SM_PAIR_H

#include "div/contract/div.h"
#include "sched/sched.h"

struct sm;

/* What the port at work has issued in this cycle. */
struct pair {
    bool has_first;
    int32_t lineage; /* of the first strand */
    int32_t row;     /* of the first strand's first thread */
};

/* A strand of this lineage issued, with so many threads, the first of them in this row. */
static inline void pair_note(struct pair *p, const struct div_wants *wants, int32_t lineage, int32_t row, int threads)
{
    if (p->has_first) {
        *(lineage == p->lineage ? &wants->pairs->same_warp : &wants->pairs->other_warp) += 1;
        wants->pairs->threads += (uint64_t)threads;
    }
    p->has_first = true;
    p->lineage = lineage;
    p->row = row;
}

/* The strand that issues beside the first one; NULL: none fits. */
struct strand *pair_find(struct sm *sm, const struct sched_ask *ask);

#endif
