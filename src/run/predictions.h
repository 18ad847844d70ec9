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
struct run_request;

/* Likely-convergence points, by branch, from the profile that --profile names or --profile-running has collected; to be
 * freed. NULL: the mechanism uses none, or there is no profile. Also NULL, with `fault` filled in, if the file of
 * --profile has nothing about the launch's kernel. Notes in `run`, for reports, how many launches were profiled. */
int32_t *predictions_likely(const struct run_request *request, struct gpu_run *run, const struct launch *launch,
                            const struct code *code, struct fault *fault);

/* The plan of convergence barriers that --recon asks for; free it with barrier_plan_destroy(). NULL: the mechanism
 * executes no such barriers, or nothing is predicted. Says on stderr what it could not do. */
struct barrier_plan *predictions_barriers(const struct run_options *options, const struct gpu_run *run,
                                          const struct code *code);

#endif
