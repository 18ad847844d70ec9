/* Row operations: shfl.sync, vote.sync, match.sync, bar.warp.sync and products of matrices, at places that all live threads of a
 * row reach. */
#ifndef HEDDLE_TESTS_RANDOM_ROW_H
#define HEDDLE_TESTS_RANDOM_ROW_H

#include "gen.h"

void row_statement(struct gen *g); /* %mask names the live threads of the row */
void row_thin(struct gen *g);      /* some threads end, and %mask names the others */
void row_count(struct gen *g);     /* finds out by shared memory who lives, and has these do a row operation */

#endif
