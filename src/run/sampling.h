/*
 * Sampling a program's launches (--sample): which of them run on the machine, of these which blocks, and what the
 * others are estimated to take. docs/sampling.md has the method.
 *
 * Among launches, sample/program.h chooses. A launch that has many waves of blocks is sampled within (sample/waves.h).
 * If the interval comes out wider than the target, memory is set back and the launch runs once more with more samples,
 * or at last with all blocks timed.
 */
#ifndef HEDDLE_RUN_SAMPLING_H
#define HEDDLE_RUN_SAMPLING_H

#include "run/request.h"
#include "sample/estimate.h"

struct code;
struct gpu_result;
struct gpu_run;
struct launch;
struct sample_program;

/* The first option that excludes --sample, without its dashes; NULL: there is none. */
const char *sampling_conflict(const struct run_options *options);

/* Runs a launch on a machine; sampling calls it once or several times. */
struct sampling_execute {
    void (*execute)(void *context, struct gpu_run *run, const struct launch *launch, struct gpu_result *result);
    void *context;
};

/* Times the launch, or as many of its blocks as the estimate needs, or only computes it, as `program` chooses. The
 * result has the estimate's cycles, and counters scaled to the whole launch. */
void sampling_launch(struct sample_program *program, const struct gpu_run *run, const struct launch *launch,
                     const struct code *code, const struct sampling_execute *how, struct gpu_result *result,
                     struct sample_estimate *estimate);

#endif
