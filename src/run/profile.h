/* A profile: how many threads took each branch of a program, from the JSON lines (--json) of earlier runs. */
#ifndef HEDDLE_RUN_PROFILE_H
#define HEDDLE_RUN_PROFILE_H

#include "flow/profile_points.h"

/* The counts of all lines of the file that are about this program, added up: an array by branch, freed by the caller.
 * NULL and an error text (freed by the caller) if the file cannot be read or has no line about this program. */
struct branch_use *profile_read(const char *path, const struct program *program, char **error);

#endif
