/*
 * The functional engine: runs a launch to its end, as fast as the host can, with no notion of time.
 *
 * Rows of 32 threads are executed as vectors. Threads of a row that diverged run as cohorts, the lowest PC first
 * (cohort.h).
 */
#ifndef HEDDLE_EXEC_FUNCTIONAL_H
#define HEDDLE_EXEC_FUNCTIONAL_H

#include "device/launch.h"
#include "exec/code.h"

/* Runs the launch until it ends or faults, and fills the result. */
void functional_launch(const struct launch *launch, const struct code *code, struct launch_result *result);

#endif
