/*
 * Results: a launch as one line of JSON. At its top `kernel`, `mechanism`, `gpu`, `cycles`, `warp_instructions`,
 * `thread_instructions`, `simd_efficiency` and `host_seconds` (null where the executor has no such figure), then
 * everything else grouped by owner, with what is needed to run the launch again.
 */
#ifndef HEDDLE_REPORT_RESULT_H
#define HEDDLE_REPORT_RESULT_H

#include "base/text.h"
#include "exec/code.h"

struct gpu_result;
struct gpu_run;
struct launch;
struct report;
struct site_table;
struct verification;

/* Who executed the launch; a machine executes through the engine. */
enum result_executor { RESULT_ENGINE, RESULT_ORACLE };

/* A launch that has ended, and all that is known of it. */
struct result {
    enum result_executor executor;
    const struct gpu_run *run; /* the machine and the mechanism; NULL: there was no machine */
    const struct launch *launch;
    const struct code *code;           /* NULL: the oracle needs none */
    const struct gpu_result *gpu;      /* without a machine only `gpu->launch` is set */
    const struct verification *memory; /* NULL: memory was not compared */
    const int *lockstep;               /* pairs of instructions that --check lockstep found; NULL: it did not look */
    const char *replay;                /* JSON of the recording that was replayed; NULL: the launch was executed */
    const char *options;               /* the options of the run, as a JSON object */
    const char *machine;               /* the machine, as a JSON object; NULL: there was no machine */
    const struct report *report;       /* figures of the launch on a machine; NULL: there was no machine */
    const struct site_table *sites;    /* by branch and by line; NULL: nothing was counted by PC */
};

void result_json_line(struct text *out, const struct result *result);

#endif
