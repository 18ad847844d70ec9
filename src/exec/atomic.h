/* Atomics: atom and red. */
#ifndef HEDDLE_EXEC_ATOMIC_H
#define HEDDLE_EXEC_ATOMIC_H

#include "exec/engine.h"

/* Executes the atomic for the threads `mask` of the row at work, one after the other. False after a fault. */
bool atomic_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);

/* The result of an atomic operation (and, or, exch, add, ...) on a value in memory. `in_memory`: global memory computes
 * it, not the multiprocessor. */
uint64_t atomic_combine(enum mod operation, enum type type, uint64_t old, uint64_t b, bool in_memory);

/* Carries out one lane's atomic of at most 64 bits an element on the values at `at`, as global memory does. `operands`:
 * b of each element, then c of a compare-and-swap. `old` gets what each element was before. Gives the number of
 * elements that changed. */
uint64_t atomic_apply(const struct bound *in, uint8_t *at, const uint64_t *operands, uint64_t *old);
/* Writes what the elements were before to the registers of a lane. `planes`: registers of its row. */
void atomic_give_result(const struct bound *in, const uint64_t *old, uint8_t *planes, int lane);

#endif
