/*
 * Executing a strand of many rows as if it were one row: the registers of its threads are gathered into planes, the
 * lane handler runs once, and the results are scattered to the rows.
 *
 * Each thread is gathered into its own lane, so gathering needs a strand in which no two threads have the same lane.
 * Strands with such a pair exist (in warps wider than a row, with swizzled lanes, and where a thread is bound to one
 * lane of several slots); the caller executes them row by row.
 */
#ifndef HEDDLE_EXEC_GATHER_H
#define HEDDLE_EXEC_GATHER_H

#include "exec/engine.h"
#include "exec/strand.h"

/* From this number of rows on, gathering is cheaper than executing row by row; measured. */
enum { GATHER_LEAST_ROWS = 3 };

/* Executes an instruction of a lane handler for the threads, whose lanes are `lanes`. Returns false, with nothing done,
 * if a source must be prepared row by row. */
bool gather_execute(struct engine *e, const struct bound *in, uint32_t lanes, const struct threads *threads,
                    struct row *const *rows);

#endif
