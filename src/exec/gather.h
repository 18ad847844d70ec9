/*
 * A strand over many rows as one row: the registers of its threads are gathered into planes, the handler runs once, and
 * its results are scattered.
 *
 * Threads keep their lanes, so this is for strands in which no two have the same, as in all that are made by home slots
 * but for those of warps wider than a row, of swizzled lanes, and of threads that are bound to a lane of several slots.
 */
#ifndef HEDDLE_EXEC_GATHER_H
#define HEDDLE_EXEC_GATHER_H

#include "exec/engine.h"
#include "exec/strand.h"

/* From so many rows on it is cheaper than row by row; by measurement. */
enum { GATHER_LEAST_ROWS = 3 };

/* Executes an instruction with a lane handler for threads of these lanes, of which no two share one. False: a source has to
 * be prepared by row, and nothing was done. */
bool gather_execute(struct engine *e, const struct bound *in, uint32_t lanes, const struct threads *threads,
                    struct row *const *rows);

#endif
