/* Block barriers and what they order, at places that all live threads of the block reach. */
#ifndef HEDDLE_TESTS_RANDOM_BARRIER_H
#define HEDDLE_TESTS_RANDOM_BARRIER_H

#include "gen.h"

void barrier_any(struct gen *g); /* one barrier for the block, in any form */
void barrier_reduce(struct gen *g);
void barrier_exchange(struct gen *g);
void barrier_early(struct gen *g, unsigned how); /* divergent code in which threads end; how: EARLY_* */

/* Rows of one block part ways and come back; false if the block or the state of the program is not fit for
 * it. */
bool barrier_pair(struct gen *g);   /* bar.arrive by some rows, bar.sync by the others */
bool barrier_groups(struct gen *g); /* exchanges in two groups of rows, each with a barrier of its own */

/* A function with barriers in it, if the plan has one, and a call of it by the block. */
void barrier_write_function(struct gen *g, struct draft *to);
void barrier_call(struct gen *g);

#endif
