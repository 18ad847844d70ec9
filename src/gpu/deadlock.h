/*
 * Reports of deadlocks and livelocks in words: which threads wait where, for what, and why the mechanism does not let
 * them run.
 *
 * Threads of a block that are at one place for one reason share a line. Threads are numbered within their block, as
 * %tid.x of a block with one dimension. A report changes nothing that is simulated.
 */
#ifndef HEDDLE_GPU_DEADLOCK_H
#define HEDDLE_GPU_DEADLOCK_H

#include "exec/engine.h"
#include "sm/sm.h"

/* What a report looks at: a launch that stands still, spins, or was stopped. */
struct deadlock_scene {
    struct engine *engine;
    const struct div_ops *mechanism;
    struct sm *const *sms; /* [sm_count] */
    int sm_count;
    struct mem *mem;
    uint64_t waiting_blocks; /* blocks that no multiprocessor has taken yet */
};

/* The report for a launch that ended with FAULT_DEADLOCK, _LIVELOCK, _ENDLESS, _LIMIT or _STOPPED. The caller frees
 * it. */
char *deadlock_explain(const struct deadlock_scene *scene, enum fault_kind kind);

/* Whether the mechanism keeps any live thread from running: in no strand, or in a parked strand. */
bool deadlock_holds_back(const struct deadlock_scene *scene);

/* Names the first running thread, its place and its instruction in the fault. */
void deadlock_name_spinner(const struct deadlock_scene *scene, struct fault *fault);

#endif
