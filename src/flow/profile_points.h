/*
 * Likely-convergence points by profile (Fung and Aamodt, HPCA 2011, section 4): where threads that diverge at a branch
 * mostly reconverge, though some may not come there.
 *
 * Such a point is the branch's post-dominator in the graph that is left without the sides of branches that hardly any
 * thread took in earlier runs. A loop that nothing leaves any more is cut where a new iteration begins. A branch of
 * which only one side is left has no such point: threads do not diverge there.
 */
#ifndef HEDDLE_FLOW_PROFILE_POINTS_H
#define HEDDLE_FLOW_PROFILE_POINTS_H

#include "flow/program.h"

/* What earlier runs counted at a branch. */
struct branch_use {
    uint64_t threads; /* executions by single threads; 0: nothing is known */
    uint64_t taken;   /* executions by single threads that did not continue at the next PC */
    uint64_t issues;  /* executions by warps or parts of warps */
};

/* By branch: first PC of the block that is its point, or PC_NONE where that is the branch's post-dominator anyway. The
 * caller frees the array. `use` is by branch. A side is left out if at most `rare_percent` of the branch's threads took
 * it. */
int32_t *profile_points(const struct program *p, const struct branch_use *use, double rare_percent);

#endif
