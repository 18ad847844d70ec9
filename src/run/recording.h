/*
 * Recording (--record FILE): writes what the threads of all launches decide into one file, which `heddle replay` times
 * (exec/taping.h, docs/replay.md). Launches of a program that --kernel and --launch do not choose, and launches that
 * fault, are not in it.
 */
#ifndef HEDDLE_RUN_RECORDING_H
#define HEDDLE_RUN_RECORDING_H

#include "exec/code.h"

struct gpu_result;
struct launch;
struct run_request;
struct recording;

/* Sets launch->taping, if the request asks for a recording. False, having said why on stderr: the launch cannot be
 * recorded, and nothing is recorded any more. */
bool recording_begin(struct run_request *request, struct launch *launch, const struct code *code);
/* The launch has ended. Clears launch->taping. */
void recording_end(struct run_request *request, struct launch *launch, const struct gpu_result *result);
/* Completes the file, and says on stderr what it holds, or why there is none. False: there is none. */
bool recording_finish(struct run_request *request);
/* Removes what was written, unless recording_finish() was called before. */
void recording_abandon(struct recording *recording);

#endif
