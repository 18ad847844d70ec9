/*
 * Results: a launch as one line of JSON. At its top `kernel`, `mechanism`, `gpu`, `cycles`,
 * `warp_instructions`, `thread_instructions`, `simd_efficiency` and `host_seconds` (null where the executor
 * has no such thing), then everything else grouped by owner, with what is needed to run it again.
 */
#ifndef HEDDLE_REPORT_RESULT_H
#define HEDDLE_REPORT_RESULT_H

#include "base/text.h"
#include "exec/code.h"
#include "run/options.h"

struct report;

/* report: of a launch on a machine, else NULL. */
void result_json_line(struct text *out, const struct run_options *options, const struct launch *launch,
                      const struct code *code, const struct gpu_result *timed, const struct report *report);
/* A string in quotes, escaped; null for NULL. */
void result_json_string(struct text *out, const char *string);

#endif
