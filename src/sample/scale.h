/*
 * Scaling: the counters of a launch of which a part was timed become estimates for the whole launch.
 *
 * Counts that the functional engine gives too (instructions, branches, blocks) become exact; the cycles become the
 * estimate; every other sum (accesses, stalls, transactions, counters by PC) grows by the factor between the estimate
 * and the timed cycles, if it counts cycles, and otherwise by that between all instructions and the timed ones. Maxima
 * stay.
 */
#ifndef HEDDLE_SAMPLE_SCALE_H
#define HEDDLE_SAMPLE_SCALE_H

#include "gpu/gpu.h"

/* Multiplies the counters of cycles by one factor, and all others by another. */
void scale_counters(struct gpu_result *result, double by_cycles, double by_work);
/* Sets what is exact: the blocks and thread instructions of the whole launch, and, if the machine forms the same warps
 * as the functional engine (`has_warps`), its warp instructions and branches. */
void scale_set_exact(struct gpu_result *result, const struct launch_result *exact, uint64_t blocks, bool has_warps);
/* A copy of a result that is freed by gpu_result_free(). */
void scale_copy(struct gpu_result *into, const struct gpu_result *from);

#endif
