/* Loads of global memory that does not exist, where the launch tolerates them. */
#ifndef HEDDLE_EXEC_TOLERANCE_H
#define HEDDLE_EXEC_TOLERANCE_H

#include "exec/engine.h"

/* Gives 0 to the lanes of the mask whose bytes are not all within one allocation, counts these lanes, and returns the
 * others. Misaligned lanes are left to fault. */
uint32_t tolerance_filter(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask);

#endif
