/*
 * Running a launch as a request asks for it: the main path of heddle.
 *
 * `heddle run` and cuLaunchKernel both come here with a launch. run_launch() chooses the executor (the functional
 * engine, the oracle, or a machine), prepares what the machine needs (likely-convergence points of a profile, predicted
 * barriers, the trace), runs the launch, verifies its memory if asked, and writes the figures. It does not know how a
 * launch executes (exec, oracle, gpu) nor how a figure is computed (report).
 */
#ifndef HEDDLE_RUN_RUN_H
#define HEDDLE_RUN_RUN_H

#include "gpu/gpu.h"
#include "run/request.h"
#include "sample/estimate.h"

struct verification;

/* What a launch gave. */
struct run_outcome {
    struct gpu_result result;        /* without a machine only `result.launch` is set */
    bool is_sampled;                 /* --sample: the result is an estimate, or could have been one */
    struct sample_estimate estimate; /* if is_sampled */
    int races;                       /* pairs of instructions that --check found */
    char *race_text;                 /* the pairs in words; NULL: there are none, or they have been told. Owned */
    struct verification *memory;     /* what --verify found; NULL: memory was not compared. Owned */
};
void run_outcome_free(struct run_outcome *outcome);

/* Runs the launch. Limits that the launch leaves open (0) are taken from the options. Writes the JSON line, the CSV
 * tables and the trace that the options ask for; false, having said why on stderr, if one of them could not be written.
 * `figures` gets the figures that --stats asks for as text; NULL: nobody reads them. */
bool run_launch(struct run_request *request, struct launch *launch, const struct code *code,
                struct run_outcome *outcome, struct text *figures);

/* run_launch() for a program that has no other use for the outcome: figures of --stats, races, deadlocks and
 * differences of memory go to stderr. A launch that --kernel and --launch do not choose is only computed. */
bool run_launch_aloud(struct run_request *request, struct launch *launch, const struct code *code,
                      struct launch_result *result);

/* Keeps what run_print_notes() tells of a launch; run_launch_aloud() does so itself. */
void run_add_notes(struct run_request *request, const struct launch *launch, const struct launch_result *result);
/* Says on stderr, once per process, what the launches of a program may have gone wrong with unnoticed (run/notes.h). */
void run_print_notes(struct run_request *request);

/* Says on stderr where memory differs from the functional result, if --verify found that it does. */
void run_print_memory(const struct run_request *request, const struct run_outcome *outcome);

#endif
