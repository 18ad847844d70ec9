/* Which instructions of a launch the scalar units execute (sm.scalar): what flow/scalar.h proves, for the mechanism
 * and the convergence barriers of the launch. */
#ifndef HEDDLE_GPU_SCALAR_H
#define HEDDLE_GPU_SCALAR_H

#include "flow/scalar.h"
#include "gpu/gpu.h"

struct barrier_plan;

/* `barriers`: those that threads reconverge at, under a mechanism with DIV_BARRIERS. Without scalar units, or under a
 * mechanism whose strands may hold threads of several warps or iterations, the facts have no is_scalar. */
struct scalar_facts scalar_of_launch(const struct gpu_run *run, const struct program *program,
                                     const struct barrier_plan *barriers);

#endif
