/* Goals of commands in terms of the program: which PCs a line, a block or a barrier has. */
#ifndef HEDDLE_STEP_GOAL_H
#define HEDDLE_STEP_GOAL_H

#include "flow/program.h"
#include "step/command.h"

/* By PC: the goal of a command `line`, `block` or `barrier`; the caller frees it. NULL and an error text (freed by the
 * caller) if the program has no such place. */
bool *goal_find_pcs(const struct program *program, const struct step_command *command, char **error);

#endif
