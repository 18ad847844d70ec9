/* Functions that the CUDA run time gives kernels: vprintf, __assertfail, malloc, free. */
#ifndef HEDDLE_EXEC_BUILTIN_H
#define HEDDLE_EXEC_BUILTIN_H

#include "exec/engine.h"

/* Executes the call for the threads `mask` of the row at work, one after the other. False after a fault (a failed
 * assertion). */
bool builtin_execute(struct engine *e, const struct bound *in, uint32_t mask);

#endif
