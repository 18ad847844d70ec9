/* Copies of boxes of tensors, which a tensor map describes (device/tensor_map.h). */
#ifndef HEDDLE_EXEC_ASYNC_TENSOR_H
#define HEDDLE_EXEC_ASYNC_TENSOR_H

#include "exec/engine.h"

/* Executes a copy from or to a tensor, or a change of a tensor map, for one lane. `address`: the lane's first memory
 * address, if the instruction has one. */
bool tensor_execute(struct engine *e, const struct bound *in, int lane, uint64_t address);

#endif
