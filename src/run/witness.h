/*
 * The witness of a launch (--evidence FILE): has the functional engine count which branches leave lanes empty, and
 * appends one line per launch for heddle explain (explain/evidence.h). Of a launch on a machine the line has cycles and
 * issues only.
 */
#ifndef HEDDLE_RUN_WITNESS_H
#define HEDDLE_RUN_WITNESS_H

#include "exec/code.h"

#include <stdbool.h>

struct gpu_result;
struct launch;
struct run_request;

/* Sets launch->waste if the request asks for evidence and the engine runs the launch without a machine. */
void witness_begin(const struct run_request *request, struct launch *launch, const struct code *code);
/* The launch has ended. Appends its line, unless it faulted, and frees launch->waste. False: the file cannot be
 * written, which is said on stderr. */
bool witness_end(struct run_request *request, struct launch *launch, const struct code *code,
                 const struct gpu_result *result);

#endif
