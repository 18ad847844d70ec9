/* Surfaces: loads, stores and reductions by coordinates. */
#ifndef HEDDLE_EXEC_SURFACE_H
#define HEDDLE_EXEC_SURFACE_H

#include "exec/engine.h"

/* The surface of a handle; NULL: there is none. */
const struct surface *surface_find(const struct engine *e, uint64_t handle);
/* Executes suld, sust or sured for the threads `mask` of the row at work. False after a fault. */
bool surface_execute(struct engine *e, const struct bound *in, uint32_t mask);
/* The generic addresses that the threads access, of `bytes` bytes each. Returns the lanes that access memory:
 * outside the surface, .zero accesses nothing. */
uint32_t surface_addresses(struct engine *e, const struct bound *in, uint32_t mask, uint64_t address[ROW_LANES],
                           uint32_t *bytes);

#endif
