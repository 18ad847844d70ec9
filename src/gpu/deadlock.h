/*
 * Deadlocks and livelocks in words: which threads wait where, for what, and why the mechanism does not let
 * them go on.
 *
 * Threads of a block that are alike (same place, same reason) are one line. Threads are numbered in their
 * block, as %tid of a block with one dimension.
 */
#ifndef HEDDLE_GPU_DEADLOCK_H
#define HEDDLE_GPU_DEADLOCK_H

#include "exec/engine.h"
#include "sm/sm.h"

/* What stands still, or spins. */
struct scene {
    struct engine *engine;
    const struct div_ops *mechanism;
    struct sm *const *sms;
    int sm_count;
    struct mem *mem;
    uint64_t waiting_blocks; /* that no multiprocessor has taken yet */
};

/* After a launch ended with FAULT_DEADLOCK, _LIVELOCK, _ENDLESS or _STOPPED: all that is known of who is
 * where. The caller frees it. */
char *deadlock_explain(const struct scene *scene, enum fault_kind kind);

/* Whether the mechanism keeps live threads from running, in no strand or in one that it parked. */
bool deadlock_holds_back(const struct scene *scene);

/* Names the first thread that spins, its place and its instruction in a fault. */
void deadlock_name_spinner(const struct scene *scene, struct fault *fault);

#endif
