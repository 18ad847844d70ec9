/*
 * What a profile or the programmer predicts of a kernel, made ready for the mechanism before the launch:
 * likely-convergence points, and convergence barriers for speculative reconvergence.
 */
#ifndef HEDDLE_RUN_PREDICTIONS_H
#define HEDDLE_RUN_PREDICTIONS_H

#include <stdint.h>

struct barrier_plan;
struct code;
struct fault;
struct gpu_run;
struct launch;
struct run_options;

/* Likely-convergence points, by branch, from the profile that --profile names; to be freed. NULL: the mechanism uses
 * none, or there is no profile. Also NULL, with `fault` filled in, if the profile has nothing about the launch's
 * kernel. */
int32_t *predictions_likely(const struct run_options *options, const struct gpu_run *run, const struct launch *launch,
                            const struct code *code, struct fault *fault);

/* The plan of convergence barriers that --recon asks for; free it with barrier_plan_destroy(). NULL: the mechanism
 * executes no such barriers, or nothing is predicted. Says on stderr what it could not do. */
struct barrier_plan *predictions_barriers(const struct run_options *options, const struct gpu_run *run,
                                          const struct code *code);

#endif
