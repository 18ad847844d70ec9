/*
 * Executing a strand of many rows as if it were one row: the registers of its threads are gathered into a row of the
 * engine's own, lane handlers run there, and what they write is scattered to the strand's rows.
 *
 * Each thread is gathered into its own lane, so gathering needs a strand in which no two threads have the same lane.
 * Strands with such a pair exist (in warps wider than a row, with swizzled lanes, and where a thread is bound to one
 * lane of several slots); the caller executes them row by row.
 *
 * Several instructions at a time: a register that several of them read is gathered once, one that several write is
 * scattered once, and one that is written before it is read is not gathered at all.
 */
#ifndef HEDDLE_EXEC_GATHER_H
#define HEDDLE_EXEC_GATHER_H

#include "exec/engine.h"
#include "exec/strand.h"

/* From this number of rows on, gathering is cheaper than executing row by row; measured. */
enum { GATHER_LEAST_ROWS = 3 };

struct gathering;

/* Executes up to `count` instructions of lane handlers from `in` on, for the threads, whose lanes are `lanes`. Returns
 * the number of instructions executed: it stops before one with a source that must be prepared row by row. */
int gather_execute(struct engine *e, const struct bound *in, int count, uint32_t lanes, const struct threads *threads,
                   struct row *const *rows);
/* The predicate plane at this offset, for all threads of the last gather_execute(), as its instructions left it. NULL:
 * the instructions did not use that predicate, or there were none that could be gathered. */
const uint32_t *gather_held(const struct engine *e, int32_t offset);
void gather_close(struct gathering *g); /* NULL: nothing was gathered */

#endif
