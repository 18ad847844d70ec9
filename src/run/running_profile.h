/*
 * A profile that is collected while a program runs: what its launches on the machine have counted at branches so far.
 *
 * The profile from which likely-convergence points come may be collected at run time (Fung and Aamodt, HPCA 2011,
 * section 4); the paper does not say how. Here the unit is a launch, as for a driver that reads counters of the
 * hardware when a kernel has ended and gives the next launch of that kernel its points. So the first launch of a
 * kernel has the points of the analysis, and each later one those of all launches before it. Launches that are only
 * computed, or that faulted, count nothing. Not modelled: the time of reading the counters, and points that change
 * within a launch.
 */
#ifndef HEDDLE_RUN_RUNNING_PROFILE_H
#define HEDDLE_RUN_RUNNING_PROFILE_H

#include "flow/profile_points.h"

struct gpu_result;
struct running_profile; /* a hash table by program; NULL while nothing was counted */

/* Adds what a launch of the program counted. */
void running_profile_add(struct running_profile **profile, const struct program *program,
                         const struct gpu_result *result);
/* The sums over all launches of the program so far, by branch. NULL: there was none. `*launches`: their number. */
const struct branch_use *running_profile_find(const struct running_profile *profile, const struct program *program,
                                              int *launches);
void running_profile_free(struct running_profile **profile);

#endif
