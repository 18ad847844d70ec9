/* Reductions of asynchronous copies: elements in memory are combined with elements that are copied. */
#ifndef HEDDLE_EXEC_ASYNC_ASYNC_REDUCE_H
#define HEDDLE_EXEC_ASYNC_ASYNC_REDUCE_H

#include "flow/program.h"

/* Combines the elements at `from` into those at `to`, by the operation and the type of the instruction. `in_memory`: in
 * global memory, where an addition of f64 passes NaNs as they are. Sums of f32 keep subnormals in either memory. */
void async_reduce(const struct insn *insn, uint8_t *to, const uint8_t *from, uint32_t bytes, bool in_memory);
/* The same for one element of a type; both elements and the result are in the low bits. */
uint64_t async_combine(enum mod operation, enum type type, uint64_t old, uint64_t b, bool in_memory);

#endif
