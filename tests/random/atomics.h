/*
 * Accumulators: words that threads change only by one commutative integer operation each, and whose
 * intermediate values nobody uses. A word has one operation for the whole program, since two operations do
 * not commute with each other; so its final value does not depend on the order of the threads.
 */
#ifndef HEDDLE_TESTS_RANDOM_ATOMICS_H
#define HEDDLE_TESTS_RANDOM_ATOMICS_H

#include "gen.h"

unsigned atomic_buffer_bytes(void);
void atomic_statement(struct gen *g);
void atomic_shared_clear(struct gen *g); /* in block-uniform code, before the first barrier */
void atomic_shared_read(struct gen *g);  /* in block-uniform code, between two barriers */

#endif
