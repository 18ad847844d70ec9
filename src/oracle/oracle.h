/*
 * The oracle: an executor that interprets the parsed PTX one thread at a time.
 *
 * The oracle exists to check the functional engine of exec/, so the two share nothing that computes: only the opcode
 * table, the device memory, the launch and the layout of variables. No file of oracle/ may include exec/ or lanes/
 * (tests/structure.sh).
 */
#ifndef HEDDLE_ORACLE_ORACLE_H
#define HEDDLE_ORACLE_ORACLE_H

#include "device/launch.h"

/* Runs the launch to its end or its first fault. Fills the result's fault and thread instructions; all else stays 0. */
void oracle_launch(const struct launch *launch, struct launch_result *result);

/* Whether the oracle executes the row. */
bool oracle_executes(enum op op);

#endif
