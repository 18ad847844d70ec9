/*
 * Launches whose threads stay in their static warps, for code that relies on them.
 *
 * Fung and Aamodt let the thread compactor be switched off for a kernel, for example by an extension of the programming
 * API at its launch, so that programs that rely on static warps still run (HPCA 2011, section 3.2). Here the switch is
 * a knob of the mechanism (`compaction_knob` of div_ops). --no-compaction turns the knob off for launches of the
 * kernels that it names, and heddle_launch_without_compaction() for one launch. What the mechanism does besides stays
 * as it is: tbc still has one stack per block, at which the warps of a block wait for each other.
 */
#ifndef HEDDLE_RUN_COMPACTION_H
#define HEDDLE_RUN_COMPACTION_H

#include <stdbool.h>

struct gpu_run;
struct launch;
struct run_request;

/* Why the mechanism of the run cannot keep threads in their static warps: it forms new warps, and has no knob that
 * stops it. NULL: it can. Static. */
const char *compaction_obstacle(const struct gpu_run *run);

/* Reads --no-compaction, and makes the knobs of launches without compaction. The request's machine is settled. False
 * and an error text (freed by the caller). */
bool compaction_settle(struct run_request *request, char **error);
/* Whether the launch, or --no-compaction for its kernel, asks for static warps. */
bool compaction_is_off(const struct run_request *request, const struct launch *launch);
/* Gives the run, a copy of the request's, the knobs that the launch asks for. */
void compaction_apply(const struct run_request *request, const struct launch *launch, struct gpu_run *run);

#endif
