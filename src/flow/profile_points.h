/*
 * The usual program: what is left of it without the ways that hardly any thread took in earlier runs.
 *
 * Threads that part at a branch meet most of the time at its post-dominator there, though some may not come to it: a
 * likely-convergence point by profile (Fung and Aamodt, HPCA 2011, section 4). A loop that is so never left is cut where
 * a new round begins. A branch that keeps one way only has no such point: threads do not part there.
 */
#ifndef HEDDLE_FLOW_PROFILE_POINTS_H
#define HEDDLE_FLOW_PROFILE_POINTS_H

#include "flow/program.h"

/* What an earlier run saw of a branch. */
struct branch_use {
    uint64_t threads; /* that executed it, each time counted; 0: nothing is known */
    uint64_t taken;   /* of these, those that did not go to the next PC */
    uint64_t issues;  /* how often it was issued, for some threads together */
};

/* By branch: the first PC of a block, or PC_NONE where that is the post-dominator anyway. The caller frees it. `use` is by
 * branch. A way is left out if at most `rare_percent` of the branch's threads took it. */
int32_t *profile_points(const struct program *p, const struct branch_use *use, double rare_percent);

#endif
