/* Calls and returns: arguments, results, frames and return addresses. Who runs next at which PC is control.c's. */
#ifndef HEDDLE_EXEC_CALL_H
#define HEDDLE_EXEC_CALL_H

#include "exec/engine.h"

/* The function among the call's candidates that a pointer's value names; -1: none. */
int32_t call_find(const struct engine *e, const struct bound *in, uint64_t value);
/* Enters `callee` from a function at `depth`: pushes frames and return records, and copies the arguments. */
bool call_enter(struct engine *e, const struct bound *in, int32_t callee, int32_t depth, uint32_t mask);
/* Returns from a function at `depth`: copies the results, restores registers, pops frames. Return PCs go to `pc`, by
 * lane. */
void call_leave(struct engine *e, int32_t depth, uint32_t mask, int32_t pc[ROW_LANES]);

#endif
